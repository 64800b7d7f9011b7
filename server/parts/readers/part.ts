import type { IdleService } from '../idle/service.ts';
import { type Core, definePart } from '../part.ts';
import { ReadersService } from './service.ts';

/** Readers of cards and codes. */
export const readers = definePart(
  'readers',
  ({ drivers, idle, clock, events, log }: Core & { readonly idle: IdleService }) =>
    new ReadersService({ readers: drivers.readers, activity: () => idle.activity(), clock, events, log }),
)
  .reporting({ info: (service) => service.parts() })
  .showing((service) => ({ readers: service.names }));
