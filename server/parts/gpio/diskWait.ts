/**
 * Lets pins be switched off while a call, whose turn it is, waits for the disk: flash memory may take seconds, and a
 * motor must not run for so long. Everything else waits for its turn.
 */
export class DiskWait {
  readonly #inTurn: (work: () => Promise<void>) => Promise<void>;
  #isWaiting = false;
  #aside: Promise<void> | undefined;

  /** @param inTurn runs work in turn with the calls */
  constructor(inTurn: (work: () => Promise<void>) => Promise<void>) {
    this.#inTurn = inTurn;
  }

  /** Whether a call waits for the disk now. */
  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  /** Waits for what is written. What began meanwhile has ended when it resolves. @throws what `write` throws */
  async until(write: () => Promise<void>): Promise<void> {
    if (this.#aside) {
      // Whoever switches a pin off waits for no disk.
      void this.#inTurn(() => this.until(write)).catch(() => undefined);
      return;
    }
    this.#isWaiting = true;
    try {
      await write();
    } finally {
      this.#isWaiting = false;
      while (this.#aside) await this.#aside;
    }
  }

  /** Switches off: now, when the call whose turn it is waits for the disk; else in turn. Its failure is its own. */
  switchOff(work: () => Promise<void>): void {
    if (!this.#isWaiting && !this.#aside) {
      void this.#inTurn(work).catch(() => undefined);
      return;
    }
    const run: Promise<void> = (this.#aside ?? Promise.resolve())
      .then(work)
      .catch(() => undefined)
      .finally(() => {
        if (this.#aside === run) this.#aside = undefined;
      });
    this.#aside = run;
  }
}
