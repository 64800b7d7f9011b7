import { z } from 'zod';

/** Bytes as hex: upper or lower case, blanks between bytes, even length. At most 65,536 bytes. */
export const hexField = z
  .string()
  .max(3 * 65_536)
  .regex(
    /^ *(?:[0-9a-fA-F]{2} *)*$/,
    'must be hex bytes such as "01 03 0A": pairs of 0-9 A-F with optional blanks between',
  )
  .describe('bytes as hex, upper or lower case, blanks allowed between bytes');

/** As `hexField`, of at least one byte. */
export const someHexField = z
  .string()
  .max(3 * 65_536)
  .regex(/^ *(?:[0-9a-fA-F]{2} *)+$/, 'must be hex bytes such as "01 03 0A", at least one')
  .describe('bytes as hex, upper or lower case, blanks allowed between bytes; at least one');

/** A whole number that may also come as text, as it does in a query. */
export function queryInteger(min: number, max: number) {
  return z.preprocess(
    (value) => (typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value),
    z.int().min(min).max(max),
  );
}

/** A truth value that may also come as text, as it does in a query. */
export const queryBoolean = z.preprocess(
  (value) => (value === 'true' ? true : value === 'false' ? false : value),
  z.boolean(),
);

/** A list that also comes as a field of the query that is given once for each item. */
export function queryList<T extends z.ZodType>(item: T, most: number) {
  return z.preprocess((value) => (typeof value === 'string' ? [value] : value), z.array(item).max(most));
}

/** Answer `{"status":"ok"}`. */
export const okResult = z.strictObject({ status: z.literal('ok') });

/** Params of a command that takes none. */
export const noParams = z.strictObject({});

/** Bytes of a text that `hexField` accepted. */
export function hexToBytes(hex: string): Uint8Array {
  const digits = hex.replaceAll(' ', '');
  const bytes = new Uint8Array(digits.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(digits.slice(2 * i, 2 * i + 2), 16);
  return bytes;
}

/** Upper-case hex without blanks. */
export function bytesToHex(bytes: Uint8Array): string {
  let hex = '';
  for (const byte of bytes) hex += byte.toString(16).padStart(2, '0');
  return hex.toUpperCase();
}
