import { z } from 'zod';

/** Whether the panel is awake. Its commands are those of the system (`system.reboot`), its schedule that of `rtc`. */
export const powerState = z.strictObject({ state: z.enum(['awake', 'asleep', 'rebooting']) });

/** What is announced of it. */
export const powerEvents = {
  power: powerState,
};
/** What becomes of it on a broker. */
export const powerBroker = {
  power: 'state',
} as const;
/** What a new listener is told first. */
export const powerSnapshot = {
  power: powerState,
};
