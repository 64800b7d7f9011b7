import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { connect, createServer, isIPv4, isIPv6, type Server, type Socket } from 'node:net';
import { connect as connectTls, createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { FaceplateError } from '../../contract/errors.ts';
import type { Clock } from '../../observe/clock.ts';
import { errnoOf, errnoWords } from '../../observe/errno.ts';
import type { Logger } from '../../observe/log.ts';
import { formatVia, type Via } from '../message/fields.ts';
import { type Parsed, parseMessage } from '../message/parse.ts';
import { type Hop, MAX_UDP_REQUEST, type Protocol, plainAddress, type Source, samePlace } from './hop.ts';
import { LocalAddresses } from './localAddress.ts';
import { StreamConnection } from './streamConnection.ts';
import {
  distrustOf,
  inWords,
  systemTrust,
  type TlsIdentity,
  type TlsTrust,
  trustedAuthorities,
} from './tlsTrust.ts';

/** How long opening a connection may take, in milliseconds. */
const CONNECT_MS = 5_000;
/** The same where it is only tried because a request is large. */
const TRY_TCP_MS = 1_000;
/** How long a host without TCP is remembered. */
const NO_TCP_MS = 10 * 60_000;
const MAX_CONNECTIONS = 100;
const PORT_TRIES = 20;
const LAST_PORT = 65_535;

export interface TransportOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly clock: Clock;
  readonly log: Logger;
  readonly trust?: TlsTrust | undefined;
  /** TLS connections are taken on the port after `port`, where there is a certificate for them. */
  readonly identity?: (() => Promise<TlsIdentity>) | undefined;
  /** Whether anything from this address is read at all. */
  readonly accepts: (address: string) => boolean;
  readonly onMessage: (message: Parsed, source: Source) => void;
  readonly onConnectionClosed: (connection: StreamConnection) => void;
}

/** Sends and receives messages over UDP, TCP and TLS (RFC 3261 section 18). */
export class Transport {
  readonly #options: TransportOptions;
  readonly #addresses: LocalAddresses;
  readonly #connections = new Set<StreamConnection>();
  readonly #opening = new Map<string, Promise<StreamConnection>>();
  readonly #sockets = new Set<Socket>();
  readonly #withoutTcp = new Map<string, number>();
  #udp: UdpSocket | undefined;
  #tcp: Server | undefined;
  #tls: Server | undefined;
  #port = 0;

  constructor(options: TransportOptions) {
    this.#options = options;
    this.#addresses = new LocalAddresses(options.host, options.clock);
  }

  /** The port of UDP and TCP; TLS has the next one. */
  portOf(protocol: Protocol): number {
    return protocol === 'tls' ? this.#port + 1 : this.#port;
  }

  /** Our own address as the far end sees it. @throws Error of the system where there is no route. */
  localAddress(host: string): Promise<string> {
    return this.#addresses.towards(host);
  }

  /**
   * @throws FaceplateError PORT_BUSY, INVALID_REQUEST for an address that is not this machine's or a port without a next
   * one for TLS; what `identity` throws
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

  async #listen(identity: TlsIdentity | undefined): Promise<void> {
    const { host, port } = this.#options;
    if (identity !== undefined && port === LAST_PORT)
      throw new FaceplateError('INVALID_REQUEST', `The SIP port ${port} has no next one for TLS.`, {
        field: 'sip.port',
      });
    const udp = createSocket({ type: isIPv6(host) ? 'udp6' : 'udp4' });
    this.#udp = udp;
    udp.on('message', (data, { address, port: from }) => this.#onDatagram(data, plainAddress(address), from));
    await new Promise<void>((resolve, reject) => {
      udp.once('error', reject);
      udp.bind(port, host, () => resolve());
    });
    udp.removeAllListeners('error');
    udp.on('error', (error) => this.#options.log.debug({ err: error }, 'sip socket'));
    this.#port = udp.address().port;
    this.#tcp = createServer((socket) => this.#onConnection('tcp', socket));
    await listen(this.#tcp, this.#port, host);
    if (identity === undefined) return;
    const options = { ...identity, minVersion: 'TLSv1.2', handshakeTimeout: CONNECT_MS } as const;
    this.#tls = createTlsServer(options, (socket) => this.#onConnection('tls', socket));
    this.#tls.on('tlsClientError', (_error, socket: TLSSocket) => socket.destroy());
    // Before a word of the handshake is read.
    this.#tls.on('connection', (socket: Socket) => {
      if (!this.#mayCome(socket) || this.#sockets.size >= MAX_CONNECTIONS) socket.destroy();
      else this.#track(socket);
    });
    await listen(this.#tls, this.#port + 1, host);
  }

  async stop(): Promise<void> {
    const [udp, tcp, tls] = [this.#udp, this.#tcp, this.#tls];
    this.#udp = this.#tcp = this.#tls = undefined;
    for (const connection of this.#connections) connection.destroy();
    this.#connections.clear();
    for (const socket of this.#sockets) socket.destroy();
    if (udp !== undefined) await new Promise<void>((resolve) => closeUdp(udp, resolve));
    for (const server of [tcp, tls]) {
      if (server?.listening === true) await new Promise<void>((resolve) => server.close(() => resolve()));
    }
  }

  /** Our top Via towards a hop. @throws Error of the system where there is no route. */
  async via(hop: Hop, branch: string): Promise<Via> {
    const host = await this.localAddress(hop.host);
    // RFC 3581 section 3: an empty rport asks for the answer to come back to the port that we send from.
    const params = new Map([
      ['branch', branch],
      ...(hop.protocol === 'udp' ? ([['rport', '']] as const) : []),
    ]);
    return { transport: hop.protocol.toUpperCase(), host, port: this.portOf(hop.protocol), params };
  }

  /**
   * The hop that a request of this size takes: above 1,300 bytes TCP instead of UDP, where the far end has it
   * (RFC 3261 section 18.1.1).
   */
  async fitting(hop: Hop, bytes: number): Promise<Hop> {
    if (hop.protocol !== 'udp' || bytes <= MAX_UDP_REQUEST) return hop;
    const key = `${hop.host} ${hop.port}`;
    if ((this.#withoutTcp.get(key) ?? 0) > this.#options.clock.now()) return hop;
    const overTcp: Hop = { ...hop, protocol: 'tcp' };
    try {
      await this.#connectionTo(overTcp, TRY_TCP_MS);
      return overTcp;
    } catch {
      if (this.#withoutTcp.size >= MAX_CONNECTIONS) this.#withoutTcp.clear();
      this.#withoutTcp.set(key, this.#options.clock.now() + NO_TCP_MS);
      return hop;
    }
  }

  /** @throws Error where it cannot be sent: no route, connection refused, certificate not trusted. */
  async send(data: Buffer, hop: Hop): Promise<void> {
    if (hop.protocol === 'udp') {
      await this.#sendDatagram(data, hop);
      return;
    }
    const connection = await this.#connectionTo(hop, CONNECT_MS);
    if (!connection.send(data)) throw new Error('the connection is closed');
  }

  /** Keeps the way of a registration open (RFC 5626 section 4.4). */
  keepAlive(hop: Hop): void {
    if (hop.protocol === 'udp') {
      this.#sendDatagram(Buffer.from('\r\n\r\n'), hop).catch(() => {});
      return;
    }
    for (const connection of this.#connections) if (leadsTo(connection, hop)) connection.ping();
  }

  #sendDatagram(data: Buffer, hop: Hop): Promise<void> {
    const host = isIPv6(this.#options.host) && isIPv4(hop.host) ? `::ffff:${hop.host}` : hop.host;
    return new Promise((resolve, reject) => {
      if (this.#udp === undefined) reject(new Error('stopped'));
      else this.#udp.send(data, hop.port, host, (error) => (error === null ? resolve() : reject(error)));
    });
  }

  async #connectionTo(hop: Hop, limitMs: number): Promise<StreamConnection> {
    if (hop.flow?.isOpen === true) return hop.flow;
    for (const connection of this.#connections) {
      if (connection.isOpen && connection.isOurs && leadsTo(connection, hop)) return connection;
    }
    const key = `${hop.protocol} ${hop.host} ${hop.port}`;
    const opening =
      this.#opening.get(key) ?? this.#open(hop, limitMs).finally(() => this.#opening.delete(key));
    this.#opening.set(key, opening);
    return opening;
  }

  async #open(hop: Hop, limitMs: number): Promise<StreamConnection> {
    if (this.#udp === undefined) throw new Error('stopped');
    const { host, port, serverName } = hop;
    const name = serverName ?? host;
    const socket =
      hop.protocol === 'tls'
        ? connectTls({
            host,
            port,
            secureContext: trustedAuthorities(),
            ...(isIPv4(name) || isIPv6(name) ? {} : { servername: name }),
            // Checked below, before anything is sent, so that the refusal can name the fingerprint.
            rejectUnauthorized: false,
          })
        : connect({ host, port });
    this.#track(socket);
    let cancel = (): void => {};
    try {
      await new Promise<void>((resolve, reject) => {
        socket.once(hop.protocol === 'tls' ? 'secureConnect' : 'connect', resolve);
        socket.once('error', reject);
        socket.once('close', () => reject(new Error('the connection was closed')));
        cancel = this.#options.clock.after(limitMs, () => reject(new Error('no connection in time')));
      });
      const distrust =
        hop.protocol === 'tls'
          ? distrustOf(socket as TLSSocket, serverName ?? host, port, this.#options.trust ?? systemTrust)
          : undefined;
      if (distrust !== undefined) throw new Error(distrust);
    } catch (error) {
      socket.on('error', () => {});
      socket.destroy();
      throw inWords(error);
    } finally {
      cancel();
    }
    return this.#adopt(hop.protocol, socket, true);
  }

  #onConnection(protocol: Protocol, socket: Socket): void {
    socket.on('error', () => {});
    if (!this.#mayCome(socket) || this.#connections.size >= MAX_CONNECTIONS) socket.destroy();
    else this.#adopt(protocol, socket, false);
  }

  #mayCome(socket: Socket): boolean {
    return this.#options.accepts(plainAddress(socket.remoteAddress ?? ''));
  }

  /** Sockets that are no connection yet end with us too. */
  #track(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
  }

  #adopt(protocol: Protocol, socket: Socket, isOurs: boolean): StreamConnection {
    const connection = new StreamConnection(protocol, socket, isOurs, this.#options.clock, {
      onMessage: (message, source) => this.#receive(message, source),
      onClosed: (closed) => {
        if (this.#connections.delete(closed)) this.#options.onConnectionClosed(closed);
      },
    });
    this.#connections.add(connection);
    return connection;
  }

  #onDatagram(data: Buffer, host: string, port: number): void {
    if (!this.#options.accepts(host)) return;
    const source: Source = { protocol: 'udp', host, port, connection: undefined };
    let start = 0;
    while (data[start] === 13 || data[start] === 10) start++;
    if (start < data.length) this.#receive(parseMessage(data.subarray(start)), source);
    else if (data.length >= 4) this.#sendDatagram(Buffer.from('\r\n'), source).catch(() => {});
  }

  /** RFC 3581 section 4 and RFC 3261 section 18.2.1: where a request came from is noted in its Via. */
  #receive(message: Parsed, source: Source): void {
    if (message.kind !== 'request') {
      this.#options.onMessage(message, source);
      return;
    }
    const { via } = message.core;
    const params = new Map(via.params);
    if (params.has('rport') || via.host !== source.host) params.set('received', source.host);
    if (params.has('rport')) params.set('rport', String(source.port));
    const noted: Via = { ...via, params };
    const [, ...others] = message.headers.list('via');
    message.headers.delete('via');
    for (const value of others.toReversed()) message.headers.addFirst('via', value);
    message.headers.addFirst('via', formatVia(noted));
    this.#options.onMessage({ ...message, core: { ...message.core, via: noted } }, source);
  }

  #sayWhy(error: unknown): Error {
    const name = errnoOf(error);
    const { host } = this.#options;
    // Of UDP and TCP, or of TLS.
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

function leadsTo(connection: StreamConnection, hop: Hop): boolean {
  return connection.protocol === hop.protocol && samePlace(connection, hop);
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
