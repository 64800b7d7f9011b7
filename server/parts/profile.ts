import { z } from 'zod';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/log.ts';
import type { DeviceIo, EventIo } from '../platform/native/deviceIo.ts';
import type { DesktopAppsOptions } from './apps/desktop/desktop.ts';

/** What drivers are made with. */
export interface DriverNeeds {
  readonly deviceIo: DeviceIo;
  readonly eventIo: EventIo;
  readonly clock: Clock;
  readonly log: Logger;
  /** For the programs of the desktop: whose packages, and where package files may be. */
  readonly desktop: Omit<DesktopAppsOptions, 'log'>;
}

/** A row of a board profile, or several; undefined when the profile leaves the part out. */
type Row = { readonly driver: string } | readonly { readonly driver: string }[] | undefined;

/** What a part is in a board profile: `server/parts/<part>/profile.ts` exports one as `<part>Profile`. */
export interface PartProfile<Schema extends z.ZodType<Row> = z.ZodType<Row>, Driver = unknown> {
  readonly row: Schema;
  /** A profile that leaves the part out takes the system's; every other part is absent then. */
  readonly isOfSystem?: boolean;
  /** Makes the driver that the row names, and opens nothing yet. null or an empty list: the board has no such part. */
  driver(row: z.output<Schema>, needs: DriverNeeds): Driver;
}

/** Returns the profile as it is, with the types of its row and its driver. */
export function defineProfile<Schema extends z.ZodType<Row>, Driver>(
  profile: PartProfile<Schema, Driver>,
): PartProfile<Schema, Driver> {
  return profile;
}

/** An absolute path of a device node or of a folder below /sys. */
export const devicePath = z.string().regex(/^\/[^\0]*$/, 'must be an absolute path');

/** The row of a simulated part, which needs no more than its driver. */
export const simulatedRow = z.strictObject({ driver: z.literal('simulated') });
