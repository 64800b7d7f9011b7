import type { IPublishPacket, MqttClient } from 'mqtt';
import type { Clock } from '../../platform/clock.ts';
import type { BrokerMessage } from './link.ts';
import { Redelivered } from './redelivered.ts';

/** While the reading stops, answers to pings stay unread; so often is the broker told that the panel lives. */
const SIGN_OF_LIFE_MS = 7_000;

/** So many messages are told before everything else in the service has its turn: a burst must not keep HTTP waiting. */
const MOST_A_TURN = 16;

/** Lets MQTT.js send the acknowledgement and read on. */
type Done = (error?: Error) => void;

/**
 * Messages from the broker, in their order: each is acknowledged first and told then, and none is read while somebody who
 * hears them asks for a pause.
 */
export class IncomingMessages {
  readonly #clock: Clock;
  readonly #tell: (message: BrokerMessage) => Promise<void> | undefined;
  readonly #redelivered: Redelivered;
  readonly #inbox: BrokerMessage[] = [];
  #isTelling = false;
  #hold: Promise<void> | undefined;
  /** Messages of this turn of the event loop. */
  #thisTurn = 0;

  constructor(clock: Clock, tell: (message: BrokerMessage) => Promise<void> | undefined) {
    this.#clock = clock;
    this.#tell = tell;
    this.#redelivered = new Redelivered(clock);
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
      qos > 0 && messageId !== undefined && this.#redelivered.note({ ...message, messageId, isDuplicate });
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
