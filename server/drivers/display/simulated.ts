import type { LevelDriver } from '../../services/display/driver.ts';

/** A level that only remembers. */
export class SimulatedLevel implements LevelDriver {
  #percent: number;

  constructor(percent: number) {
    this.#percent = percent;
  }

  async read(): Promise<number> {
    return this.#percent;
  }

  async write(percent: number): Promise<void> {
    this.#percent = percent;
  }
}
