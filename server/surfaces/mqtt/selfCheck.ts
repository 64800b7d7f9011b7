import { randomUUID } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import { SELF } from './commands.ts';
import type { BrokerLink, BrokerNames } from './link.ts';

/** How long the message may take, in milliseconds. */
const LIMIT_MS = 5_000;
/** A broker whose access list was mended says nothing of it, in milliseconds. */
const AGAIN_MS = 60_000;

interface SelfCheckOptions {
  readonly link: BrokerLink;
  readonly names: BrokerNames;
  /** @param words what is wrong; null: nothing */
  readonly say: (words: string | null) => void;
  readonly clock: Clock;
}

/**
 * Whether commands reach the panel: a broker grants a subscription that its access list forbids, and then keeps silent.
 * So the panel says something to itself, at `<id>/command/self`.
 */
export class SelfCheck {
  readonly #options: SelfCheckOptions;
  #word = '';
  #end = () => {};
  #cancel = () => {};
  #hasFailed = false;

  constructor(options: SelfCheckOptions) {
    this.#options = options;
  }

  start(): void {
    const { link, names } = this.#options;
    // The filter of the commands itself: it is what has to work.
    this.#end = link.subscribe(`${names.prefix}/${names.id}/command/+`, ({ topic, payload }) => {
      if (topic !== this.#topic || this.#word === '' || payload.toString() !== this.#word) return;
      this.#word = '';
      this.#cancel();
      if (this.#hasFailed) this.#options.say(null);
      this.#hasFailed = false;
    });
  }

  /** Begins anew, after each connection. */
  check(): void {
    const { link, clock } = this.#options;
    this.#cancel();
    this.#word = randomUUID();
    let isRefused = false;
    this.#cancel = clock.after(LIMIT_MS, () => {
      if (!link.isConnected) return;
      this.#hasFailed = true;
      this.#options.say(isRefused ? `it refuses ${this.#topic}` : `${this.#topic} does not arrive`);
      this.#cancel = clock.after(AGAIN_MS, () => this.check());
    });
    link.publish(this.#topic, this.#word).catch(() => {
      isRefused = true;
    });
  }

  stop(): void {
    this.#cancel();
    this.#end();
  }

  get #topic(): string {
    const { prefix, id } = this.#options.names;
    return `${prefix}/${id}/command/${SELF}`;
  }
}
