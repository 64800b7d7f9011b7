import type { Clock } from '../../platform/clock.ts';
import { isOneColour } from './oneColour.ts';

const EVERY_MS = 15_000;
/** How long a page may look dead, in milliseconds. */
const DEAD_MS = 60_000;

export interface DeadPageWatch {
  /** The page to look at, or undefined while no page should be visible. */
  page(): { hasVisibleContent(): Promise<boolean>; screenshot(): Promise<Uint8Array> } | undefined;
  /** The page looked dead for a minute. `attempt` is 1 at first, and grows while nothing helps. */
  onDead(attempt: number): void;
}

/**
 * Finds a page that is alive but shows nothing: its document has visible text or pictures, but the frame has one
 * colour. A stuck graphics driver leaves no other trace.
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
    // A page that does not answer has another fault, which is noticed elsewhere.
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
