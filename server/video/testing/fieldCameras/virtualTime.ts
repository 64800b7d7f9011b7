import { mock } from 'node:test';
import { settled } from '../../../testing/fakeClock.ts';

/** How far time moves at once, in milliseconds. */
const STEP_MS = 20;

/**
 * The time of this process, moved by a test: of timers and of `performance.now()`, whoever uses them. Sockets work in
 * real time; between two steps they are read until nothing is left to read.
 */
export class VirtualTime {
  #now = performance.now();

  start(): void {
    mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
    mock.method(performance, 'now', () => this.#now);
  }

  stop(): void {
    mock.reset();
  }

  /** Moves on until it is done, or the time is over. @returns whether it is done */
  async pass(milliseconds: number, isDone = (): boolean => false): Promise<boolean> {
    for (let left = milliseconds; left > 0 && !isDone(); left -= STEP_MS) {
      this.#now += STEP_MS;
      mock.timers.tick(STEP_MS);
      await settled();
    }
    return isDone();
  }
}
