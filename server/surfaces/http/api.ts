import type { RequestListener, Server } from 'node:http';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { type Dispatch, internalError } from '../../commands/dispatch.ts';
import type { CommandList } from '../../contract/commands.ts';
import { FaceplateError } from '../../contract/errors.ts';
import type { Snapshot } from '../../contract/events.ts';
import type { EventBus } from '../../platform/eventBus.ts';
import type { Holders } from '../../platform/holders.ts';
import type { Logger } from '../../platform/log.ts';
import { fromHttpError, sendFailure } from './answers.ts';
import { absoluteForm } from './callers.ts';
import { addCompression } from './compression.ts';
import { addEventStream } from './eventStream.ts';
import { createGuard, type GuardOptions } from './guard.ts';
import type { OpenStreams } from './openStreams.ts';
import { addProjectPages, type ProjectPages } from './pages.ts';
import { addCommandRoutes } from './routes.ts';
import type { UploadOptions } from './upload.ts';

const BODY_LIMIT = 1024 * 1024;

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

/** What the API stands on. */
interface ApiGround {
  /** The socket that listens. */
  readonly server: Server;
  /** Gets what answers the requests, which may already come. */
  take(handler: RequestListener): void;
  isStopping(): boolean;
  readonly uploads: UploadOptions;
  readonly streams: OpenStreams;
  readonly log: Logger;
}

/** Makes the routes, with the guard before them, ready to answer. */
export async function openApi(
  { version, dispatch, bus, holders, snapshot, pages, guard, commands }: HttpApi,
  { server: listening, take, isStopping, uploads, streams, log }: ApiGround,
): Promise<FastifyInstance> {
  const fail = (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    if (error instanceof FaceplateError) return sendFailure(reply, error);
    const failure = fromHttpError(error, request.routeOptions?.bodyLimit);
    return sendFailure(reply, failure ?? internalError(log, error));
  };
  const server = fastify({
    serverFactory: (given) => {
      take(given);
      return listening;
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
  server.setErrorHandler(fail);
  server.setNotFoundHandler((_request, reply) => sendFailure(reply, new FaceplateError('NOT_FOUND')));
  const check = createGuard(guard);
  // The guard sets it; null only gives the field its place.
  server.decorateRequest('identity', null as never);
  // A plain callback: an async hook would cost every request a promise.
  server.addHook('onRequest', (request, reply, done) => {
    if (isStopping()) sendFailure(reply, new FaceplateError('SHUTTING_DOWN'));
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
  addCommandRoutes(server, dispatch, { uploads, streams }, commands);
  // Otherwise the pages below would answer unknown addresses of the API, even for callers without a token.
  server.get('/api/*', { config: { unknown: true }, exposeHeadRoute: true }, (_request, reply) =>
    sendFailure(reply, new FaceplateError('NOT_FOUND')),
  );
  addEventStream(server, { bus, snapshot, holders, streams });
  await server.register((scope) => addProjectPages(scope, pages));
  await server.ready();
  return server;
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
