import type { IdleService } from '../idle/service.ts';
import { definePart, type House } from '../part.ts';
import { ButtonsService } from './service.ts';

/** Buttons beside the glass. */
export const buttons = definePart(
  'buttons',
  ({ drivers, idle, clock, events, log }: House & { readonly idle: IdleService }) =>
    new ButtonsService({ driver: drivers.buttons, activity: () => idle.activity(), clock, events, log }),
).showing((service) => ({ buttons: service.names }));
