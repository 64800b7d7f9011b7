import { withTimeout } from '../../../platform/async.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { LiveInput } from '../../live/contract.ts';
import type { CdpCommands } from '../process/cdpProtocol.ts';
import type { LiveTarget } from './target.ts';
import { keyPress } from './typing.ts';

/** Commands that may wait for the page: of a finger that moves, and of everything. A hung page answers none. */
const MAX_MOVES = 8;
const MAX_WAITING = 64;
/** A command that the page has not answered by then is not counted any more, in milliseconds. */
const ANSWER_MS = 2_000;

/** How long keys wait for the touch before them, in milliseconds. */
const CLICK_MS = 500;
/** Resolves once the page has handled its input and drawn. */
export const DRAWN = 'new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))';

interface LiveInputsOptions {
  readonly target: LiveTarget;
  readonly onLate: (error: Error) => void;
  readonly clock: Clock;
}

/**
 * Passes input from afar to one page, as the touches and keys of a person. It is sent to the page's own session: what
 * covers the page does not get it.
 */
export class LiveInputs {
  readonly #options: LiveInputsOptions;
  #waiting = 0;
  #isDown = false;
  /** Until the page has handled the last touch. */
  #touching: Promise<void> | undefined;

  constructor(options: LiveInputsOptions) {
    this.#options = options;
  }

  pass(what: LiveInput): void {
    if (this.#waiting > MAX_WAITING && what.type !== 'up') return;
    switch (what.type) {
      case 'down':
        if (!this.#isDown) this.#touch('touchStart', what);
        this.#isDown = true;
        break;
      case 'move':
        if (this.#isDown && this.#waiting <= MAX_MOVES) this.#touch('touchMove', what);
        break;
      case 'up':
        this.lift();
        break;
      case 'tap':
        this.pass({ ...what, type: 'down' });
        this.lift();
        break;
      case 'text':
        this.#afterTouch(() => this.#send('Input.insertText', { text: what.text }));
        break;
      case 'key':
        this.#afterTouch(() => this.#press(what.key));
    }
  }

  /** Typed text enters the field that the touch before it gave the focus. */
  #afterTouch(type: () => void): void {
    if (this.#touching === undefined) {
      type();
      return;
    }
    this.#waiting++;
    void this.#touching.then(() => {
      this.#waiting--;
      type();
    });
  }

  /** A touch becomes a tap, and a tap a click, after it is answered; keys would overtake it. */
  async #click(touched: Promise<void>): Promise<void> {
    await touched;
    const { target, clock, onLate } = this.#options;
    const handled = target.send('Runtime.evaluate', { expression: DRAWN, awaitPromise: true, silent: true });
    await withTimeout(clock, CLICK_MS, handled).catch(onLate);
  }

  /** Lifts the finger, if it is down. */
  lift(): void {
    if (!this.#isDown) return;
    this.#isDown = false;
    const touching = this.#click(this.#touch('touchEnd')).then(() => {
      if (this.#touching !== touching) return;
      this.#touching = undefined;
      // Not before: the click comes after the answer to the touch, and would be ignored.
      if (!this.#isDown && this.#options.target.isDeaf())
        this.#send('Input.setIgnoreInputEvents', { ignore: true });
    });
    this.#touching = touching;
  }

  async #touch(type: 'touchStart' | 'touchMove' | 'touchEnd', at?: { x: number; y: number }): Promise<void> {
    const { target } = this.#options;
    // A touch that is ignored blocks all later ones (measured, Chromium 156). The person at the glass cannot reach the
    // page meanwhile: it is below the window for which its input is ignored.
    if (target.isDeaf()) this.#send('Input.setIgnoreInputEvents', { ignore: false });
    const scale = this.#options.target.scale?.() ?? 1;
    const touchPoints = at === undefined ? [] : [{ x: at.x * scale, y: at.y * scale, id: 0 }];
    await this.#send('Input.dispatchTouchEvent', { type, touchPoints });
  }

  #press(key: string): void {
    const press = keyPress(key);
    if (press === undefined) return;
    const { text, ...rest } = press;
    this.#send('Input.dispatchKeyEvent', { type: text === undefined ? 'rawKeyDown' : 'keyDown', ...press });
    this.#send('Input.dispatchKeyEvent', { type: 'keyUp', ...rest });
  }

  async #send<M extends keyof CdpCommands>(method: M, params: CdpCommands[M]['params']): Promise<void> {
    const { target, clock, onLate } = this.#options;
    this.#waiting++;
    await withTimeout(clock, ANSWER_MS, target.send(method, params)).catch(onLate);
    this.#waiting--;
  }
}
