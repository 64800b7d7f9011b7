import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { FaceplateError } from '../../contract/errors.ts';
import { isLoopback } from '../../platform/addresses.ts';
import type { OpenConnections } from '../../platform/openConnections.ts';
import { answerConnect, answerRawError, failureHeaders } from './answers.ts';
import { passUpgrades, wantsSocket } from './upgrades.ts';
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
      ? createSecureServer(
          { ...limits, ...identity, minVersion: 'TLSv1.2', handshakeTimeout: HANDSHAKE_MS },
          handle,
        )
      : createServer(limits, handle);
    this.server.on('connection', (socket) => this.#meet(socket));
    options.connections.watch(this.server);
    // An unknown expectation may be ignored (RFC 9110 section 10.1.1): the request is treated like any other.
    this.server.on('checkExpectation', handle);
    passUpgrades(this.server, handle);
    this.server.on('connect', (_request, socket) => answerConnect(socket));
    this.server.on('clientError', (error: Error & { code?: string }, stream) => {
      const socket = stream as Socket;
      if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
        // A large file may take longer than a request may: the connection is closed only when it falls silent.
        if (!options.uploads.receiving.has(socket)) this.#answerInTurn(error, socket);
        return;
      }
      // Before a handshake is complete there is nobody who could read an answer.
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

/** Whether an error came before the first byte of HTTP, such as plain HTTP to the port of TLS. */
function isOfTls({ code }: { readonly code?: string }): boolean {
  return code !== undefined && /^ERR_(?:SSL|TLS)_/.test(code);
}
