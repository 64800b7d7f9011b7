import type { Logger } from '../../observe/log.ts';

/** Work that nobody waits for now, but the stop of the service does. */
export class BackgroundWork {
  readonly #log: Logger;
  readonly #running = new Set<Promise<void>>();

  constructor(log: Logger) {
    this.#log = log;
  }

  /** A failure is logged. */
  keep(work: Promise<unknown>): void {
    const kept: Promise<void> = work
      .catch((error: unknown) => this.#log.warn({ err: error }, 'something of a call failed'))
      .then(() => {
        this.#running.delete(kept);
      });
    this.#running.add(kept);
  }

  /** Resolves when all of it is done. */
  async done(): Promise<void> {
    await Promise.all(this.#running);
  }
}
