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
  #told = '';
  #toldAt = Number.NEGATIVE_INFINITY;
  #cancel: (() => void) | undefined;

  constructor(options: AnnouncedOptions) {
    this.#options = options;
  }

  /** Something may have changed. */
  changed(): void {
    const { clock } = this.#options;
    if (this.#cancel !== undefined) return;
    const wait = this.#toldAt + EVERY_MS - clock.now();
    if (wait <= 0) this.#tell();
    else
      this.#cancel = clock.after(wait, () => {
        this.#cancel = undefined;
        this.#tell();
      });
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #tell(): void {
    const { state, events, clock } = this.#options;
    const now = state();
    const text = JSON.stringify(now);
    if (text === this.#told) return;
    this.#told = text;
    this.#toldAt = clock.now();
    events.emit('update', now);
  }
}
