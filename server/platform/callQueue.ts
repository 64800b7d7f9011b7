import { unlessAborted } from './unlessAborted.ts';

/** Runs calls one after the other, in the order they came. */
export class CallQueue {
  #tail: Promise<unknown> = Promise.resolve();

  /**
   * Waits for its turn, then runs `work`. Once `signal` aborts, the caller is free at once: a waiting call is never
   * run, and a running one keeps its turn until its own work has ended.
   * @throws the signal's reason, or what `work` throws
   */
  run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const result = this.#tail.then(() => {
      signal.throwIfAborted();
      return work();
    });
    this.#tail = result.catch(() => undefined);
    return unlessAborted(result, signal);
  }

  /** Resolves when all calls made so far have ended. */
  async idle(): Promise<void> {
    await this.#tail;
  }
}
