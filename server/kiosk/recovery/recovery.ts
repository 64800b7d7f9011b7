import { totalmem } from 'node:os';
import type { Settings } from '../../config/settings.ts';
import { Backoff, type BackoffSteps } from '../../platform/async.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import type { RecoveryCause, RecoverySettings } from '../host.ts';

/** Time limits of the host, in milliseconds. */
export interface RecoveryLimits {
  /**
   * How often the page is asked for a sign of life, and how long it may take to give one while it has the CPU. Together
   * they stay below the 10 s in which a script that never ends must be ended.
   */
  readonly heartbeatEveryMs: number;
  readonly heartbeatLimitMs: number;
  /** How long a person can read that there is no such page, before the home page is shown. */
  readonly refusedMs: number;
  /** Delays before the page is brought back, by cause. */
  readonly backoff: Readonly<Record<RecoveryCause, BackoffSteps>>;
}

const PEACE_MS = 30_000;

export const defaultLimits: RecoveryLimits = {
  heartbeatEveryMs: 1_000,
  heartbeatLimitMs: 7_500,
  refusedMs: 5_000,
  backoff: {
    'browser-exit': { firstMs: 500, maxMs: 30_000, peaceMs: PEACE_MS },
    'renderer-crash': { firstMs: 300, maxMs: 30_000, peaceMs: PEACE_MS },
    'frame-crash': { firstMs: 300, maxMs: 30_000, peaceMs: PEACE_MS },
    'dead-page': { firstMs: 0, maxMs: 0, peaceMs: 0 },
    'hung-page': { firstMs: 300, maxMs: 30_000, peaceMs: PEACE_MS },
    'window-closed': { firstMs: 0, maxMs: 0, peaceMs: 0 },
    // Back at the home address within 10 s, whatever the page does at its start.
    'stray-page': { firstMs: 500, maxMs: 5_000, peaceMs: PEACE_MS },
    'page-unreachable': { firstMs: 500, maxMs: 15_000, peaceMs: PEACE_MS },
    memory: { firstMs: 0, maxMs: 0, peaceMs: 0 },
    replaced: { firstMs: 0, maxMs: 0, peaceMs: 0 },
  },
};

/** Counts what happened to the page, and brings it back after a growing delay: one attempt at a time. */
export class Recovery {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #backoff: Map<string, Backoff>;
  readonly #counts: Partial<Record<RecoveryCause, number>> = {};
  readonly #onScheduled: (cause: RecoveryCause) => void;
  #cancel: (() => void) | undefined;

  /** @param onScheduled the page is gone, and an attempt to bring it back is made soon */
  constructor(
    limits: RecoveryLimits,
    clock: Clock,
    log: Logger,
    onScheduled: (cause: RecoveryCause) => void = () => {},
  ) {
    this.#onScheduled = onScheduled;
    this.#clock = clock;
    this.#log = log;
    this.#backoff = new Map(
      Object.entries(limits.backoff).map(([cause, steps]) => [cause, new Backoff(clock, steps)]),
    );
  }

  /** How often each cause occurred. */
  get counts(): Readonly<Partial<Record<RecoveryCause, number>>> {
    return { ...this.#counts };
  }

  /** Whether an attempt waits for its delay to end. */
  get waiting(): boolean {
    return this.#cancel !== undefined;
  }

  /** Records what happened. */
  count(cause: RecoveryCause): void {
    this.#counts[cause] = (this.#counts[cause] ?? 0) + 1;
  }

  /** Runs the attempt after the delay of its cause, or this one; it replaces an attempt that is waiting. */
  schedule(cause: RecoveryCause, attempt: () => void, delayMs?: number): void {
    this.cancel();
    const delay = delayMs ?? this.#backoff.get(cause)?.next() ?? 0;
    this.#log.warn({ cause, delay }, 'kiosk: recovering the page');
    this.#onScheduled(cause);
    this.#cancel = this.#clock.after(delay, () => {
      this.#cancel = undefined;
      attempt();
    });
  }

  /** Drops the attempt that is waiting. */
  cancel(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}

/** Share of the panel's memory that the browser may use when the settings name no limit. */
const SHARE = 0.6;
const MIB = 1024 * 1024;

/** What the current settings say about recovery. */
export function recoverySettingsOf(
  settings: () => Settings,
  panel: RecoverySettings['panel'],
  isInCall: () => Promise<boolean>,
  memoryBytes: number = totalmem(),
): RecoverySettings {
  return {
    deadPageCheck: () => settings()['kiosk.deadPageCheck'],
    memoryLimit: () => {
      const limit = settings()['kiosk.memoryLimit'];
      return limit === 'auto' ? Math.floor((memoryBytes * SHARE) / MIB) : limit;
    },
    quietHour: () => settings()['kiosk.quietHour'],
    isInCall,
    panel,
  };
}
