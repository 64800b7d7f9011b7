import type { RequestListener, Server } from 'node:http';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import type { Identity } from '../../commands/access.ts';
import { type Dispatch, internalError } from '../../commands/dispatch.ts';
import type { CommandList } from '../../contract/commands.ts';
import { FaceplateError } from '../../contract/errors.ts';
import type { Snapshot } from '../../contract/events.ts';
import { systemClock } from '../../platform/clock.ts';
import type { EventBus } from '../../platform/eventBus.ts';
import type { Holders } from '../../platform/holders.ts';
import type { Logger } from '../../platform/log.ts';
import { fromHttpError, sendFailure } from './answers.ts';
import { absoluteForm } from './callers.ts';
import { addCompression } from './compression.ts';
import { addEventStream } from './eventStream.ts';
import { createGuard, type GuardOptions } from './guard.ts';
import { Listener, type TlsPair } from './listener.ts';
import { OpenStreams } from './openStreams.ts';
import { addProjectPages, type ProjectPages } from './pages.ts';
import { addCommandRoutes } from './routes.ts';
import type { UploadOptions } from './upload.ts';

const BODY_LIMIT = 1024 * 1024;
const REQUEST_LIMIT_MS = 30_000;

export interface HttpServerOptions {
  readonly host: string;
  readonly port: number;
  readonly log: Logger;
  /** How long a request may take to arrive completely, in milliseconds; tests shorten it. */
  readonly requestLimitMs?: number;
}

/** What the surface shows, once everything is up. */
export interface HttpApi {
  readonly version: string;
  readonly dispatch: Dispatch;
  readonly bus: EventBus;
  readonly holders: Holders;
  snapshot(): Snapshot | Promise<Snapshot>;
  readonly pages: ProjectPages;
  readonly guard: GuardOptions;
  /** Ends the calls in flight, so that each is answered before its connection is closed. */
  drain(): Promise<void>;
  /** Commands other than those of the contract, for tests. */
  readonly commands?: CommandList;
}

/** The HTTP surface: the API, server-sent events, and the pages of projects. STARTING until it is opened. */
export class HttpServer {
  readonly #log: Logger;
  readonly #uploads: UploadOptions;
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
  async open({
    version,
    dispatch,
    bus,
    holders,
    snapshot,
    pages,
    guard,
    drain,
    commands,
  }: HttpApi): Promise<void> {
    const fail = (error: unknown, request: FastifyRequest, reply: FastifyReply) =>
      this.#fail(error, request, reply);
    const server = fastify({
      serverFactory: (given) => {
        this.#handler = given;
        // Fastify asks this one only where it listens; the calls of both come by the handler.
        return this.#listener.server as Server;
      },
      // After its authority, an absolute-form target is a path like any other and follows that path's rules.
      rewriteUrl: ({ url = '/' }) => absoluteForm(url)?.path ?? url,
      logger: false,
      bodyLimit: BODY_LIMIT,
      exposeHeadRoutes: false,
      return503OnClosing: false,
      routerOptions: { maxParamLength: 300 },
      schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
      // The listener answers them.
      clientErrorHandler: () => {},
      frameworkErrors: fail,
    });
    this.#fastify = server;
    this.#drain = drain;
    server.setErrorHandler(fail);
    server.setNotFoundHandler((_request, reply) => sendFailure(reply, new FaceplateError('NOT_FOUND')));
    const check = createGuard(guard);
    // The guard sets it; null only gives the field its place.
    server.decorateRequest('identity', null as never);
    // A plain callback: an async hook would cost every request a promise.
    server.addHook('onRequest', (request, reply, done) => {
      if (this.#stopping) sendFailure(reply, new FaceplateError('SHUTTING_DOWN'));
      else if (!check(request, reply)) return;
      // Before the body is checked: for some methods Fastify asks for its type even when there is no route.
      else if (request.is404) sendFailure(reply, new FaceplateError('NOT_FOUND'));
      else done();
    });
    server.removeAllContentTypeParsers();
    server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
      try {
        done(null, readJson(body as Buffer));
      } catch {
        done(new FaceplateError('INVALID_REQUEST', 'The body is not readable JSON in UTF-8.'));
      }
    });
    addCompression(server);
    server.get('/healthz', { config: { access: { http: 'open' } } }, async () => ({ status: 'ok', version }));
    addCommandRoutes(server, dispatch, { uploads: this.#uploads, streams: this.#streams }, commands);
    // Otherwise the pages below would answer unknown addresses of the API, even for callers without a token.
    server.get('/api/*', { config: { unknown: true }, exposeHeadRoute: true }, (_request, reply) =>
      sendFailure(reply, new FaceplateError('NOT_FOUND')),
    );
    addEventStream(server, { bus, snapshot, holders, streams: this.#streams });
    await server.register((scope) => addProjectPages(scope, pages));
    await server.ready();
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
      ...(identity && { identity }),
    });
  }

  #fail(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    if (error instanceof FaceplateError) return sendFailure(reply, error);
    const failure = fromHttpError(error, request.routeOptions?.bodyLimit);
    return sendFailure(reply, failure ?? internalError(this.#log, error));
  }
}

/** The contract checks what comes and goes: without this Fastify loads two compilers of schemas that no route has. */
function noSchemas(): never {
  throw new Error('Routes have no schemas for Fastify.');
}

/** An empty body counts as an empty object: a POST without fields may still declare its content type. */
function readJson(body: Buffer): unknown {
  if (body.length === 0) return {};
  return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
}
