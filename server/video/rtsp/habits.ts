import type { Clock } from '../../platform/clock.ts';

/** The keep-alive of a session: a request of this method, or receiver reports alone. */
export type KeepAlive = 'GET_PARAMETER' | 'OPTIONS' | 'none';

/** What earlier connections have taught about a camera. */
interface Habit {
  readonly skipsOptions: boolean;
  readonly keepAlive: KeepAlive | undefined;
  /** Time between two keep-alives where the usual one was too long, in milliseconds. */
  readonly periodMs: number | undefined;
  /** Whether a session has lived long with it. */
  readonly isProven: boolean;
}

/** A session that is over. */
interface SessionEnd {
  /** Whether the camera ended it, or stopped sending. */
  readonly isLost: boolean;
  readonly keepAlive: KeepAlive;
  /** Keep-alives that were sent. */
  readonly sent: number;
  readonly periodMs: number;
  readonly livedMs: number;
  /** The session time-out that the camera named, or the usual one. */
  readonly timeoutMs: number;
}

/** Many cameras name 60 s and end after 30 s. */
const LONGEST_PERIOD_MS = 25_000;
const UNAUTHORIZED = 401;
/** Cameras treat a client without RTCP as gone (RFC 3550 section 6.2). */
const REPORT_PERIOD_MS = 5_000;
/** Most remembered cameras; the least recently used one is dropped first. */
const MAX_CAMERAS = 64;
/** A session of this many time-outs does not depend on another keep-alive. */
const PROVEN_TIMEOUTS = 2.5;
const SHORTEST_PERIOD_MS = 2_000;
/** Session time-out of a camera that does not name one (RFC 2326 section 12.37). */
export const DEFAULT_SESSION_MS = 60_000;
const UNKNOWN: Habit = { skipsOptions: false, keepAlive: undefined, periodMs: undefined, isProven: false };
/** The order of the tries: after one that ends the session comes the next. */
const NEXT: Readonly<Record<KeepAlive, KeepAlive>> = {
  GET_PARAMETER: 'OPTIONS',
  OPTIONS: 'GET_PARAMETER',
  none: 'GET_PARAMETER',
};

/**
 * What the panel has learned about cameras, by host and port: some fail on a request that they list as known, others end
 * the session unless they get one that they do not list.
 */
export class CameraHabits {
  readonly #known = new Map<string, Habit>();
  /** The first kind that failed, for cameras that survive neither. */
  readonly #failed = new Map<string, KeepAlive>();

  of(camera: string): Habit {
    return this.#known.get(camera) ?? UNKNOWN;
  }

  /** The camera answers no OPTIONS: the next connection begins without. */
  skipOptions(camera: string): void {
    this.#set(camera, { skipsOptions: true });
  }

  /** Takes the end of a session, and chooses the keep-alive of the next one. */
  learn(camera: string, { isLost, keepAlive, sent, periodMs, livedMs, timeoutMs }: SessionEnd): void {
    if (livedMs >= Math.max(PROVEN_TIMEOUTS * timeoutMs, 3 * periodMs)) {
      this.#failed.delete(camera);
      this.#set(camera, { keepAlive, isProven: true });
      return;
    }
    if (!isLost) return;
    // The camera may have restarted: what worked for long gets another try.
    if (this.of(camera).isProven) this.#set(camera, { isProven: false });
    else if (sent === 0 && keepAlive !== 'none')
      this.#set(camera, { periodMs: Math.max(SHORTEST_PERIOD_MS, Math.min(periodMs, livedMs / 2)) });
    else this.#set(camera, { keepAlive: this.#next(camera, keepAlive) });
  }

  #next(camera: string, failed: KeepAlive): KeepAlive {
    const next = NEXT[failed];
    if (failed === 'none') this.#failed.delete(camera);
    else if (!this.#failed.has(camera)) this.#failed.set(camera, failed);
    else if (this.#failed.get(camera) === next) return 'none';
    return next;
  }

  #set(camera: string, change: Partial<Habit>): void {
    const habit = { ...this.of(camera), ...change };
    this.#known.delete(camera);
    this.#known.set(camera, habit);
    if (this.#known.size <= MAX_CAMERAS) return;
    const oldest = this.#known.keys().next().value!;
    this.#known.delete(oldest);
    this.#failed.delete(oldest);
  }
}

/** The id in a Session header, empty where there is none, and the time-out where it is named, in milliseconds. */
export function sessionOf(text = ''): { readonly id: string; readonly timeoutMs: number | undefined } {
  const [id = '', ...parameters] = text.split(';');
  const seconds = Number(/timeout\s*=\s*(\d{1,6})/i.exec(parameters.join(';'))?.[1]);
  return { id: id.trim(), timeoutMs: seconds > 0 ? seconds * 1000 : undefined };
}

interface UpkeepOptions {
  readonly clock: Clock;
  readonly habit: Habit;
  /** The keep-alive of an unknown camera. */
  readonly usual: KeepAlive;
  readonly timeoutMs: number;
  /** Sends receiver reports. */
  readonly report: () => void;
  /** Sends a request. */
  readonly keepAlive: (method: Exclude<KeepAlive, 'none'>) => Promise<{ readonly status: number }>;
}

/** Keeps a session alive, from its beginning until `end`. */
export class Upkeep {
  readonly #options: UpkeepOptions;
  readonly #since: number;
  #keepAlive: KeepAlive;
  readonly #periodMs: number;
  #sent = 0;
  #hasChanged = false;
  #isOver = false;
  readonly #cancels = new Map<string, () => void>();

  constructor(options: UpkeepOptions) {
    const { clock, habit, usual, timeoutMs } = options;
    this.#options = options;
    this.#since = clock.now();
    this.#keepAlive = habit.keepAlive ?? usual;
    this.#periodMs =
      habit.periodMs ?? Math.max(SHORTEST_PERIOD_MS, Math.min(timeoutMs / 2, LONGEST_PERIOD_MS));
    this.#every('report', REPORT_PERIOD_MS, options.report);
    this.#every('keepAlive', this.#periodMs, () => void this.#keep());
  }

  /** @param isLost whether the camera ended the session, or stopped sending */
  end(isLost: boolean): SessionEnd {
    this.#isOver = true;
    for (const cancel of this.#cancels.values()) cancel();
    return {
      isLost,
      keepAlive: this.#keepAlive,
      sent: this.#sent,
      periodMs: this.#periodMs,
      livedMs: this.#options.clock.now() - this.#since,
      timeoutMs: this.#options.timeoutMs,
    };
  }

  async #keep(): Promise<void> {
    if (this.#keepAlive === 'none') return;
    this.#sent++;
    // Cameras that never answer it still play: other code checks the flow of media.
    const { status } = await this.#options.keepAlive(this.#keepAlive).catch(() => ({ status: 0 }));
    if (status < 400 || status === UNAUTHORIZED || this.#hasChanged || this.#isOver) return;
    // A method that the camera does not know is no keep-alive.
    this.#hasChanged = true;
    this.#keepAlive = NEXT[this.#keepAlive];
    await this.#keep();
  }

  #every(name: string, ms: number, run: () => void): void {
    const cancel = this.#options.clock.after(ms, () => {
      run();
      if (!this.#isOver) this.#every(name, ms, run);
    });
    this.#cancels.set(name, cancel);
  }
}
