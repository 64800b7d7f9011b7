import { readFile, stat } from 'node:fs/promises';
import { connect as connectTcp, isIP } from 'node:net';
import { Duplex } from 'node:stream';
import { connect as connectTls, createSecureContext } from 'node:tls';
import type { MqttClient } from 'mqtt';
import { streamBuilder as webSocket } from 'mqtt/lib/connect/ws';
import { errnoOf, errnoWords } from '../../platform/errno.ts';
import { trustedAuthorities } from '../../platform/net/trustedTls.ts';

/** Largest file, in bytes; authorities are a few KiB each. */
const MOST_FILE_BYTES = 1024 * 1024;

/** Certificates of the house for the connection to the broker, as PEM. */
interface TlsFiles {
  /** Authorities beside the system's. */
  readonly authorities: readonly string[];
  readonly certificate: string | undefined;
  readonly key: string | undefined;
}

/** The settings that name them; empty: none. */
export interface TlsPaths {
  readonly authorities: string | readonly string[];
  readonly certificate: string;
  readonly key: string;
}

/** A file that cannot be used. Its message is a path and the reason, never its content. */
export class UnreadableFile extends Error {
  constructor(path: string, words: string) {
    super(`${path}: ${words}`);
    this.name = 'UnreadableFile';
  }
}

/** 5 is MQTT 5, 4 is 3.1.1 (its CONNECT says so). */
export type ProtocolVersion = 4 | 5;

/** What the broker sends is no MQTT: nothing behind it can be believed (MQTT 5 section 4.13, 3.1.1 section 4.8). */
export class MalformedPacket extends Error {
  override readonly name = 'MalformedPacket';
}

/** Reads them again, so that a renewed certificate is taken with the next connection. @throws UnreadableFile */
export async function readTlsFiles({ authorities, certificate, key }: TlsPaths): Promise<TlsFiles> {
  const paths = [authorities].flat().filter((path) => path !== '');
  const files = {
    authorities: await Promise.all(paths.map((path) => readPem(path, (pem) => ({ ca: pem })))),
    certificate: certificate === '' ? undefined : await readPem(certificate, (pem) => ({ cert: pem })),
    key: key === '' ? undefined : await readPem(key, (pem) => ({ key: pem })),
  };
  if ((certificate === '') !== (key === ''))
    throw new UnreadableFile(certificate || key, 'mqtt.certificate and mqtt.key belong together');
  if (files.certificate !== undefined && files.key !== undefined)
    checkPem(certificate, { cert: files.certificate, key: files.key }, 'does not fit the key');
  return files;
}

async function readPem(path: string, use: (pem: string) => Parameters<typeof createSecureContext>[0]) {
  try {
    const { size } = await stat(path);
    if (size > MOST_FILE_BYTES) throw new UnreadableFile(path, `is larger than ${MOST_FILE_BYTES} bytes`);
    const pem = await readFile(path, 'utf8');
    if (!pem.includes('-----BEGIN ')) throw new UnreadableFile(path, 'is no PEM file');
    checkPem(path, use(pem), 'is no PEM file of this kind');
    return pem;
  } catch (error) {
    if (error instanceof UnreadableFile) throw error;
    const errno = errnoOf(error);
    throw new UnreadableFile(path, errno === undefined ? 'cannot be read' : errnoWords(errno));
  }
}

/** OpenSSL's words are left out: they may quote the content of the file. */
function checkPem(path: string, use: Parameters<typeof createSecureContext>[0], words: string): void {
  try {
    createSecureContext(use);
  } catch {
    throw new UnreadableFile(path, words);
  }
}

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
function tlsOptions({ host }: BrokerPlace, { authorities, certificate, key }: TlsFiles) {
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

/**
 * The bytes to and from a broker, messages that are too long cut short. Emits `malformed` with a MalformedPacket where they
 * are no packets.
 */
export class BrokerStream extends Duplex {
  readonly #way: Duplex;
  readonly #packets = new ClippedPackets(MOST_PACKET_BYTES);
  #hasAnswered = false;
  #isGathering = false;
  #isAbandoned = false;

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

  /** Reads and writes nothing more but these last words, and closes without waiting for the broker. */
  abandon(lastWords: Uint8Array): void {
    if (this.#isAbandoned || this.destroyed) return;
    this.#isAbandoned = true;
    if (lastWords.length > 0) this.#way.write(lastWords);
    setImmediate(() => this.destroy());
  }

  #arrived(chunk: Buffer): void {
    if (this.#isAbandoned) return;
    this.#hasAnswered = true;
    this.#gather();
    try {
      let isWanted = true;
      for (const part of this.#packets.take(chunk)) isWanted = this.push(part);
      if (!isWanted) this.#way.pause();
    } catch (error) {
      this.emit('malformed', error);
    }
  }

  /** The answers to these bytes leave together: an acknowledgement and the answer of a command cost one write, not two. */
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
    if (this.#isAbandoned) done();
    else this.#way.write(chunk, done);
  }

  override _writev(
    chunks: readonly { readonly chunk: Buffer }[],
    done: (error?: Error | null) => void,
  ): void {
    if (this.#isAbandoned) done();
    else this.#way.write(Buffer.concat(chunks.map(({ chunk }) => chunk)), done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#way.end(done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#way.destroy();
    done(error);
  }
}

const PUBLISH = 3;
/** Longest fixed header: a type and a length of four bytes (MQTT 5, 2.1). */
const MOST_HEADER_BYTES = 5;
/** What remains of a longer message: its topic and more than a command may be long. */
const KEPT_BYTES = 1_280 * 1_024;

/**
 * Shortens messages in the bytes of a broker before anybody holds them: MQTT 3.1.1 knows no largest packet, and one
 * message may have 256 MiB. A shortened one is still a packet, so it can be acknowledged and refused.
 */
export class ClippedPackets {
  readonly #mostBytes: number;
  /** The beginning of a header whose end has not come. */
  #header: Buffer = Buffer.alloc(0);
  /** Bytes of the packet that are handed on. */
  #pass = 0;
  /** Bytes of the packet that are left out after them. */
  #skip = 0;

  /** @param mostBytes longest packet that is left whole, without its header */
  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  /** What is left of the next bytes. @throws MalformedPacket when they are no MQTT, or a packet that is no message is too long */
  take(chunk: Buffer): Buffer[] {
    const parts: Buffer[] = [];
    let bytes = this.#header.length === 0 ? chunk : Buffer.concat([this.#header, chunk]);
    this.#header = Buffer.alloc(0);
    /** Where the bytes begin that are handed on as they are. */
    let from = 0;
    for (let at = 0; at < bytes.length; ) {
      if (this.#pass > 0) {
        const taken = Math.min(this.#pass, bytes.length - at);
        this.#pass -= taken;
        at += taken;
      } else if (this.#skip > 0) {
        if (at > from) parts.push(bytes.subarray(from, at));
        const left = Math.min(this.#skip, bytes.length - at);
        this.#skip -= left;
        bytes = bytes.subarray(at + left);
        from = 0;
        at = 0;
      } else {
        const header = headerAt(bytes, at);
        if (header === undefined) {
          this.#header = Buffer.from(bytes.subarray(at));
          bytes = bytes.subarray(0, at);
          break;
        }
        const isLong = header.length > this.#mostBytes;
        if (isLong && bytes[at]! >> 4 !== PUBLISH) throw new MalformedPacket('it is too long');
        if (isLong) {
          if (at > from) parts.push(bytes.subarray(from, at));
          parts.push(Buffer.concat([bytes.subarray(at, at + 1), encodedLength(KEPT_BYTES)]));
          from = header.end;
        }
        this.#pass = isLong ? KEPT_BYTES : header.length;
        this.#skip = header.length - this.#pass;
        at = header.end;
      }
    }
    if (bytes.length > from) parts.push(bytes.subarray(from));
    return parts;
  }
}

interface Header {
  /** Bytes of the packet after its header. */
  readonly length: number;
  /** Where the header ends. */
  readonly end: number;
}

/** @returns undefined when its end has not come @throws MalformedPacket when the length is none */
function headerAt(bytes: Buffer, start: number): Header | undefined {
  let length = 0;
  for (let at = start + 1; at < bytes.length; at++) {
    const byte = bytes[at]!;
    length += (byte & 0x7f) * 128 ** (at - start - 1);
    if (byte < 0x80) return { length, end: at + 1 };
    if (at - start + 1 >= MOST_HEADER_BYTES) throw new MalformedPacket('its length is none');
  }
  return undefined;
}

/** A length as MQTT 5 section 1.5.5 has it. */
function encodedLength(length: number): Buffer {
  const bytes: number[] = [];
  for (let rest = length; bytes.length === 0 || rest > 0; rest = Math.floor(rest / 128))
    bytes.push((rest % 128) + (rest >= 128 ? 128 : 0));
  return Buffer.from(bytes);
}
