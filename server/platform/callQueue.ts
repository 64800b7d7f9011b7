import { InTurn } from './inTurn.ts';
import { unlessAborted } from './unlessAborted.ts';

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
