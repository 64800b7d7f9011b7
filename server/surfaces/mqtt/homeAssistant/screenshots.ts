import type { Clock } from '../../../platform/clock.ts';
import type { Logger } from '../../../platform/log.ts';

/** Two pictures are at least so far apart, in milliseconds. */
const APART_MS = 30_000;
/** A picture is taken at least so often, in milliseconds. */
const EVERY_MS = 600_000;
/** What is shown after a change needs a moment until it is drawn, in milliseconds. */
const DRAWN_MS = 500;

interface ScreenshotsOptions {
  /** @returns a JPEG */
  take(): Promise<Uint8Array>;
  send(picture: Uint8Array): void;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The pace of pictures of the screen: at a change, every ten minutes, never two within half a minute. */
export class Screenshots {
  readonly #options: ScreenshotsOptions;
  #cancel: (() => void) | undefined;
  /** When the timer is due that is set. */
  #dueAt = Number.POSITIVE_INFINITY;
  #lastAt = Number.NEGATIVE_INFINITY;
  #last: Uint8Array | undefined;
  #isRunning = false;

  constructor(options: ScreenshotsOptions) {
    this.#options = options;
  }

  /** Sends a picture as soon as the pace allows; until then the last one, which a new connection has not seen. */
  start(): void {
    this.#isRunning = true;
    if (this.#last !== undefined) this.#options.send(this.#last);
    this.changed();
  }

  stop(): void {
    this.#isRunning = false;
    this.#cancel?.();
    this.#cancel = undefined;
    this.#dueAt = Number.POSITIVE_INFINITY;
  }

  /** The screen shows something else. */
  changed(): void {
    if (!this.#isRunning) return;
    const { clock } = this.#options;
    this.#wake(Math.max(clock.now() + DRAWN_MS, this.#lastAt + APART_MS));
  }

  #wake(at: number): void {
    if (at >= this.#dueAt) return;
    this.#cancel?.();
    this.#dueAt = at;
    const { clock } = this.#options;
    this.#cancel = clock.after(Math.max(0, at - clock.now()), () => void this.#take());
  }

  async #take(): Promise<void> {
    const { take, send, clock, log } = this.#options;
    this.#dueAt = Number.POSITIVE_INFINITY;
    this.#cancel = undefined;
    this.#lastAt = clock.now();
    try {
      const picture = await take();
      this.#last = picture;
      if (this.#isRunning) send(picture);
    } catch (error) {
      log.debug({ err: error }, 'no picture for Home Assistant');
    }
    if (this.#isRunning) this.#wake(this.#lastAt + EVERY_MS);
  }
}
