import type { AccessService } from '../access/service.ts';
import type { IdleService } from '../idle/service.ts';
import type { JournalService } from '../journal/service.ts';
import { type Core, definePart } from '../part.ts';
import { ApprovalService } from './service.ts';

interface Needs {
  readonly access: AccessService;
  readonly idle: IdleService;
  readonly journal: JournalService;
}

/** Asks a person at the panel about calls from outside. */
export const approval = definePart(
  'approval',
  ({ settings, access, idle, journal, kiosk, glass, holders, clock, log }: Core & Needs) => {
    const service = new ApprovalService({
      commands: () => settings()['approval.commands'],
      language: () => settings()['device.language'],
      madeAt: (id) => access.madeAt(id),
      screen: {
        isThere: () => kiosk.hasScreen(),
        show: (question) => glass.set('approval', question),
        onEvent: (listener) => glass.onEvent(listener),
        hold: () => idle.hold(),
      },
      journal: {
        readable: (command, params) => journal.readable(command, params),
        note: (answered) => journal.noteFact('approval', answered),
      },
      clock,
      log,
    });
    holders.onEnded((holder) => service.endOf(holder));
    return service;
  },
);
