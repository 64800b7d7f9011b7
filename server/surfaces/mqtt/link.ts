import type { MqttFacts } from './contract.ts';

/** A message that came from the broker. */
export interface BrokerMessage {
  readonly topic: string;
  readonly payload: Buffer;
  /** The broker kept it and replays it. */
  readonly isRetained: boolean;
  /** MQTT 5 only. */
  readonly responseTopic?: string | undefined;
  readonly correlationData?: Buffer | undefined;
}

export interface PublishOptions {
  readonly isRetained?: boolean;
  readonly correlationData?: Buffer | undefined;
  /** MQTT 5 only: where the answer shall go. */
  readonly responseTopic?: string | undefined;
  /** User properties; 3.1.1 has none. */
  readonly properties?: Readonly<Record<string, string>>;
}

/** The connection to the broker, as the parts of this surface need it. */
export interface BrokerLink {
  readonly isConnected: boolean;
  /** Whether the broker speaks MQTT 5; else it is 3.1.1, without properties. */
  readonly isVersion5: boolean;
  /** `<host>:<port>` of the broker, for the journal. */
  readonly address: string;
  /** Whether so many messages wait for the broker that one more is not worth its memory, unless it is needed. */
  readonly isBehind: boolean;
  /**
   * Sends with QoS 1. Resolves once the broker has it; while it is away the message is dropped, for states are sent
   * anew after each connection.
   * @throws Error when the broker refuses it
   */
  publish(topic: string, payload: string | Uint8Array, options?: PublishOptions): Promise<void>;
  /**
   * Hears the topics of a filter, also after each reconnection, until the returned function is called.
   * @param filter as MQTT 5 section 4.7 has it
   * @param heard told of a message that was acknowledged before; while a promise of its is open nothing more is read
   */
  subscribe(filter: string, heard: (message: BrokerMessage) => void | Promise<void>): () => void;
  /** Told after each connection, when the subscriptions stand; the parts send their states then. */
  onConnected(listener: () => void): () => void;
}

/** The settings of the surface, as they are for one connection. */
export interface BrokerNames {
  readonly prefix: string;
  readonly id: string;
  readonly groups: readonly string[];
  /** Empty: no discovery. */
  readonly discovery: string;
}

/** What the panel says of its connection. */
export type ConnectionFacts = Pick<MqttFacts, 'state' | 'reason'>;
