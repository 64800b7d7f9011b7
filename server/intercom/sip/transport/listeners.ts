import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { createServer, isIPv4, isIPv6, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { FaceplateError } from '../../../contract/errors.ts';
import { RunningWork } from '../../../platform/async.ts';
import { errnoOf, errnoWords } from '../../../platform/errno.ts';
import type { Logger } from '../../../platform/log.ts';
import { plainAddress } from '../../../platform/net/addresses.ts';
import { OpenConnections } from '../../../platform/net/connections.ts';
import type { TlsIdentity } from '../../../platform/tls/ownCertificate.ts';
import type { Hop } from './hop.ts';
import type { Protocol } from './protocol.ts';

/** Time limit of a caller's TLS handshake, in milliseconds. */
const HANDSHAKE_MS = 5_000;
/** Incoming connections at one time, those in the handshake of TLS included. */
const MAX_CONNECTIONS = 100;
const PORT_TRIES = 20;
const LAST_PORT = 65_535;

export interface ListenerOptions {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  readonly log: Logger;
  /** TLS connections are accepted on the port after `port`, if there is a certificate. */
  readonly identity?: (() => Promise<TlsIdentity>) | undefined;
  /** Whether messages from this address are read at all. */
  readonly accepts: (address: string, protocol: Protocol) => boolean;
}

interface ListenerEvents {
  onDatagram(data: Buffer, host: string, port: number): void;
  /** A connection of a device that may call; with TLS, after the handshake. */
  onConnection(protocol: Protocol, socket: Socket): void;
}

/** The sockets that we listen on: UDP and TCP on one port, TLS on the next. Closed to all who may not call. */
export class Listeners {
  readonly #options: ListenerOptions;
  readonly #events: ListenerEvents;
  /** Of TCP and TLS, from before the handshake on. */
  readonly #connections = new OpenConnections({ most: MAX_CONNECTIONS });
  /** Datagrams that the system has not accepted yet. */
  readonly #sending = new RunningWork();
  #udp: UdpSocket | undefined;
  #tcp: Server | undefined;
  #tls: Server | undefined;
  #port = 0;

  constructor(options: ListenerOptions, events: ListenerEvents) {
    this.#options = options;
    this.#events = events;
  }

  /** The port of UDP and TCP; TLS has the next one. */
  portOf(protocol: Protocol): number {
    return protocol === 'tls' ? this.#port + 1 : this.#port;
  }

  /**
   * @throws FaceplateError PORT_BUSY, INVALID_REQUEST for an address that is not this machine's, or a port without a
   * next one for TLS; errors of `identity`
   */
  async start(): Promise<void> {
    const identity = await this.#options.identity?.();
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#listen(identity);
        return;
      } catch (error) {
        await this.stop();
        const isAnyPort = this.#options.port === 0;
        if (isAnyPort && attempt < PORT_TRIES) continue;
        throw this.#sayWhy(error);
      }
    }
  }

  /** Ends all connections that came. */
  async stop(): Promise<void> {
    const [udp, tcp, tls] = [this.#udp, this.#tcp, this.#tls];
    this.#udp = this.#tcp = this.#tls = undefined;
    // A last refusal may still be on its way into the socket.
    await this.#sending.done();
    this.#connections.destroyAll();
    if (udp !== undefined) await new Promise<void>((resolve) => closeUdp(udp, resolve));
    for (const server of [tcp, tls]) {
      if (server?.listening === true) await new Promise<void>((resolve) => server.close(() => resolve()));
    }
  }

  /** @throws Error of the system, or if nothing listens. */
  sendDatagram(data: Buffer, hop: Pick<Hop, 'host' | 'port'>): Promise<void> {
    const host = isIPv6(this.#options.host) && isIPv4(hop.host) ? `::ffff:${hop.host}` : hop.host;
    const sending = new Promise<void>((resolve, reject) => {
      if (this.#udp === undefined) reject(new Error('stopped'));
      else this.#udp.send(data, hop.port, host, (error) => (error === null ? resolve() : reject(error)));
    });
    return this.#sending.add(sending);
  }

  async #listen(identity: TlsIdentity | undefined): Promise<void> {
    const { host, port } = this.#options;
    if (identity !== undefined && port === LAST_PORT)
      throw new FaceplateError('INVALID_REQUEST', `The SIP port ${port} has no next one for TLS.`, {
        field: 'sip.port',
      });
    this.#port = await this.#listenUdp();
    this.#tcp = createServer((socket) => {
      socket.on('error', () => {});
      if (this.#takes('tcp', socket)) this.#events.onConnection('tcp', socket);
    });
    await listen(this.#tcp, this.#port, host);
    if (identity === undefined) return;
    this.#tls = this.#tlsServer(identity);
    await listen(this.#tls, this.#port + 1, host);
  }

  async #listenUdp(): Promise<number> {
    const { host, port, log } = this.#options;
    const udp = createSocket({ type: isIPv6(host) ? 'udp6' : 'udp4' });
    this.#udp = udp;
    udp.on('message', (data, { address, port: from }) => {
      if (this.#mayCome('udp', address)) this.#events.onDatagram(data, plainAddress(address), from);
    });
    await new Promise<void>((resolve, reject) => {
      udp.once('error', reject);
      udp.bind(port, host, () => resolve());
    });
    udp.removeAllListeners('error');
    udp.on('error', (error) => log.debug({ err: error }, 'intercom: SIP socket failed'));
    return udp.address().port;
  }

  #tlsServer(identity: TlsIdentity): Server {
    const options = { ...identity, minVersion: 'TLSv1.2', handshakeTimeout: HANDSHAKE_MS } as const;
    const server = createTlsServer(options, (socket) => {
      socket.on('error', () => {});
      this.#events.onConnection('tls', socket);
    });
    server.on('tlsClientError', (_error, socket: TLSSocket) => socket.destroy());
    // Before any byte of the handshake is read.
    server.on('connection', (socket: Socket) => this.#takes('tls', socket));
    return server;
  }

  /** Closes a connection of somebody who may not call, and one too many. */
  #takes(protocol: Protocol, socket: Socket): boolean {
    if (this.#mayCome(protocol, socket.remoteAddress)) return this.#connections.take(socket);
    socket.destroy();
    return false;
  }

  #mayCome(protocol: Protocol, address = ''): boolean {
    return this.#options.accepts(plainAddress(address), protocol);
  }

  #sayWhy(error: unknown): Error {
    const name = errnoOf(error);
    const { host } = this.#options;
    // For UDP and TCP, or for TLS.
    const port = (error as { port?: number }).port ?? this.#options.port;
    if (name === 'EADDRINUSE')
      return new FaceplateError(
        'PORT_BUSY',
        `The SIP port ${port} is in use by another program. Set sip.port to another one.`,
        { cause: error },
      );
    if (name === undefined) return error instanceof Error ? error : new Error(String(error));
    return new FaceplateError(
      'INVALID_REQUEST',
      `The intercom cannot listen on ${host}, port ${port}: ${errnoWords(name)}.`,
      { cause: error },
    );
  }
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.removeListener('error', reject);
      server.on('error', () => {});
      resolve();
    });
  });
}

function closeUdp(socket: UdpSocket, done: () => void): void {
  try {
    socket.close(done);
  } catch {
    // It never listened.
    done();
  }
}
