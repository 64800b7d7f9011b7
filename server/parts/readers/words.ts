import type { WordsFor } from '../../contract/device.ts';

/** How the part is called. */
export const readersWords = {
  part_reader: ['Reader', 'Leser', 'Lector'],
} satisfies WordsFor;
