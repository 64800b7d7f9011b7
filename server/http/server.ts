import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { type Dispatch, internalError } from '../commands/dispatch.ts';
import { FaceplateError } from '../contract/errors.ts';
import type { Snapshot } from '../contract/events.ts';
import type { EventBus } from '../observe/eventBus.ts';
import type { Logger } from '../observe/log.ts';
import { answerRawError, fromHttpError, sendFailure } from './answers.ts';
import { addCompression } from './compression.ts';
import { addEventStream } from './eventStream.ts';
import { createGuard, type GuardOptions } from './guard.ts';
import { addProjectPages, type ProjectPages } from './pages.ts';
import { addCommandRoutes } from './routes.ts';
import type { UploadOptions } from './upload.ts';

const BODY_LIMIT = 1024 * 1024;
const REQUEST_LIMIT_MS = 30_000;
/** How long answers may still be on their way when the server closes, in milliseconds. */
const CLOSE_LIMIT_MS = 500;

export interface HttpServerOptions {
  host: string;
  port: number;
  version: string;
  dispatch: Dispatch;
  bus: EventBus;
  snapshot(): Snapshot | Promise<Snapshot>;
  pages: ProjectPages;
  guard: GuardOptions;
  /** Ends the calls in flight, so that each is answered before its connection is closed. */
  drain(): Promise<void>;
  log: Logger;
  /** Time for a request to arrive whole, in milliseconds; tests shorten it. */
  requestLimitMs?: number;
}

/** The HTTP surface: the API, server-sent events, and the pages of projects. */
export class HttpServer {
  readonly #options: HttpServerOptions;
  #server: FastifyInstance | undefined;
  #endEventStreams = (): void => {};
  #stopping = false;

  constructor(options: HttpServerOptions) {
    this.#options = options;
  }

  /** The port that is listened on; the chosen one where the setting is 0. */
  get port(): number {
    return (this.#server?.server.address() as AddressInfo | null)?.port ?? this.#options.port;
  }

  /** Begins to listen. @throws the listen error (EADDRINUSE, EACCES) */
  async start(): Promise<void> {
    const { host, port, version, dispatch, bus, snapshot, pages, guard, log } = this.#options;
    const requestLimitMs = this.#options.requestLimitMs ?? REQUEST_LIMIT_MS;
    const fail = (error: unknown, _request: FastifyRequest, reply: FastifyReply) => this.#fail(error, reply);
    const uploads: UploadOptions = { receiving: new WeakSet(), silenceMs: requestLimitMs };
    const server = fastify({
      // Our own factory: a missing Host header and a slow request must be answered in JSON, and checked each second.
      serverFactory: (handler) =>
        createServer(
          {
            requireHostHeader: false,
            requestTimeout: requestLimitMs,
            headersTimeout: requestLimitMs,
            connectionsCheckingInterval: Math.min(1_000, requestLimitMs),
          },
          handler,
        ),
      logger: false,
      bodyLimit: BODY_LIMIT,
      exposeHeadRoutes: false,
      forceCloseConnections: 'idle',
      return503OnClosing: false,
      routerOptions: { maxParamLength: 300 },
      clientErrorHandler: (error, socket) => {
        // A large file may take longer than a request may: it is ended only when it falls silent.
        if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && uploads.receiving.has(socket)) return;
        answerRawError(error, socket);
      },
      frameworkErrors: fail,
    });
    this.#server = server;
    server.setErrorHandler(fail);
    server.setNotFoundHandler((_request, reply) => sendFailure(reply, new FaceplateError('NOT_FOUND')));
    const check = createGuard(guard);
    // A plain callback: an async hook would cost every request a promise.
    server.addHook('onRequest', (request, reply, done) => {
      if (this.#stopping) sendFailure(reply, new FaceplateError('SHUTTING_DOWN'));
      else if (check(request, reply)) done();
    });
    server.removeAllContentTypeParsers();
    server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
      try {
        done(null, readJson(body as Buffer));
      } catch {
        done(new FaceplateError('INVALID_REQUEST', 'The body is not readable JSON in UTF-8.'));
      }
    });
    await addCompression(server);
    server.get('/healthz', async () => ({ status: 'ok', version }));
    addCommandRoutes(server, dispatch, uploads);
    this.#endEventStreams = addEventStream(server, bus, snapshot);
    await server.register((scope) => addProjectPages(scope, pages));
    await server.listen({ host, port });
    log.info({ host, port: this.port }, 'http server listens');
  }

  /** Ends the event streams of callers; they have to ask anew. */
  endEventStreams(): void {
    this.#endEventStreams();
  }

  /** Refuses what arrives from now on with SHUTTING_DOWN, has the calls in flight answered, and closes every connection. */
  async stop(): Promise<void> {
    const server = this.#server;
    if (!server) return;
    this.#stopping = true;
    await this.#options.drain();
    this.#endEventStreams();
    const force = setTimeout(() => server.server.closeAllConnections(), CLOSE_LIMIT_MS);
    await server.close();
    clearTimeout(force);
    this.#server = undefined;
  }

  #fail(error: unknown, reply: FastifyReply): FastifyReply {
    if (error instanceof FaceplateError) return sendFailure(reply, error);
    return sendFailure(reply, fromHttpError(error) ?? internalError(this.#options.log, error));
  }
}

/** An empty body is an empty object: a POST without fields may still announce its content type. */
function readJson(body: Buffer): unknown {
  if (body.length === 0) return {};
  return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
}
