import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Admission } from '../../commands/access.ts';
import type { Caller, Dispatch } from '../../commands/dispatch.ts';
import type { Identity } from '../../contract/access.ts';
import { type HttpSurface, isDialogue, isFeed, isMedia } from '../../contract/command.ts';
import { type CommandList, type CommandName, commandList } from '../../contract/commands.ts';
import { FaceplateError } from '../../contract/errors.ts';
import { sendFailure } from './answers.ts';
import { type OpenStreams, SentEvents } from './eventStream.ts';
import type { RoutedCommand } from './guard.ts';
import { wantsSocket } from './listener.ts';
import { converse, hearEnd, mustWantSocket } from './screenSocket.ts';
import { endUpload, receiveUpload, type UploadOptions } from './upload.ts';

interface RouteTools {
  readonly uploads: UploadOptions;
  readonly streams: OpenStreams;
}

/** Makes one route per command with an HTTP surface. A route translates; it holds no logic. */
export function addCommandRoutes(
  server: FastifyInstance,
  dispatch: Dispatch,
  { uploads, streams }: RouteTools,
  list: CommandList = commandList,
): void {
  for (const [name, command] of list) {
    const { http } = command;
    if (!http) continue;
    const config = { command: { name, command } };
    if (http.upload) {
      void server.register(async (scope) =>
        addUploadRoute(scope, { name, http, config, upload: http.upload! }, dispatch, uploads),
      );
      continue;
    }
    if (http.text) {
      const methods = [...list].flatMap(([, other]) =>
        other.http?.path === http.path ? other.http.method : [],
      );
      void server.register(async (scope) => {
        addTextRoute(scope, { name, http, config, text: http.text! }, dispatch);
        addOtherMethods(scope, { http, config, text: http.text! }, methods);
      });
      continue;
    }
    server.route({
      method: http.method,
      url: http.path,
      config,
      ...(http.bodyLimit !== undefined && { bodyLimit: http.bodyLimit }),
      handler: async (request, reply) => {
        if (http.socket !== undefined) mustWantSocket(request);
        const result = await dispatch(name, paramsOf(request, http), new HttpCaller(request, reply));
        if (http.socket !== undefined && isDialogue(result)) {
          converse(request, reply, result, { protocol: http.socket, streams, clock: uploads.clock });
          return reply;
        }
        return sendResult(result, http, { request, reply, streams });
      },
    });
  }
}

interface UploadRoute {
  readonly name: CommandName;
  readonly http: HttpSurface;
  readonly config: { readonly command: RoutedCommand };
  readonly upload: NonNullable<HttpSurface['upload']>;
}

/** A route in its own scope, which accepts only the content types of the file; the handler reads its body. */
function addUploadRoute(
  scope: FastifyInstance,
  { name, http, config, upload }: UploadRoute,
  dispatch: Dispatch,
  options: UploadOptions,
): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser([...upload.types], (_request, _payload, done) => done(null));
  scope.route({
    method: http.method,
    url: http.path,
    config: { ...config, bodyTypes: upload.types },
    handler: async (request, reply) => {
      try {
        const file = receiveUpload(request, upload.limitBytes, options);
        const params = {
          ...queryOf(request, http.query ?? []),
          ...(http.headers && headersOf(request, http.headers)),
          ...(request.params as Record<string, string>),
          [upload.field]: file,
        };
        const result = await dispatch(name, params, new HttpCaller(request, reply));
        return reply.type('application/json; charset=utf-8').send(JSON.stringify(result));
      } finally {
        endUpload(request, options);
      }
    },
  });
}

interface AnswerContext {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly streams: OpenStreams;
}

/** The answer as Fastify sends it: JSON as text, or what the command says that it answers. */
function sendResult(
  result: unknown,
  { answer }: HttpSurface,
  { request, reply, streams }: AnswerContext,
): unknown {
  // The answer to HEAD has the head of the one to GET (RFC 9110 section 9.3.2): nothing is opened or read for it.
  const isHead = request.method === 'HEAD';
  if (isHead && isFeed(result)) return reply.type('text/event-stream').send();
  if (isFeed(result)) {
    const stream = new SentEvents(request, reply, streams);
    let end = (): void => {};
    stream.sendKept(() => {
      end = result.open((entry) => stream.send(result.event, entry));
    });
    stream.onEnd(end);
    return reply;
  }
  if (answer !== undefined && isMedia(result)) {
    const { type, body, fileName, etag, isEndless } = result;
    if (fileName !== undefined) reply.header('content-disposition', `attachment; filename="${fileName}"`);
    if (etag !== undefined) reply.header('etag', etag);
    if (etag !== undefined && isKnown(request.headers['if-none-match'], etag)) return reply.code(304).send();
    if (isEndless && !isHead) endWithReader(request, reply, streams);
    const isWhole = typeof body === 'string' || body instanceof Uint8Array;
    if (isHead && !isWhole) {
      void body[Symbol.asyncIterator]().return?.();
      return reply.type(type).send();
    }
    return reply.type(type).send(isWhole ? Buffer.from(body as Uint8Array) : Readable.from(body));
  }
  if (answer?.[0] !== undefined && result instanceof Uint8Array)
    return reply.type(answer[0]).send(Buffer.from(result));
  reply.type('application/json; charset=utf-8');
  // Not `send`: a reply is a thenable, and waiting for one costs each answer another turn.
  return JSON.stringify(result);
}

/** Whether the caller has it already (RFC 9110 section 13.1.2). */
function isKnown(header: string | undefined, etag: string): boolean {
  const known = (header ?? '').split(',').map((one) => one.trim().replace(/^W\//, ''));
  return known.includes(etag) || known.includes('*');
}

/** How long a reader of an endless answer may take nothing of what waits for it, in milliseconds. */
const STUCK_MS = 30_000;

/** An endless answer ends with the token of its caller, with the service, and with a reader who does not read. */
function endWithReader(request: FastifyRequest, { raw }: FastifyReply, streams: OpenStreams): void {
  const end = () => raw.destroy();
  raw.once('close', streams.add(request.identity, end));
  // Without anything to send the time passes too, and that is no fault of the reader.
  raw.setTimeout(STUCK_MS, () => {
    if (raw.writableLength > 0) end();
  });
}

interface TextRoute {
  readonly name: CommandName;
  readonly http: HttpSurface;
  readonly config: { readonly command: RoutedCommand };
  readonly text: NonNullable<HttpSurface['text']>;
}

/** A route that takes text of its own type beside JSON, and answers each in its form. */
function addTextRoute(
  scope: FastifyInstance,
  { name, http, config, text }: TextRoute,
  dispatch: Dispatch,
): void {
  scope.addContentTypeParser(text.type, { parseAs: 'buffer' }, (_request, body, done) => {
    try {
      done(null, new TextDecoder('utf-8', { fatal: true }).decode(body as Buffer));
    } catch {
      done(new FaceplateError('INVALID_REQUEST', 'The body is not readable UTF-8.'));
    }
  });
  scope.route({
    method: http.method,
    url: http.path,
    config: { ...config, bodyTypes: [text.type, 'application/json'] },
    ...(http.bodyLimit !== undefined && { bodyLimit: http.bodyLimit }),
    handler: async (request, reply) => {
      const caller = new HttpCaller(request, reply);
      if (typeof request.body !== 'string') {
        const result = await dispatch(name, paramsOf(request, http), caller);
        return reply.type('application/json; charset=utf-8').send(JSON.stringify(result));
      }
      const path = request.params as Record<string, string>;
      const params = { ...queryOf(request, text.query), [text.field]: request.body, ...path };
      const result = (await dispatch(name, params, caller)) as Record<string, string>;
      return created(reply, placeOf(http.path, path)).type(text.type).send(result[text.answer]);
    },
  });
}

/**
 * What the other methods of such an address answer: OPTIONS what it takes, the others at once that they are not for it
 * (draft-ietf-wish-whep sections 4.1 and 4.2).
 * @param methods of the commands at this address
 */
function addOtherMethods(
  scope: FastifyInstance,
  { http, config, text }: Omit<TextRoute, 'name'>,
  methods: readonly string[],
): void {
  const allow = [...methods, 'OPTIONS'].join(', ');
  scope.route({
    method: 'OPTIONS',
    url: http.path,
    config,
    handler: async (_request, reply) => {
      reply.code(204).headers({ allow, 'accept-post': text.type });
    },
  });
  scope.route({
    method: ['GET', 'HEAD', 'PUT', 'PATCH', 'POST', 'DELETE'].filter((method) => !methods.includes(method)),
    url: http.path,
    config: { ...config, refuses: true },
    // Before the body is looked at: its type is none of ours.
    onRequest: (_request, reply) => {
      sendFailure(
        reply.header('allow', allow),
        new FaceplateError(
          'METHOD_NOT_ALLOWED',
          `This address takes ${allow}: send all candidates in one offer.`,
        ),
      );
    },
    handler: async () => undefined,
  });
}

/**
 * The methods that the API takes at an address, without its query; none: there is nothing. Call it before the routes are
 * made. What it answers is put together when it is first asked, by a caller who is wrong.
 */
export function methodsOf(server: FastifyInstance): (path: string) => readonly string[] {
  const byPath = new Map<string, string[]>();
  server.addHook('onRoute', ({ url, method, config }) => {
    // A wildcard stands for pages and for unknown addresses.
    if (!url.includes('*') && !config?.refuses)
      byPath.set(url, [...(byPath.get(url) ?? []), ...[method].flat()]);
  });
  let places: { readonly at: RegExp; readonly methods: readonly string[] }[] | undefined;
  return (path) => {
    places ??= [...byPath].map(([url, methods]) => ({
      at: new RegExp(`^${url.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:\w+/g, '[^/]+')}$`),
      methods,
    }));
    return places.find(({ at }) => at.test(path))?.methods ?? [];
  };
}

/** Pages of other origins that may call have to be allowed to read where the session is. */
function created(reply: FastifyReply, location: string): FastifyReply {
  return reply.code(201).header('location', location).header('access-control-expose-headers', 'Location');
}

function placeOf(path: string, fields: Readonly<Record<string, string>>): string {
  return path.replace(/:(\w+)/g, (_all, field: string) => encodeURIComponent(fields[field] ?? ''));
}

/** Fields of the query; a field given twice, or an unknown one, is refused like any other field. */
function queryOf(request: FastifyRequest, known: readonly string[]): Record<string, unknown> {
  const query = request.query as Record<string, unknown>;
  for (const field of Object.keys(query)) {
    if (known.includes(field)) continue;
    const shown = field.slice(0, 80);
    throw new FaceplateError('INVALID_REQUEST', `The field "${shown}" is not known here.`, { field: shown });
  }
  return query;
}

/** Fields that come from headers; an absent header is an absent field. */
function headersOf(
  { headers }: FastifyRequest,
  fields: NonNullable<HttpSurface['headers']>,
): Record<string, unknown> {
  const given = Object.entries(fields).map(([field, header]) => [field, headers[header]]);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

/** The caller of one request; watched only when the answer is not ready at once. */
class HttpCaller implements Caller {
  readonly surface = 'http';
  readonly origin: string;
  readonly identity: Identity;
  readonly admission: Admission | undefined;
  readonly address: string;
  readonly #raw: FastifyReply['raw'];
  readonly #request: FastifyRequest['raw'];
  #gone: AbortController | undefined;

  constructor(request: FastifyRequest, reply: FastifyReply) {
    this.address = request.socket.remoteAddress ?? '';
    this.origin = this.address;
    this.identity = request.identity;
    this.admission = request.admission;
    this.#raw = reply.raw;
    this.#request = request.raw;
  }

  get signal(): AbortSignal {
    if (!this.#gone) {
      const gone = new AbortController();
      this.#gone = gone;
      const closed = () => {
        if (!this.#raw.writableFinished) gone.abort();
      };
      if (this.#raw.destroyed) closed();
      else this.#raw.once('close', closed);
      if (wantsSocket(this.#request)) hearEnd(this.#request);
    }
    return this.#gone.signal;
  }
}

/** Body, query and path fields as one object. */
function paramsOf(request: FastifyRequest, http: HttpSurface): Record<string, unknown> {
  const path = request.params as Record<string, string>;
  // A missing body is an empty object; the JSON text `null` is not.
  const body = request.body === undefined ? {} : request.body;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new FaceplateError('INVALID_REQUEST', 'The body must be a JSON object.');
  }
  for (const field of Object.keys(path)) {
    if (field in body) {
      throw new FaceplateError('INVALID_REQUEST', `The field "${field}" is already in the path.`, {
        field,
      });
    }
  }
  return {
    ...body,
    ...(http.query && queryOf(request, http.query)),
    ...(http.headers && headersOf(request, http.headers)),
    ...path,
  };
}
