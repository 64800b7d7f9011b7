import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { Clock } from '../../observe/clock.ts';
import type { Parsed } from '../message/parse.ts';
import { type Hop, type Protocol, type Source, samePlace } from './hop.ts';
import { StreamConnection } from './streamConnection.ts';
import { distrustOf, inWords, systemTrust, type TlsTrust, trustedAuthorities } from './tlsTrust.ts';

const MAX_CONNECTIONS = 100;

export interface ConnectionsOptions {
  readonly clock: Clock;
  readonly trust?: TlsTrust | undefined;
  readonly onMessage: (message: Parsed, source: Source) => void;
  readonly onConnectionClosed: (connection: StreamConnection) => void;
}

/** The TCP and TLS connections there are, one for all messages to a place (RFC 3261 section 18). */
export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #connections = new Set<StreamConnection>();
  /** By place, so that messages that come together open one. */
  readonly #opening = new Map<string, Promise<StreamConnection>>();
  readonly #openingSockets = new Set<Socket>();
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

  /** Takes a connection that somebody opened to us. One too many is closed. */
  take(protocol: Protocol, socket: Socket): void {
    if (!this.#isRunning || this.#connections.size >= MAX_CONNECTIONS) socket.destroy();
    else this.#adopt(protocol, socket, false);
  }

  /**
   * The connection that messages to a hop take; opened where there is none.
   * @param limitMs how long that may take
   * @throws Error where there is none to be had: no route, refused, certificate not trusted, stopped.
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

  #adopt(protocol: Protocol, socket: Socket, isOurs: boolean): StreamConnection {
    const connection = new StreamConnection(protocol, socket, isOurs, this.#options.clock, {
      onMessage: (message, source) => this.#options.onMessage(message, source),
      onClosed: (closed) => {
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
    secureContext: trustedAuthorities(),
    ...(isIP(name) === 0 && { servername: name }),
    // Checked afterwards, before anything is sent, so that the refusal can name the fingerprint.
    rejectUnauthorized: false,
  });
}
