import type { Clock } from '../../platform/clock.ts';
import type { EventBus } from '../../platform/eventBus.ts';
import type { UpdateState } from './contract.ts';

/** Least time between two events, in milliseconds. */
const EVERY_MS = 500;

interface AnnouncedOptions {
  state(): UpdateState;
  readonly events: Pick<EventBus, 'emit'>;
  readonly clock: Clock;
}

/** The event `update`: the last state always, and at most two a second. */
export class Announced {
  readonly #options: AnnouncedOptions;
  #sent = '';
  #sentAt = Number.NEGATIVE_INFINITY;
  #cancel: (() => void) | undefined;

  constructor(options: AnnouncedOptions) {
    this.#options = options;
  }

  /** Something may have changed. */
  changed(): void {
    const { clock } = this.#options;
    if (this.#cancel !== undefined) return;
    const wait = this.#sentAt + EVERY_MS - clock.now();
    if (wait <= 0) this.#send();
    else
      this.#cancel = clock.after(wait, () => {
        this.#cancel = undefined;
        this.#send();
      });
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #send(): void {
    const { state, events, clock } = this.#options;
    const now = state();
    const text = JSON.stringify(now);
    if (text === this.#sent) return;
    this.#sent = text;
    this.#sentAt = clock.now();
    events.emit('update', now);
  }
}
