import type { WordsFor } from '../../contract/device.ts';

/** How the part is called. */
export const proximityWords = {
  part_proximity: ['Proximity sensor', 'Näherungssensor', 'Sensor de proximidad'],
} satisfies WordsFor;
