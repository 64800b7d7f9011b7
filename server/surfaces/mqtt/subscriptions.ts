import type { BrokerMessage } from './link.ts';

/** Hears the messages of a filter; a promise stops the reading until it is settled. */
export type Heard = (message: BrokerMessage) => void | Promise<void>;

/** Whether a topic fits a filter (MQTT 5 section 4.7). */
export function fits(filter: string, topic: string): boolean {
  const wanted = filter.split('/');
  const levels = topic.split('/');
  if (topic.startsWith('$') && /^[+#]/.test(filter)) return false;
  for (const [index, level] of wanted.entries()) {
    if (level === '#') return true;
    if (index >= levels.length || (level !== '+' && level !== levels[index])) return false;
  }
  return wanted.length === levels.length;
}

/** Who hears what. */
export class Subscriptions {
  readonly #heard = new Map<string, Set<Heard>>();

  get filters(): readonly string[] {
    return [...this.#heard.keys()];
  }

  /** @returns whether the filter is new */
  add(filter: string, heard: Heard): boolean {
    const known = this.#heard.get(filter);
    if (known === undefined) this.#heard.set(filter, new Set([heard]));
    else known.add(heard);
    return known === undefined;
  }

  /** @returns whether nobody hears the filter any more */
  remove(filter: string, heard: Heard): boolean {
    const known = this.#heard.get(filter);
    if (!known?.delete(heard) || known.size > 0) return false;
    return this.#heard.delete(filter);
  }

  /** @returns a promise where somebody wants the reading to stop */
  tell(message: BrokerMessage): Promise<void> | undefined {
    const holds: Promise<void>[] = [];
    for (const [filter, all] of this.#heard) {
      if (!fits(filter, message.topic)) continue;
      for (const heard of all) {
        const hold = heard(message);
        if (hold !== undefined) holds.push(hold);
      }
    }
    return holds.length === 0 ? undefined : Promise.allSettled(holds).then(() => undefined);
  }
}
