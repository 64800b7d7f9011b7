import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import type { QuietMoment } from './quietMoment.ts';

const EVERY_MS = 60_000;
/** Beyond this share of the limit the restart does not wait for a quiet moment. */
const URGENT = 1.5;
/**
 * Shortest time between two restarts, in milliseconds: a page that simply needs this much must not be restarted all the
 * time.
 */
const QUIET_EVERY_MS = 6 * 60 * 60_000;
const URGENT_EVERY_MS = 10 * 60_000;
const MIB = 1024 * 1024;

interface MemoryWatch {
  /** Memory of the browser with all its helpers, in bytes; undefined while there is none. */
  used(): Promise<number | undefined>;
  /** The browser uses too much memory. */
  onExceeded(): void;
}

interface MemoryCeilingOptions {
  readonly clock: Clock;
  /** In MiB; 0 = no limit. Read every minute. */
  readonly limit: () => number;
  readonly quiet: QuietMoment;
  readonly watch: MemoryWatch;
  readonly log: Logger;
}

/**
 * Notices when the browser uses more memory than it may. It acts at the next quiet moment, and at once beyond 150 % of
 * the limit, before the kernel has to choose a process to kill.
 */
export class MemoryCeiling {
  readonly #options: MemoryCeilingOptions;
  #cancel: (() => void) | undefined;
  #actedAt = Number.NEGATIVE_INFINITY;
  #isOver = false;

  constructor(options: MemoryCeilingOptions) {
    this.#options = options;
  }

  start(): void {
    this.#cancel = this.#options.clock.after(EVERY_MS, async () => {
      await this.#look();
      if (this.#cancel !== undefined) this.start();
    });
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#isOver = false;
  }

  async #look(): Promise<void> {
    const { limit, quiet, watch, log, clock } = this.#options;
    const most = limit() * MIB;
    const used = most === 0 ? undefined : await watch.used().catch(() => undefined);
    if (this.#cancel === undefined || used === undefined) return;
    const wasOver = this.#isOver;
    this.#isOver = used > most;
    if (!this.#isOver) return;
    const sizes = { usedMiB: Math.round(used / MIB), limitMiB: limit() };
    if (!wasOver) log.warn(sizes, 'the browser uses more memory than kiosk.memoryLimit');
    const since = clock.now() - this.#actedAt;
    const isUrgent = used > most * URGENT;
    if (since < (isUrgent ? URGENT_EVERY_MS : QUIET_EVERY_MS)) return;
    if (!isUrgent && !(await quiet.isNow())) return;
    if (this.#cancel === undefined) return;
    this.#actedAt = clock.now();
    this.#isOver = false;
    log.warn(sizes, 'the browser is restarted because of its memory');
    watch.onExceeded();
  }
}
