import type { ResultOf } from '../../contract/commands.ts';
import type { PageState } from '../../kiosk/contract.ts';
import { withTimeout } from '../../platform/async.ts';
import type { Clock } from '../../platform/clock.ts';
import type { EventBus } from '../../platform/eventBus.ts';
import type { Logger } from '../../platform/log.ts';
import { type HealthPoint, type HealthState, HISTORY_EVERY_S, HISTORY_POINTS } from './contract.ts';

/** What the machine reports about itself. */
export type MachineFacts = Pick<HealthState, 'uptime' | 'load' | 'temperature' | 'disk' | 'network'> & {
  readonly memory: Pick<HealthState['memory'], 'total' | 'free'>;
};

/** Where the machine's facts come from. */
export interface HealthDriver {
  /** What cannot be read is null, 0 or left out: a missing sensor must not hide the rest. */
  read(): Promise<MachineFacts>;
}

/** Milliseconds between two events `health`. */
export const EVERY_MS = 30_000;
/** How long the browser's memory may take to be read, in milliseconds: on a busy machine it must not hide the rest. */
const BROWSER_MS = 2_000;

interface HealthOptions {
  readonly driver: HealthDriver;
  /** Memory of the browser with all its helpers, in bytes; 0 while there is none. */
  readonly browserMemory: () => Promise<number>;
  readonly page: () => PageState | null;
  /** Settings that are not followed now. */
  readonly undone: () => HealthState['undone'];
  readonly events: EventBus;
  readonly clock: Clock;
  readonly log: Logger;
}

/** A point of the history. `uptime` of the machine counts through a suspend, and whatever the clock is set to. */
type Point = Omit<HealthPoint, 'secondsAgo'> & { readonly uptime: number };

/** How the panel is: measured when somebody asks, and announced every 30 s; and how it was in the last day, in memory. */
export class HealthService {
  readonly #options: HealthOptions;
  readonly #startedAt: number;
  #measuring: Promise<HealthState> | undefined;
  #cancel: (() => void) | undefined;
  #hasTemperature: Promise<boolean> | undefined;
  #diskProblem: string | null = null;
  #browserMemory = 0;
  /** A reading that goes on; one that is late is not begun a second time. */
  #browserReading: Promise<number> | undefined;
  #history: readonly Point[] = [];

  constructor(options: HealthOptions) {
    this.#options = options;
    this.#startedAt = options.clock.now();
  }

  async start(): Promise<void> {
    this.#cancel = this.#options.clock.after(EVERY_MS, () => void this.#announce());
  }

  async stop(): Promise<void> {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  /** Callers who come while it is measured share the measurement. */
  state(): Promise<ResultOf<'health.state'>> {
    this.#measuring ??= this.#measure().finally(() => {
      this.#measuring = undefined;
    });
    return this.#measuring;
  }

  async history(): Promise<ResultOf<'health.history'>> {
    const { uptime } = await this.state();
    const points = this.#history.map(({ uptime: at, ...point }) => ({
      secondsAgo: Math.max(0, Math.round(uptime - at)),
      ...point,
    }));
    const oldest = HISTORY_EVERY_S * HISTORY_POINTS;
    return {
      everySeconds: HISTORY_EVERY_S,
      points: points.filter(({ secondsAgo }) => secondsAgo <= oldest),
    };
  }

  /** Whether the machine measures its temperature: that does not change while it runs. */
  hasTemperature(): Promise<boolean> {
    this.#hasTemperature ??= this.state().then(
      ({ temperature }) => temperature !== null,
      () => {
        this.#hasTemperature = undefined;
        return false;
      },
    );
    return this.#hasTemperature;
  }

  async #measure(): Promise<HealthState> {
    const { driver, browserMemory, page, undone, clock, log } = this.#options;
    this.#browserReading ??= browserMemory().finally(() => {
      this.#browserReading = undefined;
    });
    const [facts] = await Promise.all([
      driver.read(),
      withTimeout(clock, BROWSER_MS, this.#browserReading).then(
        (bytes) => {
          this.#browserMemory = bytes ?? this.#browserMemory;
        },
        (error: unknown) => {
          log.warn({ err: error }, 'health: could not read the memory use of the browser');
          this.#browserMemory = 0;
        },
      ),
    ]);
    this.#tellOfDisk(facts.disk.problem);
    return {
      ...facts,
      serviceUptime: Math.floor((clock.now() - this.#startedAt) / 1_000),
      memory: { ...facts.memory, service: process.memoryUsage.rss(), browser: this.#browserMemory },
      undone: undone(),
      page: page(),
    };
  }

  #remember({ uptime, load, temperature, memory }: HealthState): void {
    const last = this.#history.at(-1);
    // It is measured every 30 s, and a bit later each time.
    if (last !== undefined && uptime - last.uptime < HISTORY_EVERY_S - EVERY_MS / 2_000) return;
    const point = { uptime, load: load[0], temperature, memoryUsed: memory.total - memory.free };
    this.#history = [...this.#history, point].slice(-HISTORY_POINTS);
  }

  /** Once for each change: what cannot be written cannot say so itself. */
  #tellOfDisk(problem: string | null): void {
    if (problem === this.#diskProblem) return;
    this.#diskProblem = problem;
    if (problem === null) this.#options.log.info('health: the data folder can be written again');
    else
      this.#options.log.error(
        { reason: problem },
        'health: nothing is saved, the data folder takes no writes',
      );
  }

  async #announce(): Promise<void> {
    const { events, log } = this.#options;
    try {
      const state = await this.state();
      this.#remember(state);
      if (this.#cancel !== undefined) events.emit('health', state);
    } catch (error) {
      log.warn({ err: error }, 'health: could not measure');
    }
    if (this.#cancel !== undefined) await this.start();
  }
}
