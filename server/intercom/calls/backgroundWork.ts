import type { Logger } from '../../platform/log.ts';

/** Work that no caller waits for; only the stop of the service does. */
export class BackgroundWork {
  readonly #log: Logger;
  readonly #running = new Set<Promise<void>>();

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Logs a failure. */
  keep(work: Promise<unknown>): void {
    const kept: Promise<void> = work
      .catch((error: unknown) => this.#log.warn({ err: error }, 'intercom: background work of a call failed'))
      .then(() => {
        this.#running.delete(kept);
      });
    this.#running.add(kept);
  }

  /** Resolves when all work is done. */
  async done(): Promise<void> {
    await Promise.all(this.#running);
  }
}
