import {
  type BootChoice,
  choiceAfterLoss,
  mayBoot,
  readBootChoice,
  writeBootChoice,
} from '../../parts/update/grubenv.ts';
import { otherSlot, type Slot } from '../../platform/bootSlot.ts';

export interface BootBackendOptions {
  /** The slot that runs; null where this is no image with slots. */
  readonly slot: Slot | null;
  readonly grubenv: string;
}

/**
 * Answers what RAUC asks of a boot loader (RAUC manual, "Custom Bootloader Backend"): `get-primary`, `set-primary <slot>`,
 * `get-state <slot>`, `set-state <slot> good|bad`, `get-current`. Which slot is being proven stays as it is: RAUC knows
 * nothing of it. It does what RAUC's own backend for GRUB does, but never empties the file, as grub-editenv would.
 * @returns what RAUC reads from standard output
 * @throws Error where the words are none of these; an errno exception
 */
export async function answerRauc(words: readonly string[], options: BootBackendOptions): Promise<string> {
  const { slot: running, grubenv } = options;
  if (running === null) throw new Error('This machine was not booted from a slot.');
  const [verb, name, state] = words;
  const asks = (what: string, count: number) => verb === what && words.length === count;
  if (asks('get-current', 1)) return running;
  const choice = (await readBootChoice(grubenv)) ?? choiceAfterLoss(running);
  if (asks('get-primary', 1)) return primaryOf(choice);
  if (name !== 'A' && name !== 'B') throw unknownWords(words);
  if (asks('get-state', 2)) return mayBoot(choice, name) ? 'good' : 'bad';
  const write = (isGood: boolean, order = choice.order) =>
    writeBootChoice(grubenv, { ...choice, order, slots: { ...choice.slots, [name]: { isGood, tries: 0 } } });
  if (asks('set-primary', 2)) await write(true, [name, otherSlot(name)]);
  else if (asks('set-state', 3) && (state === 'good' || state === 'bad')) await write(state === 'good');
  else throw unknownWords(words);
  return '';
}

/** The slot that the boot loader takes next. */
function primaryOf(choice: BootChoice): Slot {
  return choice.order.find((slot) => mayBoot(choice, slot)) ?? choice.order[0];
}

function unknownWords(words: readonly string[]): Error {
  return new Error(`RAUC asks for something else: ${words.join(' ')}`);
}
