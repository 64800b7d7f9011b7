import { open } from 'node:fs/promises';
import type { Slot } from '../../platform/bootSlot.ts';

/** Where our images keep what the boot loader chooses the slot by. */
export const GRUBENV = '/boot/efi/EFI/BOOT/grubenv';

/** Length of the file: GRUB writes it in place and never lets it grow (GRUB manual, "Environment block"). */
const SIZE = 1_024;
const HEADER = '# GRUB Environment Block\n';

/** What the boot loader knows of a slot. */
export interface SlotChoice {
  /** Whether it may be booted. */
  readonly isGood: boolean;
  /** Boots that were counted; only of the slot that is being proven. */
  readonly tries: number;
}

/** What the boot loader chooses the slot by (build/image/grub.cfg). */
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
    const { buffer, bytesRead } = await file.read(Buffer.alloc(SIZE + 1), 0, SIZE + 1, 0);
    const text = buffer.subarray(0, bytesRead).toString('latin1');
    if (bytesRead !== SIZE || !text.startsWith(HEADER)) return undefined;
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
  } finally {
    await file.close();
  }
}

/**
 * Writes the choice in place: all of it lies in the first sector, so a power cut leaves the old one or the new one.
 * grub-editenv empties the file first.
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
