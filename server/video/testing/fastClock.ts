import type { Clock } from '../../platform/clock.ts';
import { systemClock } from '../simulatedCamera/clip.ts';

/**
 * Time that runs twenty times as fast, so that the loop of 10 s ends in half a second. On a busy machine it waits until
 * everything due is done. Counts what is pending.
 */
export class FastClock implements Clock {
  pending = 0;
  #now = systemClock.now();

  now(): number {
    return this.#now;
  }

  after(ms: number, call: () => void): () => void {
    const due = this.#now + ms;
    this.pending++;
    let isPending = true;
    const settle = () => {
      if (isPending) this.pending--;
      isPending = false;
    };
    const cancel = systemClock.after(ms / 20, () => {
      settle();
      this.#now = Math.max(this.#now, due);
      call();
    });
    return () => {
      settle();
      cancel();
    };
  }
}
