import { crc32 } from 'node:zlib';
import type { IPublishPacket, MqttClient } from 'mqtt';
import type { Clock } from '../../platform/clock.ts';
import type { BrokerMessage, PublishOptions } from './types.ts';

/** While reading is paused, answers to pings stay unread; so often the panel pings the broker meanwhile. */
const SIGN_OF_LIFE_MS = 7_000;

/** So many messages are delivered before the rest of the service has its turn: a burst must not keep HTTP waiting. */
const MOST_A_TURN = 16;

/** Lets MQTT.js send the acknowledgement and read on. */
type Done = (error?: Error) => void;

/**
 * Messages from the broker, in their order: each is acknowledged first and then passed to the listeners. None is read
 * while a listener asks for a pause.
 */
export class IncomingMessages {
  readonly #clock: Clock;
  readonly #tell: (message: BrokerMessage) => Promise<void> | undefined;
  readonly #deduplicator: MessageDeduplicator;
  readonly #inbox: BrokerMessage[] = [];
  #isTelling = false;
  #hold: Promise<void> | undefined;
  /** Messages of this turn of the event loop. */
  #thisTurn = 0;

  constructor(clock: Clock, tell: (message: BrokerMessage) => Promise<void> | undefined) {
    this.#clock = clock;
    this.#tell = tell;
    this.#deduplicator = new MessageDeduplicator(clock);
  }

  /** Takes a message of a client's `handleMessage`. */
  take(client: MqttClient, packet: IPublishPacket, done: Done): void {
    if (this.#hold === undefined) {
      if (this.#mayBeTold()) this.#accept(packet, done);
      else setImmediate(() => this.#later(client, packet, done));
      return;
    }
    const cancel = this.#signsOfLife(client);
    void this.#hold.then(() => {
      cancel();
      this.#later(client, packet, done);
    });
  }

  #later(client: MqttClient, packet: IPublishPacket, done: Done): void {
    // Else it is not acknowledged: the broker sends it again in the next connection.
    if (client.connected) this.take(client, packet, done);
  }

  #mayBeTold(): boolean {
    if (this.#thisTurn === 0)
      setImmediate(() => {
        this.#thisTurn = 0;
      });
    return this.#thisTurn++ < MOST_A_TURN;
  }

  #accept(packet: IPublishPacket, done: Done): void {
    const message = messageOf(packet);
    const { messageId, dup: isDuplicate, qos } = packet;
    const isKnown =
      qos > 0 && messageId !== undefined && this.#deduplicator.note({ ...message, messageId, isDuplicate });
    if (!isKnown) this.#inbox.push(message);
    // The next message may come within this call: the inbox keeps the order.
    done();
    this.#tellAll();
  }

  #tellAll(): void {
    if (this.#isTelling) return;
    this.#isTelling = true;
    for (let message = this.#inbox.shift(); message !== undefined; message = this.#inbox.shift()) {
      const hold = this.#tell(message);
      if (hold !== undefined) this.#pauseUntil(hold);
    }
    this.#isTelling = false;
  }

  #pauseUntil(hold: Promise<void>): void {
    const all = Promise.all([this.#hold, hold]).then(() => {
      if (this.#hold === all) this.#hold = undefined;
    });
    this.#hold = all;
  }

  #signsOfLife(client: MqttClient): () => void {
    let cancel = () => {};
    const next = () => {
      cancel = this.#clock.after(SIGN_OF_LIFE_MS, () => {
        if (!client.connected) return;
        client.sendPing();
        client.reschedulePing(true);
        next();
      });
    };
    next();
    return () => cancel();
  }
}

function messageOf({ topic, payload, retain, properties }: IPublishPacket): BrokerMessage {
  return {
    topic,
    payload: typeof payload === 'string' ? Buffer.from(payload) : payload,
    isRetained: retain,
    responseTopic: properties?.responseTopic,
    correlationData: properties?.correlationData,
  };
}

/** How many acknowledged messages are remembered; no broker has more of them under way. */
const MOST_REMEMBERED = 1_024;
/** The session ends after a minute without a connection (session expiry), in milliseconds. */
const REMEMBERED_MS = 60_000;

interface Seen {
  readonly digest: number;
  readonly at: number;
}

/** A message with QoS 1 as it arrives. */
interface Arrived {
  readonly topic: string;
  readonly payload: Uint8Array;
  readonly messageId: number;
  readonly isDuplicate: boolean;
}

/**
 * Tells messages that the broker sends once more, because the connection was lost before it had the acknowledgement: they
 * were carried out already.
 */
export class MessageDeduplicator {
  readonly #clock: Clock;
  readonly #seen = new Map<number, Seen>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Remembers the message. @returns whether it was acknowledged before */
  note({ topic, payload, messageId, isDuplicate }: Arrived): boolean {
    // Not against forgery, and looked at only when the broker itself says that it sends a message again.
    const digest = crc32(payload, crc32(topic));
    const at = this.#clock.now();
    const seen = this.#seen.get(messageId);
    if (isDuplicate && seen?.digest === digest && at - seen.at < REMEMBERED_MS) return true;
    // Deleted first, so that the oldest one comes first.
    this.#seen.delete(messageId);
    this.#seen.set(messageId, { digest, at });
    if (this.#seen.size > MOST_REMEMBERED) this.#seen.delete(this.#seen.keys().next().value!);
    return false;
  }
}

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

  /** @returns whether the filter has no listener any more */
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
