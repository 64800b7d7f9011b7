import type { WordsFor } from '../../contract/device.ts';

/** How the part is called. */
export const powerWords = {
  part_power: ['Power', 'Ein und aus', 'Encendido'],
} satisfies WordsFor;
