import { z } from 'zod';

/** Whether the panel is awake. Its commands are those of the system (`system.reboot`), its schedule that of `rtc`. */
export const powerState = z.strictObject({ state: z.enum(['awake', 'asleep', 'rebooting']) });

/** Its events. */
export const powerEvents = {
  power: powerState,
};
/** Their use on a broker. */
export const powerBroker = {
  power: 'state',
} as const;
/** The states that a new listener gets first. */
export const powerSnapshot = {
  power: powerState,
};
