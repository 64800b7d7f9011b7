import type { Clock } from '../../platform/clock.ts';
import type { RecoveryCause } from '../host.ts';
import type { Recovery, RecoveryLimits } from './recovery.ts';

interface HungPageOptions {
  readonly recovery: Recovery;
  readonly limits: RecoveryLimits;
  readonly clock: Clock;
  readonly goHome: () => Promise<void>;
}

/** Ends the renderer of a hung page, and keeps that end apart from a crash: it is one fault, not two. */
export class HungPage {
  readonly #options: HungPageOptions;
  #isKilled = false;

  constructor(options: HungPageOptions) {
    this.#options = options;
  }

  /** @param onStuck called when the end of the renderer is not reported in time */
  end(page: { crash(): void }, onStuck: () => void): void {
    if (this.#isKilled) return;
    const { recovery, limits, clock } = this.#options;
    this.#isKilled = true;
    recovery.count('hung-page');
    page.crash();
    clock.after(limits.heartbeatLimitMs, () => {
      if (this.#isKilled) onStuck();
    });
  }

  /**
   * Something closed the page: counts it, unless it is the end of a hung page, and brings the page back after its
   * delay.
   */
  bringBack(trouble: RecoveryCause): void {
    const { recovery, goHome } = this.#options;
    const isHungEnd = trouble === 'renderer-crash' && this.#isKilled;
    if (!isHungEnd) recovery.count(trouble);
    this.#isKilled = false;
    recovery.schedule(isHungEnd ? 'hung-page' : trouble, () => void goHome());
  }

  /** The window or browser that held the page is gone. */
  forget(): void {
    this.#isKilled = false;
  }
}
