import { z } from 'zod';

/** A button beside the glass went down or up. */
export const buttonEvent = z.strictObject({
  name: z.string().min(1).max(64).describe('as in the board profile; else the number of its key'),
  state: z.enum(['down', 'up']),
});
export type ButtonEvent = z.infer<typeof buttonEvent>;

/** Its events. */
export const buttonsEvents = {
  button: buttonEvent,
};
/** Their use on a broker. */
export const buttonsBroker = {
  button: 'event',
} as const;
