/** Runs pieces of work one after the other, in the order they came. A failure is its caller's: the next one runs. */
export class InTurn {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs the work when all that came before has ended. @throws what it throws */
  run<T>(work: () => T | Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** Runs work that no caller waits for. Resolves when it has ended, in whatever way. */
  async follow(work: () => unknown, onFailed: (error: unknown) => void): Promise<void> {
    await this.run(work).catch(onFailed);
  }

  /** Resolves when all that came until now has ended. */
  async idle(): Promise<void> {
    await this.#last;
  }
}
