import type { IdleService } from '../idle/service.ts';
import { type Core, definePart } from '../part.ts';
import { ButtonsService } from './service.ts';

/** Buttons beside the glass. */
export const buttons = definePart(
  'buttons',
  ({ drivers, idle, clock, events, log }: Core & { readonly idle: IdleService }) =>
    new ButtonsService({ driver: drivers.buttons, activity: () => idle.activity(), clock, events, log }),
).showing((service) => ({ buttons: service.names }));
