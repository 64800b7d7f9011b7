import type { Duplex } from 'node:stream';
import { type IClientPublishOptions, MqttClient, type Packet } from 'mqtt';
import { MOST_PACKET_BYTES, type ProtocolVersion } from './brokerStream.ts';
import type { PublishOptions } from './types.ts';

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
  /** The broker drops what it has stored for this client. */
  readonly isFresh: boolean;
  /** How long the broker may take to answer, in milliseconds; a quarter of a minute without it. */
  readonly connectLimitMs?: number | undefined;
}

/** A client of MQTT.js for one connection: it never connects again by itself. */
export function newClient(stream: Duplex, options: ClientOptions): MqttClient {
  const { version, clientId, username, password, willTopic, isFresh } = options;
  const { connectLimitMs = CONNECT_LIMIT_MS } = options;
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
    clean: !isVersion5 || isFresh,
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

/** DISCONNECT of MQTT 5 with the reason malformed packet (section 3.14.2.1). */
export const MALFORMED_DISCONNECT = Uint8Array.of(0xe0, 1, 0x81);

/**
 * What is wrong with a packet that MQTT.js takes although a broker must not send it (MQTT 5 and 3.1.1, chapters 2 and 3).
 * @returns words for a sentence; undefined: nothing
 */
export function faultOf(packet: Packet, version: ProtocolVersion): string | undefined {
  const { cmd, messageId, length = 0 } = packet;
  switch (cmd) {
    case 'publish':
      if (packet.qos > 0 && !isPacketId(messageId)) return 'PUBLISH without a packet identifier';
      if (packet.topic === '' && packet.properties?.topicAlias === undefined)
        return 'PUBLISH without a topic';
      return /[+#\0]/.test(packet.topic) ? 'PUBLISH with a topic that is none' : undefined;
    case 'puback':
    case 'pubrec':
    case 'pubrel':
    case 'pubcomp':
    case 'suback':
    case 'unsuback':
      if (!isPacketId(messageId)) return `${cmd.toUpperCase()} without a packet identifier`;
      if (version === 4 && cmd !== 'suback' && length !== 2) return `${cmd.toUpperCase()} of ${length} bytes`;
      return undefined;
    case 'pingresp':
      return length === 0 ? undefined : `PINGRESP of ${length} bytes`;
    case 'connack':
      return length < 2 || (version === 4 && length !== 2) ? `CONNACK of ${length} bytes` : undefined;
    case 'disconnect':
    case 'auth':
      return version === 5 ? undefined : `${cmd.toUpperCase()}, which MQTT 3.1.1 does not let a broker send`;
    default:
      return `${String(cmd).toUpperCase()}, which only clients send`;
  }
}

function isPacketId(id: number | undefined): boolean {
  return id !== undefined && id > 0 && id <= 65_535;
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
