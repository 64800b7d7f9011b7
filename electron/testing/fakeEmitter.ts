import type { Event } from 'electron';

/** Listeners of one object, and the way to play its events. */
class Listeners<E extends object> {
  readonly #all = new Map<PropertyKey, Set<(...args: never[]) => unknown>>();

  add(name: PropertyKey, listener: (...args: never[]) => unknown): void {
    this.#all.set(name, (this.#all.get(name) ?? new Set()).add(listener));
  }

  remove(name: PropertyKey, listener: (...args: never[]) => unknown): void {
    this.#all.get(name)?.delete(listener);
  }

  emit<K extends keyof E>(name: K, ...args: E[K] & unknown[]): void {
    for (const listener of [...(this.#all.get(name) ?? [])]) listener(...(args as never[]));
  }

  count(name: PropertyKey): number {
    return this.#all.get(name)?.size ?? 0;
  }
}

/** Emits the events of the Electron object that it replaces. */
export class FakeEmitter<E extends object, Real extends Record<'on' | 'off', unknown>> {
  readonly listeners = new Listeners<E>();
  readonly on = this.#on.bind(this) as unknown as Real['on'];
  readonly off = this.#off.bind(this) as unknown as Real['off'];

  #on(name: string, listener: () => void): this {
    this.listeners.add(name, listener);
    return this;
  }

  #off(name: string, listener: () => void): this {
    this.listeners.remove(name, listener);
    return this;
  }
}

/** An event that remembers whether it was prevented. */
export function eventOf<P extends object>(params?: P): Event<P> {
  const event = {
    defaultPrevented: false,
    preventDefault() {
      event.defaultPrevented = true;
    },
  };
  return Object.assign(event, params) as unknown as Event<P>;
}
