import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Dispatch } from '../../commands/dispatch.ts';
import type { Access } from '../../contract/access.ts';
import { type HttpSurface, isDialogue, isFeed, isMedia } from '../../contract/command.ts';
import { type CommandList, type CommandName, commandList } from '../../contract/commands.ts';
import type { OpenStreams } from './openStreams.ts';
import { HttpCaller, headersOf, paramsOf, queryOf } from './params.ts';
import { converse, mustWantSocket } from './screenSocket.ts';
import { SentEvents } from './sentEvents.ts';
import { addTextRoute } from './textRoutes.ts';
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
  for (const [name, { http, access }] of list) {
    if (!http) continue;
    const config = { access, command: name };
    if (http.upload) {
      void server.register(async (scope) =>
        addUploadRoute(scope, { name, http, config, upload: http.upload! }, dispatch, uploads),
      );
      continue;
    }
    if (http.text) {
      void server.register(async (scope) =>
        addTextRoute(scope, { name, http, config, text: http.text! }, dispatch),
      );
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
  readonly config: { access: Access; command: CommandName };
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
    config,
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

interface Answering {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly streams: OpenStreams;
}

/** The answer as Fastify sends it: JSON as text, or what the command says that it answers. */
function sendResult(
  result: unknown,
  { answer }: HttpSurface,
  { request, reply, streams }: Answering,
): unknown {
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
    const { type, body, fileName } = result;
    if (fileName !== undefined) reply.header('content-disposition', `attachment; filename="${fileName}"`);
    const isWhole = typeof body === 'string' || body instanceof Uint8Array;
    return reply.type(type).send(isWhole ? Buffer.from(body as Uint8Array) : Readable.from(body));
  }
  if (answer?.[0] !== undefined && result instanceof Uint8Array)
    return reply.type(answer[0]).send(Buffer.from(result));
  reply.type('application/json; charset=utf-8');
  // Not `send`: a reply is a thenable, and waiting for one costs each answer another turn.
  return JSON.stringify(result);
}
