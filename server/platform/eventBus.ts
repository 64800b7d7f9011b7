import type { EventName, EventPayload } from '../contract/events.ts';
import type { Logger } from './log.ts';

type Listener = <N extends EventName>(name: N, payload: EventPayload<N>) => void;

/** Announces facts to all listeners. Events never steer: nothing in the service depends on who listens. */
export class EventBus {
  readonly #listeners = new Set<Listener>();
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Calls every listener; one that throws is logged and does not affect the others. */
  emit<N extends EventName>(name: N, payload: EventPayload<N>): void {
    for (const listener of this.#listeners) {
      try {
        listener(name, payload);
      } catch (error) {
        this.#log.error({ err: error, event: name }, 'event listener failed');
      }
    }
  }

  /** @returns the function that ends the subscription. */
  onAny(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Number of listeners, for leak checks. */
  get size(): number {
    return this.#listeners.size;
  }
}
