import type { BrokerMessage } from './link.ts';

/** Hears the messages of a filter; a promise stops the reading until it is settled. */
export type Heard = (message: BrokerMessage) => void | Promise<void>;

/** Whether a topic fits a filter (MQTT 5 section 4.7), both by their levels. */
export function fits(wanted: readonly string[], levels: readonly string[]): boolean {
  if (levels[0]!.startsWith('$') && /^[+#]/.test(wanted[0]!)) return false;
  for (let at = 0; at < wanted.length; at++) {
    const level = wanted[at];
    if (level === '#') return true;
    if (at >= levels.length || (level !== '+' && level !== levels[at])) return false;
  }
  return wanted.length === levels.length;
}

interface Subscription {
  readonly levels: readonly string[];
  readonly heard: Set<Heard>;
}

/** Who hears what. */
export class Subscriptions {
  /** By filter. */
  readonly #all = new Map<string, Subscription>();

  get filters(): readonly string[] {
    return [...this.#all.keys()];
  }

  /** @returns whether the filter is new */
  add(filter: string, heard: Heard): boolean {
    const known = this.#all.get(filter);
    if (known === undefined) this.#all.set(filter, { levels: filter.split('/'), heard: new Set([heard]) });
    else known.heard.add(heard);
    return known === undefined;
  }

  /** @returns whether nobody hears the filter any more */
  remove(filter: string, heard: Heard): boolean {
    const known = this.#all.get(filter)?.heard;
    if (!known?.delete(heard) || known.size > 0) return false;
    return this.#all.delete(filter);
  }

  /** @returns a promise where somebody wants the reading to stop */
  tell(message: BrokerMessage): Promise<void> | undefined {
    const holds: Promise<void>[] = [];
    const levels = message.topic.split('/');
    for (const { levels: wanted, heard: all } of this.#all.values()) {
      if (!fits(wanted, levels)) continue;
      for (const heard of all) {
        const hold = heard(message);
        if (hold !== undefined) holds.push(hold);
      }
    }
    return holds.length === 0 ? undefined : Promise.allSettled(holds).then(() => undefined);
  }
}
