import { displayCommands } from '../display/contract.ts';
import type { DisplayService } from '../display/service.ts';
import { type Core, definePart } from '../part.ts';
import { IdleService } from './service.ts';

/** What the screen does while the panel is idle; the one owner of its light. */
export const idle = definePart(
  'idle',
  ({ settings, store, display, saver, kiosk, events, log }: Core & { readonly display: DisplayService }) => {
    const service = new IdleService({
      settings: () => {
        const now = settings();
        return {
          dimAfter: now['idle.dimAfter'],
          dimTo: now['idle.dimTo'],
          saverAfter: now['idle.saverAfter'],
          saver: now['idle.saver'],
          offAfter: now['idle.offAfter'],
          homeAfter: now['idle.homeAfter'],
          clearAtHome: now['idle.clearAtHome'],
          wakePins: now['idle.wakePins'],
        };
      },
      screen: display,
      saver,
      page: kiosk,
      events,
      log,
    });
    store.onLive((changed) => {
      if (changed.some((key) => key.startsWith('idle.'))) service.follow();
    });
    return service;
  },
).answering(displayCommands, (service, { display }) => ({
  'display.state': () => display.state(),
  'display.set': (params, context) => display.set(params, context, (on) => service.switchTo(on)),
  'display.activity': async () => {
    await service.wakeUp();
    return display.state();
  },
}));
