import type { IncomingMessage, RequestListener, ServerResponse as Response, Server } from 'node:http';
import type { Server as SecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { FaceplateError } from '../../contract/errors.ts';
import { errnoOf, errnoWords } from '../../platform/errno.ts';
import { isLoopback } from '../../platform/net/addresses.ts';
import { endSocket, type OpenConnections } from '../../platform/net/connections.ts';
import { createServer, ServerResponse } from '../../platform/net/nodeHttp.ts';
import { answerConnect, answerRawError, failureHeaders } from './answers.ts';
import type { UploadOptions } from './upload.ts';

interface ListenerOptions {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** How long a request may take to arrive completely, in milliseconds. */
  readonly requestLimitMs: number;
  readonly uploads: UploadOptions;
  /** Counts the connections, together with those of other listeners. */
  readonly connections: OpenConnections;
  /** With it the listener speaks TLS. */
  readonly identity?: TlsPair;
}

/** A certificate, with those between it and its authority, and its key, in PEM. */
export interface TlsPair {
  readonly key: string;
  readonly cert: string;
}

/** Longest handshake of TLS, in milliseconds. */
const HANDSHAKE_MS = 10_000;

/** Answers to requests that were never complete, in one turn of the loop. */
const ANSWERS_A_TURN = 50;

/** Requests that a connection may send ahead of their answers. Browsers and clients of HTTP send none. */
const MOST_AHEAD = 100;

/** How long answers may still take when the server closes, in milliseconds. */
const CLOSE_LIMIT_MS = 500;

/**
 * The socket of the HTTP surface. It listens before everything else is up, so that a port in use is reported at once,
 * and answers STARTING until the surface takes the requests.
 */
export class Listener {
  readonly server: Server | SecureServer;
  readonly #options: ListenerOptions;
  #unanswered: [Error, Socket][] = [];
  /** Connections of other machines. */
  readonly #strangers = new Set<Socket>();
  #isForLoopback = false;
  #handler: RequestListener = (_request, response) => {
    const failure = new FaceplateError('STARTING');
    response.writeHead(failure.status, failureHeaders(failure)).end(JSON.stringify(failure.toAnswer()));
  };

  constructor(options: ListenerOptions) {
    this.#options = options;
    const limitMs = options.requestLimitMs;
    const handle: RequestListener = (request, response) => this.#handler(request, response);
    const handleInTurn = inTurn(handle);
    const limits = {
      // A missing Host header and a slow request must be answered in JSON, and checked each second.
      requireHostHeader: false,
      requestTimeout: limitMs,
      headersTimeout: limitMs,
      connectionsCheckingInterval: Math.min(1_000, limitMs),
      shouldUpgradeCallback: wantsSocket,
    };
    const { identity } = options;
    this.server = identity
      ? // Loaded here: TLS has no part in the start.
        process
          .getBuiltinModule('node:https')
          .createServer(
            { ...limits, ...identity, minVersion: 'TLSv1.2', handshakeTimeout: HANDSHAKE_MS },
            handleInTurn,
          )
      : createServer(limits, handleInTurn);
    this.server.on('connection', (socket) => this.#meet(socket));
    options.connections.watch(this.server);
    // An unknown expectation may be ignored (RFC 9110 section 10.1.1): the request is treated like any other.
    this.server.on('checkExpectation', handleInTurn);
    passUpgrades(this.server, handle);
    this.server.on('connect', (_request, socket) => answerConnect(socket));
    this.server.on('clientError', (error: Error & { code?: string }, stream) => {
      const socket = stream as Socket;
      if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
        // A large file may take longer than a request may: the connection is closed only when it falls silent.
        if (!options.uploads.receiving.has(socket)) this.#answerInTurn(error, socket);
        return;
      }
      // Before a handshake is complete no client could read an answer.
      if (isOfTls(error)) socket.destroy();
      else answerRawError(error, socket);
    });
  }

  /** Whether it lets in this machine alone from now on; what others have open ends then. */
  keepForLoopback(isForLoopback: boolean): void {
    this.#isForLoopback = isForLoopback;
    if (isForLoopback) for (const socket of this.#strangers) socket.destroy();
  }

  #meet(socket: Socket): void {
    if (isLoopback(socket.remoteAddress ?? '')) return;
    // Before its first byte: it could be a token in clear.
    if (this.#isForLoopback) return void socket.destroy();
    this.#strangers.add(socket);
    socket.once('close', () => this.#strangers.delete(socket));
  }

  /** Connections that a stranger opens at once are late at once, and all their answers would hold the loop. */
  #answerInTurn(error: Error, socket: Socket): void {
    if (this.#unanswered.push([error, socket]) === 1) setImmediate(this.#answerSome);
  }

  readonly #answerSome = (): void => {
    for (const [error, socket] of this.#unanswered.slice(0, ANSWERS_A_TURN)) answerRawError(error, socket);
    this.#unanswered = this.#unanswered.slice(ANSWERS_A_TURN);
    if (this.#unanswered.length > 0) setImmediate(this.#answerSome);
  };

  /** Shows another certificate to all later connections. Only for a listener that speaks TLS. */
  setIdentity(identity: TlsPair): void {
    (this.server as SecureServer).setSecureContext({ ...identity, minVersion: 'TLSv1.2' });
  }

  /** The port in use; the chosen one when the setting is 0. */
  get port(): number {
    return (this.server.address() as AddressInfo | null)?.port ?? this.#options.port;
  }

  /** Starts to listen. @throws the listen error (EADDRINUSE, EACCES) */
  async start(): Promise<void> {
    const { host, port } = this.#options;
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject);
      this.server.listen({ host, port }, () => {
        this.server.off('error', reject);
        resolve();
      });
    });
  }

  /** Passes all later requests to the given handler. */
  handOver(handler: RequestListener): void {
    this.#handler = handler;
  }

  /** Takes no more connections; those that are open go on. The port is free at once. */
  retire(): void {
    this.server.close();
    (this.server as Server).closeIdleConnections();
  }

  /** Closes every connection: idle ones at once, the others after their answer, or after half a second. */
  async stop(): Promise<void> {
    if (!this.server.listening) return;
    const force = setTimeout(() => this.#options.connections.destroyAll(), CLOSE_LIMIT_MS);
    await new Promise<void>((resolve) => {
      this.server.close(() => resolve());
      this.server.closeIdleConnections();
    });
    clearTimeout(force);
  }
}

/**
 * Passes the requests of each connection on one after the other, as their answers have been sent. Node.js passes on all that a
 * caller sent ahead (RFC 9112 section 9.3.2) at once: they would overtake each other, and answers that are not
 * read would fill the memory. A connection that sends too many ahead is closed.
 */
export function inTurn(handler: RequestListener, mostAhead = MOST_AHEAD): RequestListener {
  const ahead = new WeakMap<Socket, [IncomingMessage, Response][]>();
  const pass = (request: IncomingMessage, response: Response): void => {
    const { socket } = request;
    response.once('close', () => {
      const next = socket.destroyed ? undefined : ahead.get(socket)?.shift();
      if (next === undefined) ahead.delete(socket);
      else pass(...next);
    });
    handler(request, response);
  };
  return (request, response) => {
    const { socket } = request;
    const waiting = ahead.get(socket);
    if (waiting === undefined) {
      ahead.set(socket, []);
      pass(request, response);
    } else if (waiting.length < mostAhead) waiting.push([request, response]);
    else socket.destroy();
  };
}

/** Whether an error came before the first byte of HTTP, such as plain HTTP to the port of TLS. */
function isOfTls({ code }: { readonly code?: string }): boolean {
  return code !== undefined && /^ERR_(?:SSL|TLS)_/.test(code);
}

/** Where a server listens. */
export interface Place {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
}

/** What to do where the wished place cannot be opened. */
export interface Fallback {
  /** The place that could be opened last. */
  readonly last: Place;
  /** Whether the panel may listen elsewhere; a flag or the environment is followed, or the start ends. */
  mayGiveUp(setting: AddressSetting): boolean;
  /** It listens elsewhere. @param reason in words, without a value */
  onMissed(setting: AddressSetting, reason: string): void;
  /** Whether the wished place is still wanted: somebody may have changed the setting since. */
  isStillWished(): boolean;
}

export type AddressSetting = 'http.host' | 'http.port';

/** For the panel's own pages, which come from names of loopback. */
export const LOOPBACK_HOST = '127.0.0.1';

const WILD = ['0.0.0.0', '::'];

/** Whether who listens on this address also hears the panel's own pages. */
export function coversLoopback(host: string): boolean {
  return [...WILD, LOOPBACK_HOST, 'localhost', '::1'].includes(host);
}

export function isWild(host: string): boolean {
  return WILD.includes(host);
}

/** The setting that keeps a place from being opened, and why; undefined where it is something else. */
export function whatMissed(error: unknown): { setting: AddressSetting; reason: string } | undefined {
  const code = errnoOf(error) ?? (error as { code?: string }).code;
  const setting =
    code === 'EADDRINUSE' || code === 'EACCES' || code === 'EPERM'
      ? 'http.port'
      : ['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL', 'ENOTFOUND'].includes(code ?? '')
        ? 'http.host'
        : undefined;
  return setting && { setting, reason: `cannot be opened: ${errnoWords(code ?? '')}` };
}

/**
 * Where to listen instead, in this order: the last port or address, then loopback. Never on more addresses than
 * wished: all of them count more than one, and one more than loopback.
 */
export function placesInstead(wished: Place, missed: AddressSetting, { last, mayGiveUp }: Fallback): Place[] {
  const ports = mayGiveUp('http.port') ? [...new Set([wished.port, last.port])] : [wished.port];
  const mayMove = mayGiveUp('http.host') && width(last.host) <= width(wished.host);
  const hosts = mayMove ? [...new Set([wished.host, last.host])] : [wished.host];
  const near = hosts.flatMap((host) => ports.map((port) => ({ host, port })));
  // On a port of loopback alone the wished one could never be opened beside it.
  const free =
    isWild(wished.host) && missed === 'http.port' ? ports.filter((port) => port !== wished.port) : ports;
  const within = [...free, ...(mayGiveUp('http.port') ? [0] : [])].map((port) => ({
    host: LOOPBACK_HOST,
    port,
  }));
  return [...near.filter(({ host, port }) => host !== wished.host || port !== wished.port), ...within];
}

function width(host: string): number {
  if (host === '::') return 3;
  if (host === '0.0.0.0') return 2;
  return /^127\.|^localhost$|^::1$/.test(host) ? 0 : 1;
}

/** The first bytes after the request, which Node.js has read already. */
export const firstBytes = new WeakMap<IncomingMessage, Buffer>();

/** Whether a request asks for a WebSocket (RFC 6455 section 4.2.1). */
export function wantsSocket({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket';
}

/**
 * Lets requests for a WebSocket take the way of all requests, through the guard, so that refusals are plain answers.
 * The server needs `shouldUpgradeCallback: wantsSocket`; other upgrades are ignored, as HTTP allows.
 */
function passUpgrades(server: Server, handle: RequestListener): void {
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    firstBytes.set(request, head);
    // The connection has left the server's care: an error without a listener would end the service.
    socket.on('error', () => socket.destroy());
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once('finish', () => endSocket(socket));
    handle(request, response);
  });
}
