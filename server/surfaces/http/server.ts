import type { RequestListener, Server } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { type Clock, systemClock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import type { WebPorts } from '../../platform/net/addresses.ts';
import { OpenConnections } from '../../platform/net/connections.ts';
import type { HttpApi } from './api.ts';
import { OpenStreams } from './eventStream.ts';
import {
  coversLoopback,
  type Fallback,
  isWild,
  Listener,
  LOOPBACK_HOST,
  type Place,
  placesInstead,
  type TlsPair,
  whatMissed,
} from './listener.ts';
import type { UploadOptions } from './upload.ts';

const REQUEST_LIMIT_MS = 30_000;

/** How often a place that could not be opened is tried, in milliseconds. */
export const RETRY_MS = 5_000;

/** Connections of HTTP and HTTPS together. */
const CONNECTIONS = { most: 1_000, mostOfOne: 64, kept: 200 } as const;

export interface HttpServerOptions {
  readonly host: string;
  readonly port: number;
  /** Without it the server listens there or does not start. */
  readonly fallback?: Fallback;
  readonly clock?: Clock;
  readonly log: Logger;
  /** How long a request may take to arrive completely, in milliseconds; tests shorten it. */
  readonly requestLimitMs?: number;
}

/** The HTTP surface: the API, server-sent events, and the pages of projects. STARTING until it is opened. */
export class HttpServer {
  readonly #log: Logger;
  readonly #uploads: UploadOptions;
  readonly #connections = new OpenConnections(CONNECTIONS);
  /** Hears the panel's own pages. */
  #inner: Listener;
  /** Hears the network; often the same. */
  #outer: Listener;
  #outerHost: string;
  #cancelRetry = (): void => {};
  readonly #onMoved = new Set<() => void>();
  readonly #options: HttpServerOptions;
  #handler: RequestListener = () => {};
  #secure: Listener | undefined;
  #closesPlain = false;
  #fastify: FastifyInstance | undefined;
  #drain = async (): Promise<void> => {};
  readonly #streams = new OpenStreams();
  #stopping = false;

  constructor(options: HttpServerOptions) {
    this.#options = options;
    this.#log = options.log;
    const { requestLimitMs = REQUEST_LIMIT_MS } = options;
    this.#uploads = { receiving: new WeakSet(), silenceMs: requestLimitMs, clock: systemClock };
    this.#outerHost = options.host;
    this.#inner = this.#outer = this.#listenerOn(options);
  }

  /** The port that the panel's own pages use, on loopback; the chosen one when the setting is 0. */
  get port(): number {
    return this.#inner.port;
  }

  /** Where others reach it; loopback where it listens nowhere else. */
  get outside(): Place {
    return { host: this.#outerHost, port: this.#outer.port };
  }

  /** The ports by which others reach it. */
  get web(): WebPorts {
    return { port: this.#outer.port, securePort: this.securePort };
  }

  /** All ports in use, that of HTTPS too. */
  get ports(): number[] {
    const { securePort } = this;
    return [...new Set([this.port, this.outside.port, ...(securePort === undefined ? [] : [securePort])])];
  }

  /** The port of HTTPS; undefined while it is off. */
  get securePort(): number | undefined {
    return this.#secure?.port;
  }

  /**
   * Starts to listen: at the wished place, or where the fallback leads, until the wished one can be opened.
   * @throws the listen error (EADDRINUSE, EACCES) of the wished place
   */
  async start(): Promise<void> {
    const { fallback } = this.#options;
    try {
      await this.#openAt(this.#options);
    } catch (error) {
      const missed = whatMissed(error);
      if (fallback === undefined || missed === undefined || !fallback.mayGiveUp(missed.setting)) throw error;
      if (!(await this.#openOneOf(placesInstead(this.#options, missed.setting, fallback)))) throw error;
      this.#log.error(
        { err: error, ...missed, ...this.outside },
        'http: could not listen as set, listening elsewhere',
      );
      fallback.onMissed(missed.setting, missed.reason);
      this.#retryLater(fallback);
    }
    this.#log.info({ port: this.port }, 'http: listening');
  }

  /** Calls `act` when it listens at the wished place after all. */
  onMoved(act: () => void): void {
    this.#onMoved.add(act);
  }

  async #openOneOf(places: readonly Place[]): Promise<boolean> {
    for (const place of places) {
      try {
        await this.#openAt(place);
        return true;
      } catch (error) {
        this.#log.info({ err: error, ...place }, 'http: could not listen here either');
      }
    }
    return false;
  }

  async #openAt(place: Place): Promise<void> {
    const outer = this.#listenerOn(place);
    await outer.start();
    let inner = outer;
    if (!coversLoopback(place.host)) {
      inner = this.#listenerOn({ host: LOOPBACK_HOST, port: outer.port });
      try {
        await inner.start();
      } catch (error) {
        outer.retire();
        throw error;
      }
    }
    this.#inner = inner;
    this.#outer = outer;
    this.#outerHost = place.host;
  }

  #retryLater(fallback: Fallback): void {
    const { clock = systemClock } = this.#options;
    this.#cancelRetry = clock.after(RETRY_MS, () => {
      if (this.#stopping || !fallback.isStillWished()) return;
      this.#moveToWished().then(
        () => {
          this.#log.info(this.outside, 'http: listening as set again');
          for (const act of this.#onMoved) act();
        },
        () => this.#retryLater(fallback),
      );
    });
  }

  /** The panel's own pages stay where they are: their port is a part of their origin. @throws the listen error */
  async #moveToWished(): Promise<void> {
    const outer = this.#listenerOn(this.#options);
    // Until the surface is open, both answer STARTING.
    if (this.#fastify !== undefined) outer.handOver(this.#handler);
    await outer.start();
    if (this.#stopping) return outer.retire();
    const [before, host] = [this.#outer, this.#outerHost];
    this.#outer = outer;
    this.#outerHost = this.#options.host;
    this.#followSecure();
    if (before !== this.#inner) before.retire();
    else if (isWild(host)) {
      // What was opened for all is from now on for the panel's own pages alone.
      before.retire();
      const inner = this.#listenerOn({ host: LOOPBACK_HOST, port: before.port });
      if (this.#fastify !== undefined) inner.handOver(this.#handler);
      await inner.start();
      this.#inner = inner;
    }
  }

  /** Answers calls from now on. */
  async open(api: HttpApi): Promise<void> {
    // The socket comes first, and needs none of this.
    const { openApi } = await import('./api.ts');
    this.#drain = api.drain;
    this.#fastify = await openApi(api, {
      // Fastify asks this one only where it listens; the calls of both come by the handler.
      server: this.#inner.server as Server,
      take: (handler) => {
        this.#handler = handler;
      },
      isStopping: () => this.#stopping,
      uploads: this.#uploads,
      streams: this.#streams,
      log: this.#log,
    });
    for (const listener of [this.#inner, this.#outer]) listener.handOver(this.#handler);
  }

  /**
   * Answers the same calls by HTTPS too, with the same limits; after `open`. A listener that is there already gives way.
   * @param port 0: any free one
   * @throws the listen error (EADDRINUSE, EACCES); HTTPS is off then
   */
  async openSecure(port: number, identity: TlsPair): Promise<void> {
    const secure = this.#listenerOn({ host: this.#outerHost, port }, identity);
    secure.handOver(this.#handler);
    await secure.start();
    if (this.#stopping) return secure.retire();
    this.#secure?.retire();
    this.#secure = secure;
    this.#followSecure();
    this.#log.info({ port: secure.port }, 'https: listening');
  }

  /** HTTPS is off until it is opened again. */
  closeSecure(): void {
    this.#secure?.retire();
    this.#secure = undefined;
    this.#followSecure();
  }

  /** Plain HTTP serves this machine alone, but only while HTTPS is open: otherwise no other caller could reach it. */
  closePlain(): void {
    this.#closesPlain = true;
    this.#followSecure();
  }

  #followSecure(): void {
    const isForLoopback = this.#closesPlain && this.#secure !== undefined;
    for (const listener of new Set([this.#inner, this.#outer])) listener.keepForLoopback(isForLoopback);
    if (isForLoopback) this.#log.info('http: plain HTTP is open to this machine only');
  }

  /** Shows another certificate from the next connection on. */
  setIdentity(identity: TlsPair): void {
    this.#secure?.setIdentity(identity);
  }

  /** Ends the open streams and sockets of a token. @param holder the very object that `identify` gave */
  endStreamsOf(holder: object): void {
    this.#streams.endOf(holder);
  }

  /** Refuses new requests with SHUTTING_DOWN, lets the calls in flight finish, and closes every connection. */
  async stop(): Promise<void> {
    if (this.#stopping) return;
    this.#stopping = true;
    await this.#drain();
    this.#streams.endAll();
    this.#cancelRetry();
    await Promise.all([...new Set([this.#inner, this.#outer, this.#secure])].map((one) => one?.stop()));
    await this.#fastify?.close();
  }

  #listenerOn({ host, port }: Place, identity?: TlsPair): Listener {
    const { requestLimitMs = REQUEST_LIMIT_MS } = this.#options;
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
