import type { Clock } from './clock.ts';

/** Waits for a result no longer than `signal` lets it; the work itself continues. @throws the signal's reason */
export function unlessAborted<T>(result: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const aborted = () => reject(signal.reason);
    if (signal.aborted) aborted();
    signal.addEventListener('abort', aborted, { once: true });
    result.then(resolve, reject).finally(() => signal.removeEventListener('abort', aborted));
  });
}

/**
 * The result of the work. Work that is late continues.
 * @throws Error when it takes longer than `ms` milliseconds; what the work throws in time
 */
export async function inTime<T>(clock: Clock, ms: number, work: Promise<T>): Promise<T> {
  let cancel = () => {};
  const late = new Promise<never>((_, reject) => {
    cancel = clock.after(ms, () => reject(new Error('no answer in time')));
  });
  return Promise.race([work, late]).finally(cancel);
}

/** Resolves after so many milliseconds, or when the signal aborts; at once where it has. */
export function pause(milliseconds: number, clock: Clock, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      cancel();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const cancel = clock.after(milliseconds, done);
    signal.addEventListener('abort', done, { once: true });
    if (signal.aborted) done();
  });
}

/** Runs pieces of work one after the other, in the order they came. A failure is its caller's: the next one runs. */
export class InTurn {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs the work when all that came before has ended. @throws what it throws */
  run<T>(work: () => T | Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** Runs work that no caller waits for. Resolves when it has ended, in whatever way. */
  async follow(work: () => unknown, onFailed: (error: unknown) => void): Promise<void> {
    await this.run(work).catch(onFailed);
  }

  /** Resolves when all that came until now has ended. */
  async idle(): Promise<void> {
    await this.#last;
  }
}

/** Work that is under way, so that its owner can wait for it when it stops. */
export class RunningWork {
  readonly #running = new Set<Promise<unknown>>();

  get size(): number {
    return this.#running.size;
  }

  /** @returns the same work: a failure is for those who wait for that */
  add<T>(work: Promise<T>): Promise<T> {
    this.#running.add(work);
    const over = () => void this.#running.delete(work);
    work.then(over, over);
    return work;
  }

  /** Resolves when all that is under way now has ended, in whatever way. */
  async done(): Promise<void> {
    await Promise.allSettled(this.#running);
  }
}

/** Runs calls one after the other, in the order they came. */
export class CallQueue {
  readonly #calls = new InTurn();

  /**
   * Waits for its turn, then runs `work`. Once `signal` aborts, the caller is free at once: a waiting call is never
   * run, and a running one keeps its turn until its own work has ended.
   * @throws the signal's reason, or what `work` throws
   */
  run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const result = this.#calls.run(() => {
      signal.throwIfAborted();
      return work();
    });
    return unlessAborted(result, signal);
  }

  /** Resolves when all calls made so far have ended. */
  idle(): Promise<void> {
    return this.#calls.idle();
  }
}

export interface BackoffSteps {
  /** First delay in milliseconds; each further one doubles. */
  readonly firstMs: number;
  readonly maxMs: number;
  /** When this much time passes without a failure after a delay, the next delay is the first one again. */
  readonly peaceMs: number;
}

/** A pause that doubles with each failure. @param failures so far: 0 gives the first pause */
export function doubled(failures: number, firstMs: number, maxMs: number): number {
  return Math.min(maxMs, firstMs * 2 ** Math.min(failures, 20));
}

/** Growing delays between attempts, so that something that fails at once every time does not overload the panel. */
export class Backoff {
  readonly #clock: Clock;
  readonly #steps: BackoffSteps;
  #attempt = 0;
  #due = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, steps: BackoffSteps) {
    this.#clock = clock;
    this.#steps = steps;
  }

  /** @returns milliseconds to wait before the next attempt. */
  next(): number {
    const { firstMs, maxMs, peaceMs } = this.#steps;
    const now = this.#clock.now();
    if (now - this.#due > peaceMs) this.#attempt = 0;
    const delay = doubled(this.#attempt++, firstMs, maxMs);
    this.#due = now + delay;
    return delay;
  }
}

/** A part that no call starts. */
interface Part {
  /** null: the board profile leaves it out. */
  readonly driver: object | null;
  readonly present: boolean;
  /** Starts it if it is absent. */
  use(work: () => Promise<void>): Promise<void>;
}

/** Milliseconds until a part that no call starts is looked for again. */
export const LOOK_AGAIN_MS = 5_000;

/** Looks for a part that is absent until it is there: it may be plugged in later. @returns the function that ends it */
export function lookAgain(part: Part, clock: Clock): () => void {
  if (part.driver === null || part.present) return () => {};
  let isOver = false;
  let cancel = () => {};
  const look = (): void => {
    cancel = clock.after(LOOK_AGAIN_MS, () => {
      void part
        .use(async () => {})
        .catch(() => {
          if (!isOver) look();
        });
    });
  };
  look();
  return () => {
    isOver = true;
    cancel();
  };
}

/** A limit never grows beyond this many times its first length. */
const MOST = 16;

/**
 * How long one kind of try may take. Each try that is cut off doubles the limit of the next one, so a slow panel comes
 * up late instead of never. A try that ends within the first limit restores the first limit; a try that needed more
 * keeps the limit that it needed.
 */
export class GrowingLimit {
  readonly #firstMs: number;
  #ms: number;

  /** @param firstMs the limit for a panel that is not slow, in milliseconds */
  constructor(firstMs: number) {
    this.#firstMs = firstMs;
    this.#ms = firstMs;
  }

  /** The limit of the next try, in milliseconds. */
  get ms(): number {
    return this.#ms;
  }

  /** A try was cut off by its limit. */
  missed(): void {
    this.#ms = Math.min(this.#firstMs * MOST, this.#ms * 2);
  }

  /** @param tookMs how long a try took that ended in time */
  met(tookMs: number): void {
    if (tookMs <= this.#firstMs) this.#ms = this.#firstMs;
  }
}

/** The answer, or undefined when it takes longer than `ms`. @throws what the answer throws in time */
export function withTimeout<T>(clock: Clock, ms: number, answer: Promise<T>): Promise<T | undefined> {
  let cancel = () => {};
  const limit = new Promise<undefined>((resolve) => {
    cancel = clock.after(ms, () => resolve(undefined));
  });
  return Promise.race([answer, limit]).finally(cancel);
}

/** Like `withTimeout`, with a limit that grows after a missing answer and shrinks again after a quick one. */
export async function withTimeLimit<T extends {}>(
  clock: Clock,
  limit: GrowingLimit,
  answer: Promise<T>,
): Promise<T | undefined> {
  const began = clock.now();
  const given = await withTimeout(clock, limit.ms, answer);
  if (given === undefined) limit.missed();
  else limit.met(clock.now() - began);
  return given;
}

/** How often `retry` asks, and how long it waits after a refusal, in milliseconds. */
const ATTEMPTS = 5;
const PAUSE_MS = 300;

/**
 * Repeats a question that may be refused or forgotten, as a browser does while one page replaces another.
 * @param ask asks once
 * @param silence the sentence for one who never answers
 * @param limit of one question; it grows when no attempt gets an answer
 * @throws what the last attempt threw
 */
export async function retry<T extends object>(
  clock: Clock,
  ask: () => Promise<T>,
  silence: string,
  limit: GrowingLimit,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      const began = clock.now();
      const answer = await withTimeout(clock, limit.ms, ask());
      if (answer !== undefined) {
        limit.met(clock.now() - began);
        return answer;
      }
      if (attempt === ATTEMPTS) limit.missed();
      throw new Error(silence);
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
    }
    await new Promise<void>((resolve) => clock.after(PAUSE_MS, resolve));
  }
}
