import type { EventPayload } from '../contract/events.ts';
import type { EventBus } from '../platform/eventBus.ts';

/** The power state of the panel. The sleep schedule and the power control share it; each change is announced. */
export class PowerState {
  readonly #events: EventBus;
  #isAsleep = false;
  #isRebooting = false;

  constructor(events: EventBus) {
    this.#events = events;
  }

  /** The state, as callers and new listeners see it. */
  get now(): EventPayload<'power'> {
    if (this.#isRebooting) return { state: 'rebooting' };
    return { state: this.#isAsleep ? 'asleep' : 'awake' };
  }

  setAsleep(isAsleep: boolean): void {
    this.#change(() => {
      this.#isAsleep = isAsleep;
    });
  }

  setRebooting(isRebooting: boolean): void {
    this.#change(() => {
      this.#isRebooting = isRebooting;
    });
  }

  #change(change: () => void): void {
    const before = this.now.state;
    change();
    if (this.now.state !== before) this.#events.emit('power', this.now);
  }
}
