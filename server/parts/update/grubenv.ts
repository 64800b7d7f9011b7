import { open } from 'node:fs/promises';
import { otherSlot, type Slot } from '../../platform/bootSlot.ts';

/** Where our images keep what the boot loader chooses the slot by. */
export const GRUBENV = '/boot/efi/EFI/BOOT/grubenv';

/** Length of the file: GRUB writes it in place and never lets it grow (GRUB manual, "Environment block"). */
const SIZE = 1_024;
const HEADER = '# GRUB Environment Block\n';

/** Boots of a version without a proof, after which the boot loader takes the other slot (build/image/boot/grub.cfg). */
export const MOST_BOOTS = 3;

/** What the boot loader knows of a slot. */
export interface SlotChoice {
  /** Whether it may be booted. */
  readonly isGood: boolean;
  /** Boots that were counted; only of the slot that is being proven. */
  readonly tries: number;
}

/** What the boot loader chooses the slot by (build/image/boot/grub.cfg). */
export interface BootChoice {
  /** The one that is booted as long as it may be comes first. */
  readonly order: readonly [Slot, Slot];
  /** The slot with a version that has no proof yet. */
  readonly proving: Slot | null;
  readonly slots: Readonly<Record<Slot, SlotChoice>>;
}

/** Reads the choice; undefined where the file is none of GRUB's. @throws an errno exception */
export async function readBootChoice(path: string): Promise<BootChoice | undefined> {
  const file = await open(path, 'r');
  try {
    const read = async () => {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(SIZE + 1), 0, SIZE + 1, 0);
      return buffer.toString('latin1', 0, bytesRead);
    };
    // One who reads within a write sees a part of each: twice the same text is a whole one.
    let text = await read();
    for (let before: string | undefined; before !== text; ) [before, text] = [text, await read()];
    return choiceIn(text);
  } finally {
    await file.close();
  }
}

function choiceIn(text: string): BootChoice | undefined {
  if (text.length !== SIZE || !text.startsWith(HEADER)) return undefined;
  const of = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(text)?.[1] ?? '';
  const slot = (name: Slot) => ({
    isGood: of(`${name}_OK`) === '1',
    tries: Number(of(`${name}_TRY`)) || 0,
  });
  const proving = of('PROVING');
  return {
    order: /^\s*B/.test(of('ORDER')) ? ['B', 'A'] : ['A', 'B'],
    proving: proving === 'A' || proving === 'B' ? proving : null,
    slots: { A: slot('A'), B: slot('B') },
  };
}

/** What is known where the file was lost: the slot that runs works, and nothing counts its boots. */
export function choiceAfterLoss(running: Slot): BootChoice {
  const slots = { A: { isGood: running === 'A', tries: 0 }, B: { isGood: running === 'B', tries: 0 } };
  return { order: [running, otherSlot(running)], proving: null, slots };
}

/** Whether the boot loader would take a slot (build/image/boot/grub.cfg). */
export function mayBoot({ proving, slots }: BootChoice, slot: Slot): boolean {
  const { isGood, tries } = slots[slot];
  return isGood && (proving !== slot || tries < MOST_BOOTS);
}

/**
 * Writes the choice in place: all of it is in the first of two sectors, and the second never changes. So one sector is
 * written, and a power cut leaves the old choice or the new one. grub-editenv empties the file first, which a cut may leave
 * so. A new file that is renamed over the old one keeps the name whole on FAT too, but writes about 15 sectors, among them the
 * allocation tables and the folder that also names the boot loader itself (measured, docs/updates.md).
 * @throws an errno exception
 */
export async function writeBootChoice(path: string, { order, proving, slots }: BootChoice): Promise<void> {
  const lines = [
    `ORDER=${order.join(' ')}`,
    ...(['A', 'B'] as const).flatMap((slot) => [
      `${slot}_OK=${slots[slot].isGood ? 1 : 0}`,
      `${slot}_TRY=${slots[slot].tries}`,
    ]),
    `PROVING=${proving ?? ''}`,
  ];
  const block = Buffer.alloc(SIZE, '#');
  block.write(`${HEADER}${lines.join('\n')}\n`, 'latin1');
  const file = await open(path, 'r+');
  try {
    await file.write(block, 0, SIZE, 0);
    await file.truncate(SIZE);
    await file.sync();
  } finally {
    await file.close();
  }
}
