import { connect, isIP, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { FaceplateError } from '../../contract/errors.ts';
import {
  type CertificateTrust,
  connectTls,
  distrustOf,
  distrustSentence,
} from '../../platform/net/trustedTls.ts';
import type { TcpDriver, TcpEvents, TcpLink, TcpTarget } from './service.ts';

/** After so long without a byte the kernel asks whether the peer is still there, in milliseconds. */
const KEEPALIVE_MS = 30_000;

/** Connections by Node's sockets, with TLS where the certificate is trusted or pinned. */
export class SocketLinks implements TcpDriver {
  readonly #trust: CertificateTrust;

  constructor(trust: CertificateTrust) {
    this.#trust = trust;
  }

  open(target: TcpTarget, events: TcpEvents): TcpLink {
    return new SocketLink(target, events, this.#trust);
  }
}

class SocketLink implements TcpLink {
  readonly #socket: Socket;
  readonly #events: TcpEvents;
  /** What was sent before the certificate was judged. */
  #early: Uint8Array[] | undefined;
  #reading: Promise<void> | undefined;
  #isClosed = false;
  #failure: Error | undefined;

  constructor({ address, host, port, tls }: TcpTarget, events: TcpEvents, trust: CertificateTrust) {
    this.#events = events;
    const options = {
      host: address,
      port,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: KEEPALIVE_MS,
    };
    if (tls) {
      this.#early = [];
      // A certificate has to name what the caller asked for, not the address that replaces it.
      const socket = connectTls({ ...options, ...(isIP(host) === 0 && { servername: host }) }, trust);
      this.#socket = socket;
      socket.once('secureConnect', () => this.#judge(socket, { host, port }, trust));
    } else {
      this.#socket = connect(options);
      this.#socket.once('connect', () => this.#opened());
    }
    this.#socket.on('error', (error) => {
      this.#failure ??= error;
    });
    this.#socket.once('close', () => void this.#end());
  }

  get waiting(): number {
    const early = (this.#early ?? []).reduce((sum, { length }) => sum + length, 0);
    return this.#socket.writableLength + early;
  }

  send(bytes: Uint8Array): void {
    if (this.#early !== undefined) this.#early.push(bytes);
    else if (this.#socket.writable) this.#socket.write(bytes);
  }

  close(): void {
    this.#isClosed = true;
    if (this.#early === undefined) this.#socket.end();
  }

  destroy(): void {
    this.#early = undefined;
    this.#socket.destroy();
  }

  #judge(socket: TLSSocket, server: { host: string; port: number }, trust: CertificateTrust): void {
    const distrust = distrustOf(socket, server, trust);
    if (distrust !== undefined) {
      this.#failure = new FaceplateError('HARDWARE_ERROR', distrustSentence(distrust));
      this.destroy();
      return;
    }
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const bytes of early) socket.write(bytes);
    this.#opened();
    if (this.#isClosed) socket.end();
  }

  #opened(): void {
    this.#events.onOpen();
    this.#reading = this.#read();
  }

  /** The end is reported after all that was read, and after the answer to the opener where the socket fails at once. */
  async #end(): Promise<void> {
    await this.#reading;
    setImmediate(() => this.#events.onEnd(this.#failure));
  }

  /**
   * Reads a piece once the one before was taken: a reader who is slow slows the device down, by TCP itself. After the end
   * of the peer's half what waits is still sent, and then ours ends.
   */
  async #read(): Promise<void> {
    try {
      for await (const chunk of this.#socket.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        await this.#events.onData(chunk);
      }
    } catch {
      // 'close' tells why.
    }
  }
}
