import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { Clock } from '../../../platform/clock.ts';
import { plainAddress } from '../../../platform/net/addresses.ts';
import type { Parsed } from '../message/parse.ts';
import { type Hop, type Source, samePlace } from './hop.ts';
import type { Protocol } from './protocol.ts';
import { StreamConnection } from './streamConnection.ts';
import { distrustOf, inWords, systemAuthorities, systemTrust, type TlsTrust } from './tlsTrust.ts';

/** How long an address whose connection was cut off is refused, in milliseconds; otherwise it would be back at once. */
const CUT_OFF_MS = 10_000;
/** Most refused addresses that are remembered. */
const MAX_CUT_OFF = 100;

export interface ConnectionsOptions {
  readonly clock: Clock;
  readonly trust?: TlsTrust | undefined;
  readonly onMessage: (message: Parsed, source: Source) => void;
  readonly onConnectionClosed: (connection: StreamConnection) => void;
}

/** The open TCP and TLS connections, one per hop for all messages to it (RFC 3261 section 18). */
export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #connections = new Set<StreamConnection>();
  /** By hop, so that simultaneous messages open only one. */
  readonly #opening = new Map<string, Promise<StreamConnection>>();
  readonly #openingSockets = new Set<Socket>();
  /** Addresses whose connection was cut off, oldest first, and until when they are refused. */
  readonly #cutOff = new Map<string, number>();
  #isRunning = false;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
  }

  start(): void {
    this.#isRunning = true;
  }

  stop(): void {
    this.#isRunning = false;
    for (const connection of this.#connections) connection.destroy();
    this.#connections.clear();
    for (const socket of this.#openingSockets) socket.destroy();
  }

  /** Takes an incoming connection. */
  take(protocol: Protocol, socket: Socket): void {
    if (!this.#isRunning || this.#isCutOff(plainAddress(socket.remoteAddress ?? ''))) socket.destroy();
    else this.#adopt(protocol, socket, false);
  }

  /**
   * The connection for messages to a hop; opened if there is none.
   * @param limitMs time limit of opening it
   * @throws Error if there is no connection: no route, refused, certificate not trusted, stopped.
   */
  async to(hop: Hop, limitMs: number): Promise<StreamConnection> {
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

  /** RFC 5626 section 4.4.1. */
  ping(hop: Hop): void {
    for (const connection of this.#connections) if (leadsTo(connection, hop)) connection.ping();
  }

  async #open(hop: Hop, limitMs: number): Promise<StreamConnection> {
    if (!this.#isRunning) throw new Error('stopped');
    const { protocol, host, port, serverName = host } = hop;
    const { clock, trust = systemTrust } = this.#options;
    const socket = protocol === 'tls' ? openTls(host, port, serverName) : connect({ host, port });
    this.#openingSockets.add(socket);
    let cancel = (): void => {};
    try {
      await new Promise<void>((resolve, reject) => {
        socket.once(protocol === 'tls' ? 'secureConnect' : 'connect', resolve);
        socket.once('error', reject);
        socket.once('close', () => reject(new Error('the connection was closed')));
        cancel = clock.after(limitMs, () => reject(new Error('no connection in time')));
      });
      const distrust =
        protocol === 'tls' ? distrustOf(socket as TLSSocket, serverName, port, trust) : undefined;
      if (distrust !== undefined) throw new Error(distrust);
    } catch (error) {
      socket.on('error', () => {});
      socket.destroy();
      throw inWords(error);
    } finally {
      cancel();
      this.#openingSockets.delete(socket);
    }
    return this.#adopt(protocol, socket, true);
  }

  #isCutOff(host: string): boolean {
    return (this.#cutOff.get(host) ?? Number.NEGATIVE_INFINITY) > this.#options.clock.now();
  }

  #noteCutOff(host: string): void {
    this.#cutOff.delete(host);
    this.#cutOff.set(host, this.#options.clock.now() + CUT_OFF_MS);
    if (this.#cutOff.size > MAX_CUT_OFF) this.#cutOff.delete(this.#cutOff.keys().next().value!);
  }

  #adopt(protocol: Protocol, socket: Socket, isOurs: boolean): StreamConnection {
    const connection = new StreamConnection(protocol, socket, isOurs, this.#options.clock, {
      onMessage: (message, from) => {
        const { protocol, host, port } = from;
        this.#options.onMessage(message, { protocol, host, port, connection: from });
      },
      onClosed: (closed) => {
        if (closed.wasCutOff) this.#noteCutOff(closed.host);
        if (this.#connections.delete(closed)) this.#options.onConnectionClosed(closed);
      },
    });
    this.#connections.add(connection);
    return connection;
  }
}

function leadsTo(connection: StreamConnection, hop: Hop): boolean {
  return connection.protocol === hop.protocol && samePlace(connection, hop);
}

function openTls(host: string, port: number, name: string): TLSSocket {
  return connectTls({
    host,
    port,
    secureContext: systemAuthorities(),
    ...(isIP(name) === 0 && { servername: name }),
    // Checked after the handshake and before anything is sent, so that the refusal can name the fingerprint.
    rejectUnauthorized: false,
  });
}
