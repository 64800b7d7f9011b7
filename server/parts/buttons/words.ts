import type { WordsFor } from '../../contract/device.ts';

/** How the part is called. */
export const buttonsWords = {
  part_buttons: ['Buttons beside the glass', 'Tasten neben dem Glas', 'Botones junto al cristal'],
} satisfies WordsFor;
