import type { Duplex } from 'node:stream';
import { type IClientPublishOptions, MqttClient } from 'mqtt';
import { MOST_PACKET_BYTES } from './brokerStream.ts';
import type { PublishOptions } from './types.ts';

/** 5 is MQTT 5, 4 is 3.1.1 (its CONNECT says so). */
export type ProtocolVersion = 4 | 5;

/** Seconds. The will waits a little longer than a restart of the service needs, so a restart goes unnoticed. */
const KEEPALIVE = 15;
const WILL_DELAY = 4;
const SESSION_EXPIRY = 60;
/** Messages that the broker may have under way to the panel. */
const RECEIVE_MAXIMUM = 100;
/** How long a broker may take to answer a connection, in milliseconds. */
const CONNECT_LIMIT_MS = 15_000;

interface ClientOptions {
  readonly version: ProtocolVersion;
  readonly clientId: string;
  readonly username: string;
  readonly password: string;
  readonly willTopic: string;
  /** How long the broker may take to answer, in milliseconds; a quarter of a minute without it. */
  readonly connectLimitMs?: number | undefined;
}

/** A client of MQTT.js for one connection: it never connects again by itself. */
export function newClient(stream: Duplex, options: ClientOptions): MqttClient {
  const { version, clientId, username, password, willTopic, connectLimitMs = CONNECT_LIMIT_MS } = options;
  const isVersion5 = version === 5;
  const properties = {
    sessionExpiryInterval: SESSION_EXPIRY,
    maximumPacketSize: MOST_PACKET_BYTES,
    receiveMaximum: RECEIVE_MAXIMUM,
  };
  return new MqttClient(() => stream as never, {
    protocolVersion: version,
    clientId,
    // A session of 3.1.1 would stay at the broker for ever.
    clean: !isVersion5,
    keepalive: KEEPALIVE,
    connectTimeout: connectLimitMs,
    reconnectPeriod: 0,
    resubscribe: false,
    timerVariant: 'native',
    // Else mqtt-packet makes a buffer of each number up to 65,535, which is 7 MiB.
    writeCache: false,
    ...(username !== '' && { username }),
    ...(password !== '' && { password }),
    ...(isVersion5 && { properties }),
    will: {
      topic: willTopic,
      payload: Buffer.from('offline'),
      qos: 1,
      retain: true,
      ...(isVersion5 && { properties: { willDelayInterval: WILL_DELAY } }),
    },
  });
}

/** What MQTT.js sends with a message. */
export function publishOptions(
  { isRetained = false, correlationData, responseTopic, properties }: PublishOptions,
  version: ProtocolVersion,
): IClientPublishOptions {
  const own = {
    ...(correlationData && { correlationData }),
    ...(responseTopic !== undefined && { responseTopic }),
    ...(properties && { userProperties: { ...properties } }),
  };
  return {
    qos: 1,
    retain: isRetained,
    ...(version === 5 && Object.keys(own).length > 0 && { properties: own }),
  };
}
