import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { type ErrorCode, FaceplateError } from '../../contract/errors.ts';
import { endSocket } from '../../platform/net/connections.ts';
import { STATUS_CODES } from '../../platform/net/nodeHttp.ts';

/** Headers that some codes add. */
const HEADERS: Partial<Record<ErrorCode, Readonly<Record<string, string>>>> = {
  UNAUTHORIZED: { 'www-authenticate': 'Bearer' },
  RATE_LIMITED: { 'retry-after': '60' },
  STARTING: { 'retry-after': '1' },
  SHUTTING_DOWN: { connection: 'close' },
};

/** The headers of a failure. */
export function failureHeaders({ code }: FaceplateError): Record<string, string> {
  return { 'content-type': 'application/json; charset=utf-8', ...HEADERS[code] };
}

/** Sends a failure in the one shape that all failures have. @param more headers, in place of those of its code */
export function sendFailure(
  reply: FastifyReply,
  failure: FaceplateError,
  more: Readonly<Record<string, string>> = {},
): FastifyReply {
  const headers = { ...failureHeaders(failure), ...more };
  return reply.code(failure.status).headers(headers).send(JSON.stringify(failure.toAnswer()));
}

/**
 * The catalogue's error for a mistake that Fastify or the HTTP parser found; undefined for anything else.
 * @param bodyLimit bytes that the route accepts
 * @param bodyTypes media types that it accepts, where it is not JSON alone
 */
export function fromHttpError(
  error: unknown,
  bodyLimit?: number,
  bodyTypes?: readonly string[],
): FaceplateError | undefined {
  const { code, statusCode } = error as { code?: string; statusCode?: number };
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new FaceplateError(
        'TOO_LARGE',
        bodyLimit === undefined ? undefined : `The request is larger than ${sizeOf(bodyLimit)}.`,
      );
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new FaceplateError(
        'UNSUPPORTED_MEDIA_TYPE',
        bodyTypes === undefined ? undefined : `Send the body as ${bodyTypes.join(' or ')}.`,
      );
    case 'HPE_HEADER_OVERFLOW':
      return new FaceplateError('TOO_LARGE', 'The headers of the request are larger than 16 KiB.');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new FaceplateError('REQUEST_TIMEOUT');
  }
  if (code?.startsWith('HPE_'))
    return new FaceplateError('INVALID_REQUEST', 'This is not a valid HTTP request.');
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return new FaceplateError('INVALID_REQUEST');
  return undefined;
}

/** For example `1 MiB` or `256 KiB`. */
function sizeOf(bytes: number): string {
  return bytes % 1024 ** 2 === 0 ? `${bytes / 1024 ** 2} MiB` : `${bytes / 1024} KiB`;
}

/** Answers a connection whose bytes never became a request, then closes it. */
export function answerRawError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  sendRawFailure(
    socket,
    fromHttpError(error) ?? new FaceplateError('INVALID_REQUEST', 'This is not a valid HTTP request.'),
  );
}

/** The panel is no tunnel: answers CONNECT like any unknown method, and closes the connection. */
export function answerConnect(socket: Duplex): void {
  // From here on the connection is ours: an error without a listener would end the service.
  socket.on('error', () => socket.destroy());
  sendRawFailure(socket, new FaceplateError('NOT_FOUND'));
}

function sendRawFailure(socket: Duplex, failure: FaceplateError): void {
  const body = JSON.stringify(failure.toAnswer());
  endSocket(
    socket,
    `HTTP/1.1 ${failure.status} ${STATUS_CODES[failure.status]}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
