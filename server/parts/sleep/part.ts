import type { IdleService } from '../idle/service.ts';
import { type Core, definePart } from '../part.ts';
import type { PowerService } from '../power/service.ts';
import { rtcCommands } from './contract.ts';
import { SleepService } from './service.ts';

interface Needs {
  readonly idle: IdleService;
  readonly power: PowerService;
}

/** The sleep schedule, and the clock that wakes the panel. */
export const rtc = definePart('rtc', ({ drivers, dataDir, idle, power, events, log }: Core & Needs) => {
  const { state } = power;
  const service = new SleepService({
    driver: drivers.rtc,
    dataDir,
    display: idle,
    power,
    state,
    events,
    log,
  });
  idle.onActivity(() => service.touched());
  return service;
})
  .answering(rtcCommands)
  .reporting({ snapshot: (service) => ({ rtc: service.snapshot() }) });
