import { definePart } from '../part.ts';
import { displayDrivers } from './displayDrivers.ts';
import { DisplayService } from './service.ts';

/** Light, volume, zoom and rotation of the screen. Its commands are answered by `idle`, which owns the light. */
export const display = definePart(
  'display',
  ({ board, session, kiosk, dataDir, events, log }) =>
    new DisplayService({ ...displayDrivers(board.name, session.sway), window: kiosk, dataDir, events, log }),
).telling({ snapshot: (service) => ({ display: service.snapshot() }) });
