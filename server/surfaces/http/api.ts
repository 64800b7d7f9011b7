import type { RequestListener, Server } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { createGzip, gzip } from 'node:zlib';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { type Dispatch, internalError } from '../../commands/dispatch.ts';
import type { CommandList } from '../../contract/commands.ts';
import { FaceplateError } from '../../contract/errors.ts';
import type { Snapshot } from '../../contract/events.ts';
import type { EventBus } from '../../platform/eventBus.ts';
import type { Logger } from '../../platform/log.ts';
import type { ResourceScopes } from '../../platform/resourceScopes.ts';
import { fromHttpError, sendFailure } from './answers.ts';
import { addEventStream, type OpenStreams } from './eventStream.ts';
import { absoluteForm, createGuard, type GuardOptions } from './guard.ts';
import { addProjectPages, type ProjectPages } from './pages.ts';
import { addCommandRoutes, methodsOf } from './routes.ts';
import type { UploadOptions } from './upload.ts';

const BODY_LIMIT = 1024 * 1024;

/** What the surface shows, once everything is up. */
export interface HttpApi {
  readonly version: string;
  readonly dispatch: Dispatch;
  readonly bus: EventBus;
  readonly holders: ResourceScopes;
  snapshot(): Snapshot | Promise<Snapshot>;
  readonly pages: ProjectPages;
  readonly guard: GuardOptions;
  /** Ends the calls in flight, so that each is answered before its connection is closed. */
  drain(): Promise<void>;
  /** Commands other than those of the contract, for tests. */
  readonly commands?: CommandList;
}

/** What the API needs. */
interface ApiDeps {
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
  { server: listening, take, isStopping, uploads, streams, log }: ApiDeps,
): Promise<FastifyInstance> {
  const fail = (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    if (error instanceof FaceplateError) return sendFailure(reply, error);
    const { bodyLimit, config } = request.routeOptions ?? {};
    const failure = fromHttpError(error, bodyLimit, config?.bodyTypes);
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
    exposeHeadRoutes: true,
    return503OnClosing: false,
    routerOptions: { maxParamLength: 300 },
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    // The listener answers them.
    clientErrorHandler: () => {},
    frameworkErrors: fail,
  });
  server.setErrorHandler(fail);
  const methodsAt = methodsOf(server);
  const nothingHere = ({ url }: FastifyRequest, reply: FastifyReply) => {
    const allow = methodsAt(url.split('?')[0]!).join(', ');
    if (allow === '') return sendFailure(reply, new FaceplateError('NOT_FOUND'));
    const failure = new FaceplateError('METHOD_NOT_ALLOWED', `This address takes ${allow}.`);
    return sendFailure(reply.header('allow', allow), failure);
  };
  server.setNotFoundHandler(nothingHere);
  const check = createGuard(guard);
  // The guard sets it; null only gives the field its place.
  server.decorateRequest('identity', null as never);
  server.decorateRequest('admission', undefined);
  // A plain callback: an async hook would cost every request a promise.
  server.addHook('onRequest', (request, reply, done) => {
    if (isStopping()) sendFailure(reply, new FaceplateError('SHUTTING_DOWN'));
    else if (!check(request, reply)) return;
    // Before the body is checked: for some methods Fastify asks for its type even when there is no route.
    else if (request.is404) nothingHere(request, reply);
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
  server.get('/api/*', { config: { unknown: true } }, nothingHere);
  addEventStream(server, { bus, snapshot, holders, streams });
  await server.register((scope) => addProjectPages(scope, pages));
  await server.ready();
  return server;
}

/** The contract checks requests and answers: without this Fastify loads two compilers of schemas that no route has. */
function noSchemas(): never {
  throw new Error('Routes have no schemas for Fastify.');
}

/** An empty body counts as an empty object: a POST without fields may still declare its content type. */
function readJson(body: Buffer): unknown {
  if (body.length === 0) return {};
  return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
}

/** Answers smaller than this are sent uncompressed, in bytes; of text in characters. */
const THRESHOLD = 1024;

/** Most answers go to the panel's own browser: speed matters more than size. */
const LEVEL = { level: 2 };

/** Types that get smaller. Events would wait in the compressor; pictures, films, sounds and archives are compressed already. */
const COMPRESSIBLE =
  /^text\/(?!event-stream)|[+/](?:json|text|xml|javascript|wasm|octet-stream|ttf|otf|bmp|x-icon|vnd\.microsoft\.icon)(?:;|$)/i;

/**
 * Compresses text: JSON and files over 1 KiB, when the caller accepts gzip. Pictures, films, ranges (whose offsets
 * count bytes of the file) and the event stream stay as they are, and so does a stream of unknown length. Call it before
 * the routes are made. The plugin that Fastify has for this costs each small answer more than all its other hooks.
 */
function addCompression(server: FastifyInstance): void {
  server.addHook('onSend', (request, reply, payload, done) => {
    if (typeof payload === 'string' && payload.length < THRESHOLD) return done(null, payload);
    // The length of what would be compressed is not known beforehand: HEAD gets that of the file.
    if (request.method === 'HEAD') return done(null, payload);
    if (!isWorthIt(payload, reply) || !acceptsGzip(request.headers['accept-encoding']))
      return done(null, payload);
    addVary(reply);
    reply.header('content-encoding', 'gzip').removeHeader('content-length');
    if (payload instanceof Readable) {
      // An end before its time destroys both, and then the connection.
      return done(
        null,
        pipeline(payload, createGzip(LEVEL), () => undefined),
      );
    }
    gzip(payload as string | Uint8Array, LEVEL, done);
  });
}

function isWorthIt(payload: unknown, reply: FastifyReply): boolean {
  const length =
    typeof payload === 'string' || payload instanceof Uint8Array
      ? payload.length
      : payload instanceof Readable
        ? Number(reply.getHeader('content-length') ?? 0)
        : 0;
  return (
    length >= THRESHOLD &&
    reply.statusCode !== 206 &&
    !reply.hasHeader('content-range') &&
    !reply.hasHeader('content-encoding') &&
    COMPRESSIBLE.test(String(reply.getHeader('content-type') ?? ''))
  );
}

/** Whether an Accept-Encoding header (RFC 9110 section 12.5.3) lets us send gzip. */
export function acceptsGzip(header: string | string[] | undefined): boolean {
  let others = false;
  for (const entry of String(header ?? '')
    .toLowerCase()
    .split(',')) {
    const [coding, ...parameters] = entry.split(';').map((part) => part.trim());
    const isWanted = !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter));
    if (coding === 'gzip' || coding === 'x-gzip') return isWanted;
    if (coding === '*') others = isWanted;
  }
  return others;
}

function addVary(reply: FastifyReply): void {
  const vary = reply.getHeader('vary');
  if (!String(vary ?? '').includes('accept-encoding'))
    reply.header('vary', [vary, 'accept-encoding'].filter(Boolean).join(', '));
}
