import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Dispatch } from '../../commands/dispatch.ts';
import type { Access } from '../../contract/access.ts';
import type { HttpSurface } from '../../contract/command.ts';
import type { CommandName } from '../../contract/commands.ts';
import { FaceplateError } from '../../contract/errors.ts';
import { HttpCaller, paramsOf, queryOf } from './params.ts';

interface TextRoute {
  readonly name: CommandName;
  readonly http: HttpSurface;
  readonly config: { access: Access; command: CommandName };
  readonly text: NonNullable<HttpSurface['text']>;
}

/** A route that takes text of its own type beside JSON, and answers each in its form. */
export function addTextRoute(
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
    config,
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
  scope.route({
    method: 'PATCH',
    url: http.path,
    config,
    // Before the body is looked at: its type is none of ours.
    onRequest: async (_request: FastifyRequest, reply: FastifyReply) => {
      const failure = new FaceplateError('NOT_FOUND', 'This address takes no PATCH: send all in one offer.');
      return reply
        .code(405)
        .header('allow', `${http.method}, DELETE`)
        .type('application/json; charset=utf-8')
        .send(JSON.stringify(failure.toAnswer()));
    },
    handler: async () => undefined,
  });
}

/** Pages of other origins that may call have to be allowed to read where the session is. */
function created(reply: FastifyReply, location: string): FastifyReply {
  return reply.code(201).header('location', location).header('access-control-expose-headers', 'Location');
}

function placeOf(path: string, fields: Readonly<Record<string, string>>): string {
  return path.replace(/:(\w+)/g, (_all, field: string) => encodeURIComponent(fields[field] ?? ''));
}
