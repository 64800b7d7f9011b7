import { FaceplateError } from '../../contract/errors.ts';
import { unlessAborted } from '../../platform/async.ts';
import type { Clock } from '../../platform/clock.ts';

/** How long callers wait for a place, in milliseconds. */
const WAIT_MS = 5_000;

/** Work of which only so much runs at one time; the rest waits a moment. */
export class Places {
  readonly #clock: Clock;
  readonly #sentence: string;
  #free: number;
  readonly #waiting: (() => void)[] = [];

  /** @param sentence for a caller who has waited in vain */
  constructor(clock: Clock, count: number, sentence: string) {
    this.#clock = clock;
    this.#free = count;
    this.#sentence = sentence;
  }

  /** @throws FaceplateError SESSION_LIMIT after five seconds; the reason of `signal`; what the work throws */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.#enter(signal);
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }

  async #enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#free > 0) {
      this.#free--;
      return;
    }
    const place = Promise.withResolvers<void>();
    const late = new AbortController();
    const refusal = new FaceplateError('SESSION_LIMIT', this.#sentence);
    const cancel = this.#clock.after(WAIT_MS, () => late.abort(refusal));
    this.#waiting.push(place.resolve);
    const until = AbortSignal.any([signal, late.signal]);
    const leave = () => {
      const at = this.#waiting.indexOf(place.resolve);
      if (at >= 0) this.#waiting.splice(at, 1);
    };
    until.addEventListener('abort', leave, { once: true });
    try {
      await unlessAborted(place.promise, until);
    } finally {
      cancel();
      until.removeEventListener('abort', leave);
    }
  }
}

interface Shared<T> {
  readonly of: Promise<T>;
  readonly end: AbortController;
  users: number;
  isDone: boolean;
  forget: () => void;
}

/** The same work is done once within some time: who comes meanwhile gets its result, or its failure. */
export class SharedWork<T> {
  readonly #clock: Clock;
  readonly #ms: number;
  readonly #all = new Map<string, Shared<T>>();

  constructor(clock: Clock, ms: number) {
    this.#clock = clock;
    this.#ms = ms;
  }

  /**
   * @param work ends once all who waited for it have left
   * @throws what the work throws; the reason of `signal`
   */
  async run(key: string, signal: AbortSignal, work: (until: AbortSignal) => Promise<T>): Promise<T> {
    const one = this.#all.get(key) ?? this.#begin(key, work);
    one.users++;
    try {
      return await unlessAborted(one.of, signal);
    } finally {
      if (--one.users === 0 && !one.isDone) {
        one.forget();
        one.end.abort(signal.reason);
      }
    }
  }

  /** Forgets all results. */
  stop(): void {
    for (const { forget, end } of [...this.#all.values()]) {
      forget();
      end.abort(new FaceplateError('SHUTTING_DOWN'));
    }
  }

  #begin(key: string, work: (until: AbortSignal) => Promise<T>): Shared<T> {
    const end = new AbortController();
    const one: Shared<T> = { of: work(end.signal), end, users: 0, isDone: false, forget: () => {} };
    let cancel = () => {};
    let isOld = false;
    one.forget = () => {
      cancel();
      if (this.#all.get(key) === one) this.#all.delete(key);
    };
    this.#all.set(key, one);
    const done = () => {
      one.isDone = true;
      if (isOld) one.forget();
    };
    one.of.then(done, done);
    // Counted from its beginning: work that takes longer is shared until its end.
    cancel = this.#clock.after(this.#ms, () => {
      isOld = true;
      if (one.isDone) one.forget();
    });
    return one;
  }
}
