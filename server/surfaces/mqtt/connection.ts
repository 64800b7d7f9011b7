import type { IConnackPacket, IPublishPacket, MqttClient } from 'mqtt';
import { inTime } from '../../platform/async.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import {
  type BrokerPlace,
  BrokerStream,
  brokerPlace,
  MalformedPacket,
  type ProtocolVersion,
  readTlsFiles,
  type TlsPaths,
} from './brokerStream.ts';
import { type Heard, IncomingMessages, Outgoing, type OutgoingMessage, Subscriptions } from './messages.ts';
import { faultOf, MALFORMED_DISCONNECT, newClient, publishOptions } from './mqttClient.ts';
import {
  isSilent,
  KEPT_BACK,
  LOST,
  malformedBy,
  portSpeaks,
  Reconnection,
  reasonOf,
  SHARED_ID,
  TAKEN_OVER,
  VersionChoice,
} from './reconnection.ts';
import type { BrokerLink, ConnectionFacts, PublishOptions } from './types.ts';

/** Longest that the last words and the end of the session may take, in milliseconds. */
const FAREWELL_MS = 1_000;
/** PUBACK of MQTT 5: not authorised. */
const NOT_AUTHORISED = 135;

export interface ConnectionOptions {
  readonly url: string;
  readonly username: string;
  readonly password: string;
  readonly files: TlsPaths;
  readonly clientId: string;
  /** Where the broker says `offline` when the panel is gone. */
  readonly willTopic: string;
  /** Called with each topic that is retained from now on, or was emptied. */
  readonly onRetained?: (topic: string, isEmptied: boolean) => void;
  readonly clock: Clock;
  /** How long the broker may take to answer a connection, in milliseconds; a quarter of a minute without it. */
  readonly connectLimitMs?: number;
  /** 0 to 1 */
  readonly random?: () => number;
  readonly log: Logger;
}

/** One connection over one network connection. */
interface Current {
  readonly client: MqttClient;
  readonly outgoing: Outgoing;
  readonly isVersion5: boolean;
  /** Bytes that the broker takes at once. */
  readonly mostBytes: number;
}

/**
 * The connection to the broker: maintained until it is stopped, with a new client for each try, so that nothing of an old
 * one is left. What is published while the broker is away is dropped.
 */
export class BrokerConnection implements BrokerLink {
  readonly #options: ConnectionOptions;
  readonly #place: BrokerPlace;
  readonly #subscriptions = new Subscriptions();
  readonly #reconnection: Reconnection;
  readonly #incoming: IncomingMessages;
  readonly #onConnected = new Set<() => void>();
  readonly #onFacts = new Set<(facts: ConnectionFacts) => void>();
  #current: Current | undefined;
  /** The client of the try under way. */
  #trying: MqttClient | undefined;
  #isReady = false;
  #trouble: string | null = null;
  #keptBack: string | null = null;
  #said: ConnectionFacts = { state: 'connecting', reason: null };
  readonly #versions = new VersionChoice();
  /** Whether the last connection ended at a malformed packet: what the broker has stored since would be carried out late. */
  #isFresh = false;
  #cancelRetry = () => {};
  #isStopped = false;

  constructor(options: ConnectionOptions) {
    const { clock, random = Math.random } = options;
    this.#options = options;
    this.#place = brokerPlace(options.url);
    this.#reconnection = new Reconnection(clock, random, () => this.#say());
    this.#incoming = new IncomingMessages(clock, (message) => this.#subscriptions.tell(message));
  }

  get isConnected(): boolean {
    return this.#current !== undefined;
  }

  get isVersion5(): boolean {
    return this.#current?.isVersion5 ?? true;
  }

  get isBehind(): boolean {
    return this.#current?.outgoing.isBehind ?? true;
  }

  get address(): string {
    const { host, port } = this.#place;
    return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  }

  get facts(): ConnectionFacts {
    const state = this.#isReady ? 'connected' : 'connecting';
    const isTakenAway = this.#reconnection.isCutOff && (this.#isReady || this.#trouble === LOST);
    if (isTakenAway) return { state, reason: SHARED_ID };
    return { state, reason: this.#isReady ? this.#keptBack : this.#trouble };
  }

  /** Called when the facts change. */
  onFacts(listener: (facts: ConnectionFacts) => void): () => void {
    this.#onFacts.add(listener);
    return () => this.#onFacts.delete(listener);
  }

  onConnected(listener: () => void): () => void {
    this.#onConnected.add(listener);
    return () => this.#onConnected.delete(listener);
  }

  /** Begins to connect, and continues until `stop`. */
  start(): void {
    void this.#try();
  }

  /**
   * Ends the connection and its session.
   * @param farewells sent before, where the broker is there
   */
  async stop(farewells: readonly OutgoingMessage[] = []): Promise<void> {
    if (this.#isStopped) return;
    const { clock } = this.#options;
    this.#isStopped = true;
    this.#cancelRetry();
    this.#reconnection.stop();
    const current = this.#current;
    if (current === undefined) {
      this.#trying?.end(true);
      return;
    }
    for (const { topic, payload, options } of farewells)
      this.publish(topic, payload, options).catch(() => {});
    await inTime(clock, FAREWELL_MS, current.outgoing.idle()).catch(() => {});
    const ended = new Promise<void>((resolve) => current.client.once('close', resolve));
    const properties = current.isVersion5 ? { properties: { sessionExpiryInterval: 0 } } : {};
    current.client.end(false, { reasonCode: 0, ...properties });
    await inTime(clock, FAREWELL_MS, ended).catch(() => {});
    current.client.end(true);
    current.client.stream.destroy();
    this.#ended(current);
  }

  publish(topic: string, payload: string | Uint8Array, options: PublishOptions = {}): Promise<void> {
    const current = this.#current;
    if (current === undefined) return Promise.resolve();
    if (Buffer.byteLength(payload) + topic.length > current.mostBytes)
      return Promise.reject(new Error('the broker does not take messages of this size'));
    return options.isRetained === true
      ? this.#retain(current, { topic, payload, options })
      : current.outgoing.add({ topic, payload, options });
  }

  subscribe(filter: string, heard: Heard): () => void {
    if (this.#subscriptions.add(filter, heard)) this.#ask([filter]);
    return () => {
      if (this.#subscriptions.remove(filter, heard)) this.#current?.client.unsubscribe(filter, () => {});
    };
  }

  /** The broker does not let through what it should. @param words what exactly; null: all is well again */
  noteKeptBack(words: string | null): void {
    this.#keptBack = words === null ? null : `${KEPT_BACK}: ${words}`;
    this.#say();
  }

  /** Only the panel's own topics are retained: where an answer may go is its caller's business. */
  async #retain({ outgoing }: Current, message: OutgoingMessage): Promise<void> {
    const { onRetained = () => {} } = this.#options;
    const { topic, payload } = message;
    const isEmptied = payload.length === 0;
    if (!isEmptied) onRetained(topic, false);
    try {
      await outgoing.add(message);
      if (isEmptied) onRetained(topic, true);
    } catch (error) {
      const isRefused = error instanceof Error && 'code' in error && error.code === NOT_AUTHORISED;
      if (isRefused && !isEmptied) this.noteKeptBack(`it refuses ${topic}`);
      throw error;
    }
  }

  async #try(version = this.#versions.next): Promise<void> {
    const { files, clientId, username, password, willTopic, connectLimitMs } = this.#options;
    try {
      const read = await readTlsFiles(files);
      if (this.#isStopped) return;
      const stream = new BrokerStream(this.#place, read);
      const isFresh = this.#isFresh;
      const named = { clientId, username, password, willTopic, connectLimitMs };
      const client = newClient(stream, { version, isFresh, ...named });
      this.#trying = client;
      this.#watch(client, stream, version);
    } catch (error) {
      this.#failed(await this.#reason(error));
    }
  }

  #watch(client: MqttClient, stream: BrokerStream, version: ProtocolVersion): void {
    let failure: unknown;
    let isTakenOver = false;
    let isBelieved = true;
    const failed = (error: unknown) => {
      failure ??= error;
    };
    const leave = (malformed: MalformedPacket) => {
      failed(malformed);
      stream.abandon(version === 5 ? MALFORMED_DISCONNECT : Buffer.alloc(0));
    };
    stream.on('error', failed);
    stream.on('malformed', leave);
    client.on('error', (error) => {
      const malformed = malformedBy(error, this.#current?.client === client);
      if (malformed === undefined) failed(error);
      else leave(malformed);
    });
    client.on('packetreceive', (packet) => {
      const fault = isBelieved ? faultOf(packet, version) : undefined;
      if (fault === undefined) return;
      isBelieved = false;
      leave(new MalformedPacket(fault));
    });
    client.on('disconnect', ({ reasonCode }) => {
      isTakenOver = reasonCode === TAKEN_OVER;
    });
    client.handleMessage = (packet, done) => {
      // Behind a malformed packet nothing is heard any more, also of what had come with it.
      if (isBelieved) this.#incoming.take(client, packet as IPublishPacket, done);
    };
    client.once('connect', (packet) => {
      if (isBelieved) this.#accepted(client, packet, version);
    });
    client.once('close', () => void this.#closed(client, { failure, isTakenOver, version }));
  }

  #accepted(client: MqttClient, { properties = {} }: IConnackPacket, version: ProtocolVersion): void {
    if (this.#isStopped) return void client.end(true);
    const { receiveMaximum, maximumPacketSize } = properties;
    const send = ({ topic, payload, options }: OutgoingMessage, done: (error?: Error) => void) =>
      client.publish(topic, payload as Buffer, publishOptions(options, version), (error) =>
        done(error ?? undefined),
      );
    this.#isFresh = false;
    this.#versions.accepted(version);
    this.#current = {
      client,
      outgoing: new Outgoing(send, receiveMaximum),
      isVersion5: version === 5,
      // Topic, properties and header have their share.
      mostBytes: maximumPacketSize === undefined ? Number.POSITIVE_INFINITY : maximumPacketSize - 1_024,
    };
    this.#keptBack = null;
    this.#reconnection.connected();
    this.#ask(this.#subscriptions.filters, () => {
      if (this.#current?.client !== client) return;
      this.#isReady = true;
      this.#trouble = null;
      this.#say();
      this.#options.log.info({ broker: this.address, version }, 'mqtt: connected');
      for (const listener of this.#onConnected) listener();
    });
  }

  /** Subscribes; `reason` reports a broker that refuses. */
  #ask(filters: readonly string[], then: () => void = () => {}): void {
    const current = this.#current;
    if (current === undefined) return;
    if (filters.length === 0) {
      then();
      return;
    }
    current.client.subscribe([...filters], { qos: 1, rap: false }, (error) => {
      if (error !== null && this.#current === current) this.noteKeptBack(`it refuses a subscription`);
      then();
    });
  }

  async #closed(
    client: MqttClient,
    { failure, isTakenOver, version }: { failure: unknown; isTakenOver: boolean; version: ProtocolVersion },
  ): Promise<void> {
    if (this.#trying === client) this.#trying = undefined;
    const isMalformed = failure instanceof MalformedPacket;
    if (isMalformed) this.#isFresh = true;
    if (this.#current?.client === client) {
      this.#ended(this.#current);
      if (!isMalformed) {
        this.#reconnection.lost(isTakenOver);
        return this.#failed(LOST);
      }
      this.#reconnection.stop();
      this.#versions.failed(version, failure);
      return this.#failed(reasonOf({ place: this.#place, error: failure, speaks: undefined }));
    }
    if (this.#isStopped) return;
    if (this.#versions.failed(version, failure) === 'at once') return this.#try(4);
    this.#failed(await this.#reason(failure));
  }

  #ended({ client, outgoing }: Current): void {
    if (this.#current?.client !== client) return;
    this.#current = undefined;
    this.#isReady = false;
    outgoing.end();
  }

  async #reason(error: unknown): Promise<string> {
    const speaks = isSilent(error) ? await portSpeaks(this.#place) : undefined;
    return reasonOf({ place: this.#place, error, speaks });
  }

  #failed(reason: string): void {
    if (this.#isStopped) return;
    this.#trouble = reason;
    this.#say();
    this.#cancelRetry = this.#options.clock.after(this.#reconnection.pause(), () => void this.#try());
  }

  #say(): void {
    const { facts } = this;
    if (facts.state === this.#said.state && facts.reason === this.#said.reason) return;
    if (facts.reason !== null && facts.reason !== this.#said.reason)
      this.#options.log.warn({ broker: this.address, reason: facts.reason }, 'mqtt: not connected');
    this.#said = facts;
    for (const listener of this.#onFacts) listener(facts);
  }
}
