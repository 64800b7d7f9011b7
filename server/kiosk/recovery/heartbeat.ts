import { GrowingLimit } from '../../platform/async.ts';
import type { Clock } from '../../platform/clock.ts';
import type { RecoveryCause } from '../host.ts';
import type { Recovery, RecoveryLimits } from './recovery.ts';

/** Milliseconds of CPU that processes have used so far, by process id. */
export type CpuTimes = ReadonlyMap<number, number>;

/** A page that can be asked for a sign of life. */
export interface Patient {
  /** Resolves when the page's thread answers, or when its host knows why it cannot. Never rejects. */
  answer(): Promise<void>;
  /** CPU time of the processes of which one runs the page's thread; undefined when it cannot be read. Never rejects. */
  cpu(): Promise<CpuTimes | undefined>;
}

interface HeartbeatWatch<P extends Patient> {
  /** The page to ask, or undefined while there is none that should answer. */
  patient(): P | undefined;
  /** The page did not answer in time. */
  onHung(page: P): void;
}

/** When a page has not answered for this long, in milliseconds, the host itself cannot bring it back. */
const BEYOND_RECOVERY_MS = 10 * 60_000;
/** Pause between two looks at a page that owes an answer, in milliseconds. */
const LOOK_MS = 500;
/**
 * A page that owes an answer and uses no CPU hangs as well, but only after this many times the limit: it may just get
 * no CPU.
 */
const IDLE_FACTOR = 8;

/**
 * Asks the page again and again for a sign of life: nothing else reveals a script that never ends. Time alone does not
 * distinguish it from a busy machine. So a page counts as hung when it does not answer in time and used CPU for at
 * least half of that time.
 */
export class Heartbeat<P extends Patient> {
  readonly #limits: RecoveryLimits;
  readonly #clock: Clock;
  /** A slow page that is ended while it loads would never come up. */
  readonly #patience: GrowingLimit;
  readonly #watch: HeartbeatWatch<P>;
  /** The state of one run between `start` and `stop`; each start makes a new one. */
  #run: object | undefined;
  #cancel: (() => void) | undefined;
  #answeredAt: number;

  constructor(limits: RecoveryLimits, clock: Clock, watch: HeartbeatWatch<P>) {
    this.#limits = limits;
    this.#clock = clock;
    this.#patience = new GrowingLimit(limits.heartbeatLimitMs);
    this.#watch = watch;
    this.#answeredAt = clock.now();
  }

  /** Whether a page has answered within the last ten minutes, or may still answer for the first time. */
  get isWell(): boolean {
    return this.#run === undefined || this.#clock.now() - this.#answeredAt < BEYOND_RECOVERY_MS;
  }

  /** Does nothing while it runs. */
  start(): void {
    if (this.#run !== undefined) return;
    this.#run = {};
    this.#answeredAt = this.#clock.now();
    void this.#askOn(this.#run);
  }

  stop(): void {
    this.#run = undefined;
    this.#cancel?.();
    this.#cancel = undefined;
  }

  async #askOn(run: object): Promise<void> {
    while (this.#run === run) {
      await this.#wait(this.#limits.heartbeatEveryMs);
      const page = this.#run === run ? this.#watch.patient() : undefined;
      if (page !== undefined)
        await this.#ask(page, () => this.#run === run && this.#watch.patient() === page);
    }
  }

  /** @param isAsked false once the page was closed or crashed meanwhile, which is handled elsewhere */
  async #ask(page: P, isAsked: () => boolean): Promise<void> {
    let isAnswered = false;
    const answer = page.answer().then(() => {
      isAnswered = true;
    });
    const limitMs = this.#patience.ms;
    const askedAt = this.#clock.now();
    let before: CpuTimes | undefined;
    for (let silentMs = 0; isAsked(); ) {
      const begun = this.#clock.now();
      await this.#wait(LOOK_MS, answer);
      // While our own process stood still the page could not answer us: that time does not count.
      silentMs += Math.min(this.#clock.now() - begun, 2 * LOOK_MS);
      // This also reads what arrived while we stood still.
      const now = isAnswered || !isAsked() ? undefined : await page.cpu();
      if (isAnswered) break;
      before ??= now;
      if (!isAsked() || silentMs < limitMs) continue;
      if (mayBeStarved(silentMs, limitMs, before, now)) continue;
      this.#patience.missed();
      this.#watch.onHung(page);
      return;
    }
    if (!isAnswered) return;
    this.#answeredAt = this.#clock.now();
    this.#patience.met(this.#answeredAt - askedAt);
  }

  /** Resolves after `ms`, or with `sooner`; never when `stop` comes first. */
  async #wait(ms: number, sooner?: Promise<void>): Promise<void> {
    let cancel = () => {};
    const time = new Promise<void>((resolve) => {
      cancel = this.#clock.after(ms, resolve);
    });
    this.#cancel = cancel;
    await (sooner === undefined ? time : Promise.race([time, sooner]));
    cancel();
  }
}

/** Whether a silent page may only lack CPU time, on a machine that is busy with something else. */
function mayBeStarved(
  silentMs: number,
  limitMs: number,
  before: CpuTimes | undefined,
  now: CpuTimes | undefined,
): boolean {
  if (before === undefined || now === undefined || silentMs >= IDLE_FACTOR * limitMs) return false;
  return mostUsed(before, now) < limitMs / 2;
}

/** The most CPU that one process used between two looks, in milliseconds. */
function mostUsed(before: CpuTimes, now: CpuTimes): number {
  return Math.max(0, ...[...now].map(([pid, ms]) => ms - (before.get(pid) ?? ms)));
}

interface HungPageOptions {
  readonly recovery: Recovery;
  readonly limits: RecoveryLimits;
  readonly clock: Clock;
  readonly goHome: () => Promise<void>;
}

/** Ends the renderer of a hung page, and keeps that end apart from a crash: it is one fault, not two. */
export class HungPage {
  readonly #options: HungPageOptions;
  #isKilled = false;

  constructor(options: HungPageOptions) {
    this.#options = options;
  }

  /** @param onStuck called when the end of the renderer is not reported in time */
  end(page: { crash(): void }, onStuck: () => void): void {
    if (this.#isKilled) return;
    const { recovery, limits, clock } = this.#options;
    this.#isKilled = true;
    recovery.count('hung-page');
    page.crash();
    clock.after(limits.heartbeatLimitMs, () => {
      if (this.#isKilled) onStuck();
    });
  }

  /**
   * Something closed the page: counts it, unless it is the end of a hung page, and brings the page back after its
   * delay.
   */
  bringBack(trouble: RecoveryCause): void {
    const { recovery, goHome } = this.#options;
    const isHungEnd = trouble === 'renderer-crash' && this.#isKilled;
    if (!isHungEnd) recovery.count(trouble);
    this.#isKilled = false;
    recovery.schedule(isHungEnd ? 'hung-page' : trouble, () => void goHome());
  }

  /** The window or browser of the page is gone. */
  forget(): void {
    this.#isKilled = false;
  }
}
