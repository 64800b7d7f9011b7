import type { EventPayload, PrivateEventName, PublicEventName } from '../contract/events.ts';
import type { Logger } from './log.ts';

type Listener = <N extends PublicEventName>(name: N, payload: EventPayload<N>) => void;
/** One that is slow answers with a promise, which resolves once it has taken the event. */
type PrivateListener = <N extends PublicEventName | PrivateEventName>(
  name: N,
  payload: EventPayload<N>,
) => void | Promise<void>;

/** Announces facts to all listeners. Events never steer: nothing in the service depends on who listens. */
export class EventBus {
  /** With the holder whose private events they hear, too. */
  readonly #listeners = new Map<PrivateListener, object | undefined>();
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Calls every listener; one that throws is logged and does not affect the others. */
  emit<N extends PublicEventName>(name: N, payload: EventPayload<N>): void {
    for (const listener of this.#listeners.keys()) this.#tell(listener, name, payload);
  }

  /**
   * Calls the listeners of one holder only.
   * @returns undefined when all have taken it; else a promise for that, so that the sender can wait
   */
  emitTo<N extends PrivateEventName>(
    holder: object,
    name: N,
    payload: EventPayload<N>,
  ): Promise<unknown> | undefined {
    const slow: Promise<void>[] = [];
    for (const [listener, of] of this.#listeners) {
      const taken = of === holder ? this.#tell(listener, name, payload) : undefined;
      if (taken instanceof Promise) slow.push(taken);
    }
    return slow.length === 0 ? undefined : Promise.allSettled(slow);
  }

  /** @returns the function that ends the subscription. */
  onAny(listener: Listener): () => void {
    return this.#add(listener as PrivateListener, undefined);
  }

  /** As `onAny`, and hears also what is for this holder alone. */
  onAnyFor(holder: object, listener: PrivateListener): () => void {
    return this.#add(listener, holder);
  }

  /** Number of listeners, for leak checks. */
  get size(): number {
    return this.#listeners.size;
  }

  #add(listener: PrivateListener, holder: object | undefined): () => void {
    this.#listeners.set(listener, holder);
    return () => this.#listeners.delete(listener);
  }

  #tell<N extends PublicEventName | PrivateEventName>(
    listener: PrivateListener,
    name: N,
    payload: EventPayload<N>,
  ): void | Promise<void> {
    try {
      return listener(name, payload);
    } catch (error) {
      this.#log.error({ err: error, event: name }, 'service: event listener failed');
    }
  }
}
