import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../../commands/dispatch.ts';
import type { HttpSurface } from '../../contract/command.ts';
import { FaceplateError } from '../../contract/errors.ts';
import type { Identity } from '../../contract/identity.ts';
import { hearEnd } from './screenSocket.ts';
import { wantsSocket } from './upgrades.ts';

/** Fields of the query; a field given twice, or an unknown one, is refused like any other field. */
export function queryOf(request: FastifyRequest, known: readonly string[]): Record<string, unknown> {
  const query = request.query as Record<string, unknown>;
  for (const field of Object.keys(query)) {
    if (known.includes(field)) continue;
    const shown = field.slice(0, 80);
    throw new FaceplateError('INVALID_REQUEST', `The field "${shown}" is not known here.`, { field: shown });
  }
  return query;
}

/** Fields that come from headers; an absent header is an absent field. */
export function headersOf(
  { headers }: FastifyRequest,
  fields: NonNullable<HttpSurface['headers']>,
): Record<string, unknown> {
  const given = Object.entries(fields).map(([field, header]) => [field, headers[header]]);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

/** The caller of one request; watched only when the answer is not ready at once. */
export class HttpCaller implements Caller {
  readonly surface = 'http';
  readonly origin: string;
  readonly identity: Identity;
  readonly address: string;
  readonly #raw: FastifyReply['raw'];
  readonly #request: FastifyRequest['raw'];
  #gone: AbortController | undefined;

  constructor(request: FastifyRequest, reply: FastifyReply) {
    this.address = request.socket.remoteAddress ?? '';
    this.origin = this.address;
    this.identity = request.identity;
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
export function paramsOf(request: FastifyRequest, http: HttpSurface): Record<string, unknown> {
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
