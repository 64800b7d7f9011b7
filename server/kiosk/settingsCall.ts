import type { Clock } from '../platform/clock.ts';

const FINGERS = 5;
const HELD_MS = 5_000;

/**
 * Recognises the gestures that open the settings page: Ctrl+Alt+S, or five fingers that rest on the screen for five
 * seconds.
 */
export class SettingsCall {
  readonly #clock: Clock;
  readonly #onCall: () => void;
  readonly #fingers = new Map<string, number>();
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, onCall: () => void) {
    this.#clock = clock;
    this.#onCall = onCall;
  }

  /** How many fingers rest on this frame now; the fingers of one hand may lie on several frames. */
  fingers(frame: string, count: number): void {
    if (count > 0) this.#fingers.set(frame, count);
    else this.#fingers.delete(frame);
    this.#judge();
  }

  /** Ctrl+Alt+S was pressed. */
  keys(): void {
    this.#onCall();
  }

  /** Frames are gone, and with them their finger counts. */
  forget(isGone: (frame: string) => boolean = () => true): void {
    for (const frame of this.#fingers.keys()) if (isGone(frame)) this.#fingers.delete(frame);
    this.#judge();
  }

  #judge(): void {
    const all = [...this.#fingers.values()].reduce((sum, count) => sum + count, 0);
    if (all < FINGERS) {
      this.#cancel?.();
      this.#cancel = undefined;
    } else {
      this.#cancel ??= this.#clock.after(HELD_MS, () => this.#onCall());
    }
  }
}
