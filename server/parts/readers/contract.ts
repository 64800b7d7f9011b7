import { z } from 'zod';

/** The longest text of a scan in an event, in characters. */
export const MAX_SCAN = 1_024;

/** A reader has read a card or a code. */
export const scanEvent = z.strictObject({
  name: z.string().min(1).max(64).describe('the reader, as in the board profile'),
  text: z.string().min(1).max(MAX_SCAN).describe('what it typed, without its Enter; a longer one is cut'),
});
export type ScanEvent = z.infer<typeof scanEvent>;

/** Its events. */
export const readersEvents = {
  scan: scanEvent,
};
/** Their use on a broker. */
export const readersBroker = {
  scan: 'event',
} as const;
