import { backgroundClock, type Clock } from '../../platform/clock.ts';

/** Real time that goes as fast as a test tells it to; a timer keeps the speed at which it was set. */
export class TimeLapse implements Clock {
  #speed = 1;
  #since = backgroundClock.now();
  #at = this.#since;

  now(): number {
    return this.#at + (backgroundClock.now() - this.#since) * this.#speed;
  }

  after(milliseconds: number, run: () => void): () => void {
    return backgroundClock.after(milliseconds / this.#speed, run);
  }

  set speed(speed: number) {
    this.#at = this.now();
    this.#since = backgroundClock.now();
    this.#speed = speed;
  }
}
