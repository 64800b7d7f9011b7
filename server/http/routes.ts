import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Caller, Dispatch } from '../commands/dispatch.ts';
import type { HttpSurface } from '../contract/command.ts';
import { type CommandName, commandList } from '../contract/commands.ts';
import { FaceplateError } from '../contract/errors.ts';
import { endUpload, receiveUpload, type UploadOptions } from './upload.ts';

/** One route per command with an HTTP surface. A route translates; it holds no logic. */
export function addCommandRoutes(server: FastifyInstance, dispatch: Dispatch, uploads: UploadOptions): void {
  for (const [name, { http }] of commandList) {
    if (!http) continue;
    if (http.upload) {
      void server.register(async (scope) =>
        addUploadRoute(scope, name, http, http.upload!, dispatch, uploads),
      );
      continue;
    }
    server.route({
      method: http.method,
      url: http.path,
      handler: async (request, reply) => {
        const result = await dispatch(name, paramsOf(request, http), new HttpCaller(request, reply));
        if (http.answer) return reply.type(http.answer).send(Buffer.from(result as Uint8Array));
        return reply.type('application/json; charset=utf-8').send(JSON.stringify(result));
      },
    });
  }
}

/** A route in a scope of its own, whose only content types are those of the file; its body is read by the handler. */
function addUploadRoute(
  scope: FastifyInstance,
  name: CommandName,
  http: HttpSurface,
  upload: NonNullable<HttpSurface['upload']>,
  dispatch: Dispatch,
  options: UploadOptions,
): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser([...upload.types], (_request, _payload, done) => done(null));
  scope.route({
    method: http.method,
    url: http.path,
    handler: async (request, reply) => {
      try {
        const file = receiveUpload(request, upload.limitBytes, options);
        const params = { ...queryOf(request, http.query ?? []), [upload.field]: file };
        const result = await dispatch(name, params, new HttpCaller(request, reply));
        return reply.type('application/json; charset=utf-8').send(JSON.stringify(result));
      } finally {
        endUpload(request, options);
      }
    },
  });
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

/** The caller of one request; watched only where the answer is not there at once. */
class HttpCaller implements Caller {
  readonly surface = 'http';
  readonly origin: string;
  readonly #raw: FastifyReply['raw'];
  #gone: AbortController | undefined;

  constructor(request: FastifyRequest, reply: FastifyReply) {
    this.origin = request.socket.remoteAddress ?? '';
    this.#raw = reply.raw;
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
    }
    return this.#gone.signal;
  }
}

/** Body, query and path fields as one object. */
function paramsOf(request: FastifyRequest, http: HttpSurface): Record<string, unknown> {
  const path = request.params as Record<string, string>;
  const body = request.body ?? {};
  if (typeof body !== 'object' || Array.isArray(body)) {
    throw new FaceplateError('INVALID_REQUEST', 'The body must be a JSON object.');
  }
  for (const field of Object.keys(path)) {
    if (field in body) {
      throw new FaceplateError('INVALID_REQUEST', `The field "${field}" stands in the path already.`, {
        field,
      });
    }
  }
  return { ...body, ...(http.query && queryOf(request, http.query)), ...path };
}
