import type { RequestListener, Server } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Identity } from '../../commands/access.ts';
import { systemClock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import { OpenConnections } from '../../platform/openConnections.ts';
import type { HttpApi } from './api.ts';
import { Listener, type TlsPair } from './listener.ts';
import { OpenStreams } from './openStreams.ts';
import type { UploadOptions } from './upload.ts';

const REQUEST_LIMIT_MS = 30_000;

/** Connections of HTTP and HTTPS together. */
const CONNECTIONS = { most: 1_000, mostOfOne: 64, kept: 200 } as const;

export interface HttpServerOptions {
  readonly host: string;
  readonly port: number;
  readonly log: Logger;
  /** How long a request may take to arrive completely, in milliseconds; tests shorten it. */
  readonly requestLimitMs?: number;
}

/** The HTTP surface: the API, server-sent events, and the pages of projects. STARTING until it is opened. */
export class HttpServer {
  readonly #log: Logger;
  readonly #uploads: UploadOptions;
  readonly #connections = new OpenConnections(CONNECTIONS);
  readonly #listener: Listener;
  readonly #options: HttpServerOptions;
  #handler: RequestListener = () => {};
  #secure: Listener | undefined;
  #fastify: FastifyInstance | undefined;
  #drain = async (): Promise<void> => {};
  readonly #streams = new OpenStreams();
  #stopping = false;

  constructor(options: HttpServerOptions) {
    this.#options = options;
    this.#log = options.log;
    const { requestLimitMs = REQUEST_LIMIT_MS } = options;
    this.#uploads = { receiving: new WeakSet(), silenceMs: requestLimitMs, clock: systemClock };
    this.#listener = this.#listenerOn(options.port);
  }

  /** The port in use; the chosen one when the setting is 0. */
  get port(): number {
    return this.#listener.port;
  }

  /** The port of HTTPS; undefined while it is off. */
  get securePort(): number | undefined {
    return this.#secure?.port;
  }

  /** Starts to listen. @throws the listen error (EADDRINUSE, EACCES) */
  async start(): Promise<void> {
    await this.#listener.start();
    this.#log.info({ port: this.port }, 'the http server is listening');
  }

  /** Answers calls from now on. */
  async open(api: HttpApi): Promise<void> {
    // The socket comes first, and needs none of this.
    const { openApi } = await import('./api.ts');
    this.#drain = api.drain;
    this.#fastify = await openApi(api, {
      // Fastify asks this one only where it listens; the calls of both come by the handler.
      server: this.#listener.server as Server,
      take: (handler) => {
        this.#handler = handler;
      },
      isStopping: () => this.#stopping,
      uploads: this.#uploads,
      streams: this.#streams,
      log: this.#log,
    });
    this.#listener.handOver(this.#handler);
  }

  /**
   * Answers the same calls by HTTPS too, with the same limits; after `open`.
   * @param port 0: any free one
   * @throws the listen error (EADDRINUSE, EACCES); HTTPS is off then
   */
  async openSecure(port: number, identity: TlsPair): Promise<void> {
    const secure = this.#listenerOn(port, identity);
    secure.handOver(this.#handler);
    await secure.start();
    this.#secure = secure;
    this.#log.info({ port: secure.port }, 'the https server is listening');
  }

  /** Shows another certificate from the next connection on. */
  setIdentity(identity: TlsPair): void {
    this.#secure?.setIdentity(identity);
  }

  /** Ends the open streams and sockets of a token. @param holder the very object that `identify` gave */
  endStreamsOf(holder: Identity): void {
    this.#streams.endOf(holder);
  }

  /** Refuses new requests with SHUTTING_DOWN, lets the calls in flight finish, and closes every connection. */
  async stop(): Promise<void> {
    if (this.#stopping) return;
    this.#stopping = true;
    await this.#drain();
    this.#streams.endAll();
    await Promise.all([this.#listener.stop(), this.#secure?.stop()]);
    await this.#fastify?.close();
  }

  #listenerOn(port: number, identity?: TlsPair): Listener {
    const { host, requestLimitMs = REQUEST_LIMIT_MS } = this.#options;
    return new Listener({
      host,
      port,
      requestLimitMs,
      uploads: this.#uploads,
      connections: this.#connections,
      ...(identity && { identity }),
    });
  }
}
