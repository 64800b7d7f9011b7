import type { Clock } from '../observe/clock.ts';

/** A far end that owes us sound and sends none for so long, in milliseconds, is gone. */
const SILENT_MS = 30_000;

/** Notices a far end that has gone without a word. Pictures are a sign of life too; who holds the call owes none. */
export class SilenceWatch {
  readonly #clock: Clock;
  readonly #onSilent: () => void;
  #owesSound = false;
  #heardAt = 0;
  #isTold = false;

  /** @param onSilent called once, and again only after sound has come meanwhile */
  constructor(clock: Clock, onSilent: () => void) {
    this.#clock = clock;
    this.#onSilent = onSilent;
  }

  /** Whether the far end owes us sound from now on. */
  expect(owesSound: boolean): void {
    if (owesSound && !this.#owesSound) this.#heardAt = this.#clock.now();
    this.#owesSound = owesSound;
  }

  /** Sound has come. */
  heard(): void {
    this.seen();
    this.#isTold = false;
  }

  /** A picture has come. */
  seen(): void {
    this.#heardAt = this.#clock.now();
  }

  /** To be called every second. */
  tick(): void {
    if (!this.#owesSound || this.#isTold || this.#clock.now() - this.#heardAt < SILENT_MS) return;
    this.#isTold = true;
    this.#onSilent();
  }
}
