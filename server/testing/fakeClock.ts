interface Timer {
  readonly at: number;
  readonly run: () => void;
}

/** A clock that stands still until a test moves it. */
export class FakeClock {
  #now = 1_000;
  readonly #timers = new Set<Timer>();

  now(): number {
    return this.#now;
  }

  after(milliseconds: number, run: () => void): () => void {
    const timer = { at: this.#now + milliseconds, run };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Number of timers that are set, for leak checks. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Moves on, running each timer at its time and letting promises settle in between. */
  async advance(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds;
    await settled();
    for (;;) {
      const due = [...this.#timers].filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0];
      if (!due) break;
      this.#timers.delete(due);
      this.#now = Math.max(this.#now, due.at);
      due.run();
      await settled();
    }
    this.#now = end;
  }

  /** Time passes without any timer firing, as when the event loop stands still. */
  stall(milliseconds: number): void {
    this.#now += milliseconds;
  }
}

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

/** Runs everything that waits only for promises. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
}
