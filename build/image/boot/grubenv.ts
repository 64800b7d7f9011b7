/** Size of a grubenv file in bytes: GRUB writes it in place and never lets it grow. */
const SIZE = 1024;
const HEADER = '# GRUB Environment Block\n';

/** The state of a new image: slot A is good, slot B is empty, and no slot is being proven. */
export const NEW_IMAGE: Readonly<Record<string, string>> = {
  ORDER: 'A B',
  A_OK: '1',
  A_TRY: '0',
  B_OK: '0',
  B_TRY: '0',
  PROVING: '',
};

/**
 * A GRUB environment block (GRUB manual, "Environment block"): exactly 1024 bytes, filled up with `#`.
 * @throws Error where a name is not one of a variable, or all of it does not fit
 */
export function grubenv(variables: Readonly<Record<string, string>>): Buffer {
  let text = HEADER;
  for (const [name, value] of Object.entries(variables)) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) throw new Error(`${name} is no name of a variable of GRUB.`);
    text += `${name}=${value.replace(/[\\\n]/g, '\\$&')}\n`;
  }
  const length = Buffer.byteLength(text);
  if (length > SIZE) throw new Error(`The variables of GRUB take ${length} bytes; ${SIZE} are there.`);
  return Buffer.concat([Buffer.from(text), Buffer.alloc(SIZE - length, '#')]);
}
