import type { Clock } from './clock.ts';
import { isOneColour } from './oneColour.ts';

const EVERY_MS = 15_000;
/** How long a page may look dead, in milliseconds. */
const DEAD_MS = 60_000;

export interface DeadPageWatch {
  /** The page to look at, or undefined while nobody is meant to see one. */
  page(): { hasVisibleContent(): Promise<boolean>; screenshot(): Promise<Uint8Array> } | undefined;
  /** The page looked dead for a minute. `attempt` is 1 at first, more while nothing helps. */
  onDead(attempt: number): void;
}

/**
 * Finds a page that lives and yet shows nothing: its document has visible text or pictures, but the frame is one colour.
 * A stuck graphics driver leaves no other trace.
 */
export class DeadPageCheck {
  readonly #clock: Clock;
  readonly #watch: DeadPageWatch;
  #cancel: (() => void) | undefined;
  #deadSince: number | undefined;
  #attempts = 0;

  constructor(clock: Clock, watch: DeadPageWatch) {
    this.#clock = clock;
    this.#watch = watch;
  }

  start(): void {
    this.#cancel = this.#clock.after(EVERY_MS, async () => {
      await this.#look();
      if (this.#cancel !== undefined) this.start();
    });
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#deadSince = undefined;
    this.#attempts = 0;
  }

  async #look(): Promise<void> {
    const page = this.#watch.page();
    // A page that cannot be asked has other troubles, which are noticed elsewhere.
    const state = page && (await looksDead(page).catch(() => undefined));
    if (this.#cancel === undefined) return;
    if (state !== true) {
      this.#deadSince = undefined;
      if (state === false) this.#attempts = 0;
      return;
    }
    this.#deadSince ??= this.#clock.now();
    if (this.#clock.now() - this.#deadSince < DEAD_MS) return;
    this.#deadSince = undefined;
    this.#watch.onDead(++this.#attempts);
  }
}

async function looksDead(page: NonNullable<ReturnType<DeadPageWatch['page']>>): Promise<boolean> {
  return (await page.hasVisibleContent()) && isOneColour(await page.screenshot());
}
