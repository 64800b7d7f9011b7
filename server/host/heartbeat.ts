import type { Clock } from './clock.ts';
import type { RecoveryLimits } from './recovery.ts';

/** A page that can be asked for a sign of life. */
export interface Patient {
  /** @returns whether the page's thread answers within `ms`. */
  answersWithin(ms: number): Promise<boolean>;
}

interface HeartbeatWatch<P extends Patient> {
  /** The page to ask, or undefined while there is none that should answer. */
  patient(): P | undefined;
  /** The page did not answer in time. */
  onHung(page: P): void;
}

/** A page that has not answered for so long, in milliseconds, is beyond what the host itself can bring back. */
const BEYOND_RECOVERY_MS = 10 * 60_000;

/** Asks the page again and again for a sign of life: a script that never ends shows in nothing else. */
export class Heartbeat<P extends Patient> {
  readonly #limits: RecoveryLimits;
  readonly #clock: Clock;
  readonly #watch: HeartbeatWatch<P>;
  #cancel: (() => void) | undefined;
  #answeredAt: number;

  constructor(limits: RecoveryLimits, clock: Clock, watch: HeartbeatWatch<P>) {
    this.#limits = limits;
    this.#clock = clock;
    this.#watch = watch;
    this.#answeredAt = clock.now();
  }

  /** Whether a page has answered within the last ten minutes, or might still do so for the first time. */
  get isWell(): boolean {
    return this.#cancel === undefined || this.#clock.now() - this.#answeredAt < BEYOND_RECOVERY_MS;
  }

  /** Does nothing while it runs. */
  start(): void {
    if (this.#cancel !== undefined) return;
    this.#answeredAt = this.#clock.now();
    this.#askLater();
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #askLater(): void {
    // One that was stopped and started again while it asked has another time running.
    this.#cancel?.();
    this.#cancel = this.#clock.after(this.#limits.heartbeatEveryMs, async () => {
      await this.#ask();
      if (this.#cancel !== undefined) this.#askLater();
    });
  }

  async #ask(): Promise<void> {
    const page = this.#watch.patient();
    if (page === undefined) return;
    if (await page.answersWithin(this.#limits.heartbeatLimitMs)) {
      this.#answeredAt = this.#clock.now();
      return;
    }
    // In the meantime it may have been closed or crashed, which is answered elsewhere.
    if (this.#cancel !== undefined && this.#watch.patient() === page) this.#watch.onHung(page);
  }
}
