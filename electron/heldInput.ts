import type { WebContents } from 'electron';
import type { Clock } from '../server/platform/clock.ts';

/** How long a finger may rest on a page before that goes anyway, in milliseconds. */
const HELD_MS = 5_000;
const PRESSES = ['mouseDown', 'touchStart', 'pointerDown', 'rawKeyDown', 'keyDown'];
const RELEASES = ['mouseUp', 'touchEnd', 'touchCancel', 'pointerUp', 'pointerCancel', 'keyUp'];

/** Knows whether something is pressed on a page: its release must not happen over what lies below. */
export class HeldInput {
  readonly #clock: Clock;
  #isHeld = false;
  #onReleased: () => void = () => {};

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Listens to a page; nothing is pressed on it so far. @param onPress called at each press */
  watch(contents: WebContents, onPress: () => void): void {
    this.forget();
    contents.on('input-event', (_event, { type }) => {
      if (PRESSES.includes(type)) {
        this.#isHeld = true;
        onPress();
      } else if (RELEASES.includes(type)) this.forget();
    });
  }

  /** Whatever was pressed is not any more. */
  forget(): void {
    this.#isHeld = false;
    this.#onReleased();
  }

  /** Resolves once what is pressed is released, after 5 s at most; undefined when nothing is. */
  released(): Promise<void> | undefined {
    if (!this.#isHeld) return undefined;
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#clock.after(HELD_MS, resolve);
    const before = this.#onReleased;
    this.#onReleased = () => {
      this.#onReleased = () => {};
      before();
      cancel();
      resolve();
    };
    return promise;
  }
}
