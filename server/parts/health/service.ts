import type { ResultOf } from '../../contract/commands.ts';
import type { PageState } from '../../kiosk/contract.ts';
import type { Clock } from '../../platform/clock.ts';
import type { EventBus } from '../../platform/eventBus.ts';
import type { Logger } from '../../platform/log.ts';
import type { HealthState } from './contract.ts';

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

/** How the panel is: measured when somebody asks, and announced every 30 s. */
export class HealthService {
  readonly #options: HealthOptions;
  readonly #startedAt: number;
  #measuring: Promise<HealthState> | undefined;
  #cancel: (() => void) | undefined;
  #hasTemperature: Promise<boolean> | undefined;
  #diskProblem: string | null = null;

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
    const [facts, browser] = await Promise.all([
      driver.read(),
      browserMemory().catch((error: unknown) => {
        log.warn({ err: error }, 'health: could not read the memory use of the browser');
        return 0;
      }),
    ]);
    this.#tellOfDisk(facts.disk.problem);
    return {
      ...facts,
      serviceUptime: Math.floor((clock.now() - this.#startedAt) / 1_000),
      memory: { ...facts.memory, service: process.memoryUsage.rss(), browser },
      undone: undone(),
      page: page(),
    };
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
      if (this.#cancel !== undefined) events.emit('health', state);
    } catch (error) {
      log.warn({ err: error }, 'health: could not measure');
    }
    if (this.#cancel !== undefined) await this.start();
  }
}
