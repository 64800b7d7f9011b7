import type { CallStatus } from '../../../intercom/sipContract.ts';
import type { Clock } from '../../../platform/clock.ts';

/** How long the panel counts as used after an activity, in milliseconds. */
const IN_USE_MS = 60_000;

/** Whether somebody uses the panel: for a minute from the last activity, and in a call. */
export class InUse {
  readonly #clock: Clock;
  readonly #onChange: () => void;
  #lastAt: number | undefined;
  #cancel: (() => void) | undefined;

  /** @param onChange told when `recent` is another */
  constructor(clock: Clock, onChange: () => void) {
    this.#clock = clock;
    this.#onChange = onChange;
  }

  /** Cheap: it is called for every touch, and sets one timer a minute. */
  activity(): void {
    const wasRecent = this.recent;
    this.#lastAt = this.#clock.now();
    this.#cancel ??= this.#clock.after(IN_USE_MS, () => this.#look());
    if (!wasRecent) this.#onChange();
  }

  /** Whether there was an activity within the last minute. */
  get recent(): boolean {
    return this.#lastAt !== undefined && this.#clock.now() - this.#lastAt < IN_USE_MS;
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #look(): void {
    this.#cancel = undefined;
    if (!this.recent) {
      this.#onChange();
      return;
    }
    const left = IN_USE_MS - (this.#clock.now() - this.#lastAt!);
    this.#cancel = this.#clock.after(left, () => this.#look());
  }
}

/** Whether this panel is in a call or makes one. */
export function isInCall(status: CallStatus | undefined): boolean {
  return status !== undefined && status !== 'idle' && status !== 'failed';
}
