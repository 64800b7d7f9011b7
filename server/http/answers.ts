import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply } from 'fastify';
import { FaceplateError } from '../contract/errors.ts';

/** Sends a failure in the one shape that every failure has. */
export function sendFailure(reply: FastifyReply, failure: FaceplateError): FastifyReply {
  if (failure.code === 'UNAUTHORIZED') reply.header('www-authenticate', 'Bearer');
  if (failure.code === 'RATE_LIMITED') reply.header('retry-after', '60');
  if (failure.code === 'SHUTTING_DOWN') reply.header('connection', 'close');
  return reply
    .code(failure.status)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(failure.toAnswer()));
}

/** The catalogue's error for a mistake that Fastify or the HTTP parser found; undefined for anything else. */
export function fromHttpError(error: unknown): FaceplateError | undefined {
  const { code, statusCode } = error as { code?: string; statusCode?: number };
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new FaceplateError('TOO_LARGE');
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new FaceplateError('UNSUPPORTED_MEDIA_TYPE');
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

/** Answers a connection whose bytes never became a request, then closes it. */
export function answerRawError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const failure =
    fromHttpError(error) ?? new FaceplateError('INVALID_REQUEST', 'This is not a valid HTTP request.');
  const body = JSON.stringify(failure.toAnswer());
  socket.end(
    `HTTP/1.1 ${failure.status} ${STATUS_CODES[failure.status]}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
