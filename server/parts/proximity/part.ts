import type { IdleService } from '../idle/service.ts';
import { type Core, definePart } from '../part.ts';
import { ProximityService } from './service.ts';

/** Whether somebody is near. */
export const proximity = definePart(
  'proximity',
  ({ drivers, idle, clock, log }: Core & { readonly idle: IdleService }) =>
    new ProximityService({ driver: drivers.proximity, activity: () => idle.activity(), clock, log }),
);
