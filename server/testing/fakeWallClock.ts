import { FakeClock } from './fakeClock.ts';

/** A clock of steady time and time of day that stands still until a test moves it. */
export class FakeWallClock extends FakeClock {
  #ahead: number;

  /** @param start ISO 8601 */
  constructor(start: string) {
    super();
    this.#ahead = Date.parse(start) - this.now();
  }

  wall(): number {
    return this.now() + this.#ahead;
  }

  /** The time of day changes alone: someone set the clock, or the machine was suspended. */
  jump(milliseconds: number): void {
    this.#ahead += milliseconds;
  }

  /** Moves on to a time of day, running what is due. */
  async advanceTo(moment: string): Promise<void> {
    await this.advance(Date.parse(moment) - this.wall());
  }
}
