import { connect as connectTcp, isIP } from 'node:net';
import { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import type { MqttClient } from 'mqtt';
import { streamBuilder as webSocket } from 'mqtt/lib/connect/ws';
import { trustedAuthorities } from '../../platform/trustedAuthorities.ts';
import { ClippedPackets } from './clippedPackets.ts';
import type { TlsFiles } from './tlsFiles.ts';

/** Largest packet that is announced to the broker, and the longest that is taken whole, in bytes. */
export const MOST_PACKET_BYTES = 2 * 1024 * 1024;

const PORTS: Readonly<Record<string, number>> = { 'mqtt:': 1883, 'mqtts:': 8883, 'ws:': 80, 'wss:': 443 };

/** Where a broker is. */
export interface BrokerPlace {
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
  readonly isWeb: boolean;
  readonly path: string;
}

/** @param url as `mqtt.url` has it */
export function brokerPlace(url: string): BrokerPlace {
  const { protocol, hostname, port, pathname, search } = new URL(url);
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? PORTS[protocol]! : Number(port),
    isTls: protocol === 'mqtts:' || protocol === 'wss:',
    isWeb: protocol === 'ws:' || protocol === 'wss:',
    path: `${pathname || '/'}${search}`,
  };
}

/** Options of a TLS connection to the broker; its certificate is verified in any case. */
export function tlsOptions({ host }: BrokerPlace, { authorities, certificate, key }: TlsFiles) {
  return {
    ca: [...trustedAuthorities(), ...authorities],
    rejectUnauthorized: true,
    ...(isIP(host) === 0 && { servername: host }),
    ...(certificate !== undefined && { cert: certificate }),
    ...(key !== undefined && { key }),
  };
}

/** Opens the way to the broker. @throws Error when certificate and key do not fit each other */
function open(place: BrokerPlace, files: TlsFiles): Duplex {
  const { host, port, isTls, isWeb, path } = place;
  const tls = isTls ? tlsOptions(place, files) : {};
  if (isWeb) {
    const hostname = isIP(host) === 6 ? `[${host}]` : host;
    const wsOptions = { ...tls, maxPayload: 4 * MOST_PACKET_BYTES, perMessageDeflate: false };
    const options = { protocol: isTls ? 'wss' : 'ws', hostname, port, path, wsOptions } as const;
    return webSocket({} as MqttClient, { ...options, protocolVersion: 5 }) as unknown as Duplex;
  }
  const socket = isTls ? connectTls({ host, port, ...tls }) : connectTcp({ host, port });
  return socket.setNoDelay(true);
}

/** The bytes to and from a broker, messages that are too long cut short. */
export class BrokerStream extends Duplex {
  readonly #way: Duplex;
  readonly #packets = new ClippedPackets(MOST_PACKET_BYTES);
  #hasAnswered = false;
  #isGathering = false;

  /** @throws Error when certificate and key do not fit each other */
  constructor(place: BrokerPlace, files: TlsFiles) {
    super();
    const way = open(place, files);
    this.#way = way;
    way.on('data', (chunk: Buffer) => this.#arrived(chunk));
    way.on('end', () => this.push(null));
    way.on('error', (error) => this.destroy(error));
    way.on('close', () => this.destroy());
  }

  /** Whether anything came from the broker. */
  get hasAnswered(): boolean {
    return this.#hasAnswered;
  }

  #arrived(chunk: Buffer): void {
    this.#hasAnswered = true;
    this.#gather();
    try {
      let isWanted = true;
      for (const part of this.#packets.take(chunk)) isWanted = this.push(part);
      if (!isWanted) this.#way.pause();
    } catch (error) {
      this.destroy(error as Error);
    }
  }

  /** What is said to these bytes goes out at once: an acknowledgement and the answer of a command cost one write, not two. */
  #gather(): void {
    if (this.#isGathering) return;
    this.#isGathering = true;
    this.cork();
    setImmediate(() => {
      this.#isGathering = false;
      this.uncork();
    });
  }

  override _read(): void {
    this.#way.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#way.write(chunk, done);
  }

  override _writev(
    chunks: readonly { readonly chunk: Buffer }[],
    done: (error?: Error | null) => void,
  ): void {
    this.#way.write(Buffer.concat(chunks.map(({ chunk }) => chunk)), done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#way.end(done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#way.destroy();
    done(error);
  }
}
