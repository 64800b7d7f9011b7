import type { PublishOptions } from './link.ts';

/** Most bytes that wait for a broker that does not take them. */
const MOST_WAITING_BYTES = 16 * 1024 * 1024;
/** Most messages that are under way, where the broker allows more. */
const MOST_UNDER_WAY = 256;
/** From so many on that wait, nothing is added that may be left out. */
const MANY_WAITING = 4_096;

export interface OutgoingMessage {
  readonly topic: string;
  readonly payload: string | Uint8Array;
  readonly options: PublishOptions;
}

interface Entry extends OutgoingMessage {
  readonly bytes: number;
  readonly settle: (error?: Error) => void;
}

/**
 * Messages on their way to the broker, over one connection: as many at a time as the broker takes (Receive Maximum, MQTT
 * 5 section 4.9), and a bounded number of bytes behind them.
 */
export class Outgoing {
  readonly #send: (message: OutgoingMessage, done: (error?: Error) => void) => void;
  readonly #most: number;
  readonly #underWay = new Set<Entry>();
  readonly #waiting = new Set<Entry>();
  #waitingBytes = 0;
  #hasEnded = false;
  #isFilling = false;
  readonly #idle: (() => void)[] = [];

  constructor(
    send: (message: OutgoingMessage, done: (error?: Error) => void) => void,
    receiveMaximum = MOST_UNDER_WAY,
  ) {
    this.#send = send;
    this.#most = Math.min(receiveMaximum, MOST_UNDER_WAY);
  }

  get isBehind(): boolean {
    return this.#waiting.size >= MANY_WAITING;
  }

  /** Resolves once the broker has it, or when the connection ends. @throws Error when the broker refuses it or takes nothing */
  add(message: OutgoingMessage): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#hasEnded) return resolve();
      const bytes = Buffer.byteLength(message.payload) + message.topic.length;
      const settle = (error?: Error) => (error === undefined ? resolve() : reject(error));
      const entry: Entry = { ...message, bytes, settle };
      if (this.#underWay.size < this.#most) return this.#begin(entry);
      if (this.#waitingBytes + bytes > MOST_WAITING_BYTES)
        return reject(new Error('the broker does not take what the panel sends'));
      this.#waiting.add(entry);
      this.#waitingBytes += bytes;
    });
  }

  /** Resolves when nothing is on its way any more. */
  idle(): Promise<void> {
    if (this.#underWay.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  /** The connection is over: what is on its way is dropped. */
  end(): void {
    this.#hasEnded = true;
    const entries = [...this.#underWay, ...this.#waiting];
    this.#underWay.clear();
    this.#waiting.clear();
    this.#waitingBytes = 0;
    for (const entry of entries) entry.settle();
    this.#rest();
  }

  #begin(entry: Entry): void {
    this.#underWay.add(entry);
    this.#send(entry, (error) => {
      if (!this.#underWay.delete(entry)) return;
      entry.settle(error);
      this.#next();
    });
  }

  /** A connection that ends refuses each message at once: then they follow each other here, and not within each other. */
  #next(): void {
    if (this.#isFilling) return;
    this.#isFilling = true;
    try {
      // A set is ordered, and its first entry costs the same however many there are.
      for (const entry of this.#waiting) {
        if (this.#underWay.size >= this.#most) break;
        this.#waiting.delete(entry);
        this.#waitingBytes -= entry.bytes;
        this.#begin(entry);
      }
    } finally {
      this.#isFilling = false;
    }
    if (this.#underWay.size === 0) this.#rest();
  }

  #rest(): void {
    for (const resolve of this.#idle.splice(0)) resolve();
  }
}
