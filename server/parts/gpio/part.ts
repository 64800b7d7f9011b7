import { definePart } from '../part.ts';
import { gpioCommands } from './contract.ts';
import { outputRulesOf, pinsOf } from './profile.ts';
import { GpioService } from './service.ts';

/** Pins and relays. It starts before all else: what an earlier run left on is switched off. */
export const gpio = definePart(
  'gpio',
  ({ drivers, board, dataDir, events, log }) =>
    new GpioService({
      driver: drivers.gpio,
      pins: board.gpio && pinsOf(board.gpio),
      rules: board.gpio && outputRulesOf(board.gpio),
      dataDir,
      events,
      log,
    }),
)
  .answering(gpioCommands)
  .reporting({ snapshot: (service) => ({ gpio: service.snapshot() }) })
  .showing(async (service) => ({
    pins: service.part().state === 'absent' ? [] : (await service.list()).pins,
  }));
