import type { EventName } from '../../contract/events.ts';
import { EventBus } from '../../platform/eventBus.ts';
import { silentLogger } from '../../platform/log.ts';
import { FakeWallClock } from '../../testing/fakeClock.ts';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { PowerState } from '../powerState.ts';
import type { RtcDriver } from '../sleep/driver.ts';
import type { Schedule } from '../sleep/scheduleKeeper.ts';
import { SleepService } from '../sleep/service.ts';

const log = silentLogger();

process.env.TZ = 'Europe/Berlin';

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const ASLEEP = { state: 'asleep' };
export const AWAKE = { state: 'awake' };
/** The edges of the schedule 07:00 to 22:00, every day, in Berlin; NOON is on a Wednesday. */
export const NOON = '2026-07-01T12:00:00+02:00';
export const OFF = '2026-07-01T22:00:00+02:00';
export const NIGHT = '2026-07-01T23:00:00+02:00';
export const ON = '2026-07-02T07:00:00+02:00';

export const context = { signal: new AbortController().signal };

/** A panel for tests of its sleep, on a clock that the test moves. */
export class TestPanel {
  readonly clock: FakeWallClock;
  readonly rtc: TestRtc;
  readonly events: { readonly name: EventName; readonly payload: unknown }[] = [];
  /** The calls of the display and of the system, in order. */
  readonly calls: string[] = [];
  readonly dataDir: string;
  readonly #bus = new EventBus(log);
  readonly #services: SleepService[] = [];
  canSuspend = false;
  suspendFails: Error | undefined;
  /** What the display does instead of answering. */
  displayFault: (() => Promise<void>) | undefined;

  private constructor(start: string, dataDir: string) {
    this.dataDir = dataDir;
    this.clock = new FakeWallClock(start);
    this.rtc = new TestRtc(this.clock);
    this.#bus.onAny((name, payload) => this.events.push({ name, payload }));
  }

  /** @param now ISO 8601 */
  static async at(now: string): Promise<TestPanel> {
    return new TestPanel(now, temporaryFolder('rtc'));
  }

  /** The service of this panel; every call makes another one on the same data. */
  service(driver: RtcDriver | null = this.rtc): SleepService {
    const service = new SleepService({
      driver,
      dataDir: this.dataDir,
      display: {
        sleep: () => this.#show('dark'),
        wake: () => this.#show('bright'),
      },
      power: {
        canSuspend: async () => this.canSuspend,
        suspend: async () => {
          if (this.suspendFails) throw this.suspendFails;
          this.calls.push('suspend');
        },
      },
      state: new PowerState(this.#bus),
      events: this.#bus,
      log,
      clock: this.clock,
    });
    this.#services.push(service);
    return service;
  }

  /** A service that has been started and has this schedule. */
  async running(plan: Partial<Schedule> = {}): Promise<SleepService> {
    const service = this.service();
    await service.start();
    await service.setAlarm(alarm(plan), context);
    this.forget();
    return service;
  }

  /** The machine is suspended for a while: the time of day goes on, the steady clock and its timers stop. */
  async suspended(milliseconds: number): Promise<void> {
    this.clock.jump(milliseconds);
    await this.clock.advance(1_000);
  }

  powerEvents(): unknown[] {
    return this.events.filter(({ name }) => name === 'power').map(({ payload }) => payload);
  }

  forget(): void {
    this.events.length = 0;
    this.calls.length = 0;
  }

  async close(): Promise<void> {
    for (const service of this.#services) await service.stop();
  }

  async #show(what: string): Promise<void> {
    this.calls.push(what);
    await this.displayFault?.();
  }
}

/** A real-time clock that counts as a real one, and fails on demand. */
class TestRtc implements RtcDriver {
  readonly name = 'test';
  readonly path = '/test/rtc0';
  readonly simulated: boolean;
  readonly #clock: FakeWallClock;
  /** Milliseconds since 1970; null when none is armed. */
  alarm: number | null = null;
  arms = 0;
  missing: Error | undefined;
  fails: Error | undefined;
  failsToArm: Error | undefined;

  constructor(clock: FakeWallClock, simulated = false) {
    this.#clock = clock;
    this.simulated = simulated;
  }

  async start(): Promise<void> {
    if (this.missing) throw this.missing;
  }

  async stop(): Promise<void> {}

  async arm(seconds: number): Promise<void> {
    if (this.fails) throw this.fails;
    this.alarm = null;
    if (this.failsToArm) throw this.failsToArm;
    this.arms++;
    this.alarm = this.#clock.wall() + seconds * 1000;
  }

  async disarm(): Promise<void> {
    if (this.fails) throw this.fails;
    this.alarm = null;
  }

  async remaining(): Promise<number | null> {
    if (this.fails) throw this.fails;
    if (this.alarm === null) return null;
    const seconds = Math.round((this.alarm - this.#clock.wall()) / 1000);
    return seconds > 0 ? seconds : null;
  }
}

/** 07:00 to 22:00 every day, except for the given fields. */
export function alarm(plan: Partial<Schedule> = {}): Schedule & { onDays: number[] } {
  const { onDays = [], ...rest } = plan;
  return { enabled: true, onTime: '07:00', offTime: '22:00', ...rest, onDays: [...onDays] };
}
