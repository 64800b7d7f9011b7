import type { Clock } from '../../platform/clock.ts';

/** Milliseconds without expected sound after which a remote party counts as gone. */
const SILENT_MS = 30_000;

/**
 * Detects a remote party that is gone without a BYE. Video is a sign of life too; a remote party that holds the call
 * need not send.
 */
export class SilenceWatch {
  readonly #clock: Clock;
  readonly #onSilent: () => void;
  #owesSound = false;
  #heardAt = 0;
  #isTold = false;

  /** @param onSilent called once, and again only after new sound has arrived */
  constructor(clock: Clock, onSilent: () => void) {
    this.#clock = clock;
    this.#onSilent = onSilent;
  }

  /** Sets whether sound of the remote party is expected from now on. */
  expect(owesSound: boolean): void {
    if (owesSound && !this.#owesSound) this.#heardAt = this.#clock.now();
    this.#owesSound = owesSound;
  }

  /** Sound has arrived. */
  heard(): void {
    this.seen();
    this.#isTold = false;
  }

  /** Video has arrived. */
  seen(): void {
    this.#heardAt = this.#clock.now();
  }

  /** Call it every second. */
  tick(): void {
    if (!this.#owesSound || this.#isTold || this.#clock.now() - this.#heardAt < SILENT_MS) return;
    this.#isTold = true;
    this.#onSilent();
  }
}
