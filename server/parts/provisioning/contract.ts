import { z } from 'zod';
import { networkCommands } from '../network/contract.ts';
import { timeCommands } from '../time/contract.ts';

/** The file on the boot partition that sets a panel up, and how long it may be, in bytes. */
export const PROVISIONING_FILE = 'faceplate.json';
export const PROVISIONING_BYTES = 64 * 1024;

/** A name of a machine: one label of DNS (RFC 1123, section 2.1). */
export const machineName = z
  .string()
  .regex(
    /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/,
    'must be 1 to 63 letters, digits and hyphens, such as panel-kitchen',
  );

/** What `faceplate.json` may say; its settings are judged as those of settings.json. */
export const provisioning = z.strictObject({
  settings: z.record(z.string(), z.unknown()).optional(),
  reset: z.boolean().optional(),
  wifi: networkCommands['network.join'].params.optional(),
  project: z
    .string()
    .max(128)
    .regex(/^[^/\\:*?"<>|\p{Cc}.][^/\\:*?"<>|\p{Cc}]*$/u, 'must be the name of a file beside faceplate.json')
    .optional(),
  hostname: machineName.optional(),
  timeZone: timeCommands['time.change'].params.shape.timeZone
    .unwrap()
    .refine(isTimeZone, 'is no time zone that this panel knows')
    .optional(),
});
export type Provisioning = z.infer<typeof provisioning>;

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
