import type { ButtonsService } from '../buttons/service.ts';
import { type Core, definePart } from '../part.ts';
import { joinsCommands } from './contract.ts';
import { JoinsService } from './service.ts';

/** The joins of the project that is shown. */
export const joins = definePart(
  'joins',
  ({ version, kiosk, buttons, events, clock, log }: Core & { readonly buttons: ButtonsService }) =>
    new JoinsService({
      version,
      buttons: () => buttons.names,
      give: (id) => kiosk.addresses.giveJoins(id),
      originOf: (id) => kiosk.addresses.originOf(id),
      isShown: (origin) => kiosk.hostKind !== 'none' && new URL(kiosk.addresses.current).origin === origin,
      events,
      clock,
      log,
    }),
).answering(joinsCommands);
