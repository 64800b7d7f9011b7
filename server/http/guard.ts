import type { FastifyReply, FastifyRequest } from 'fastify';
import { FaceplateError } from '../contract/errors.ts';
import { isLoopback } from '../observe/localAddress.ts';
import { sendFailure } from './answers.ts';
import { hostName, isOwnHost, WrongTokens } from './callers.ts';

export interface GuardOptions {
  /** The panel's own host name. */
  panelName: string;
  token: { matches(candidate: string): boolean };
  /** Origins that may call across origins; asked on every request. */
  allowedOrigins(): readonly string[];
  /** Milliseconds, monotonic. */
  now(): number;
}

/** Methods that a foreign page may send because they change nothing. */
const READING = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Who may call, in the order Host, Origin, token. It runs before routing is answered, so that an unknown path under a
 * token prefix is 401 before it is 404.
 */
export function createGuard(options: GuardOptions) {
  const wrongTokens = new WrongTokens(options.now);
  /** Callers repeat themselves: the last header that was right needs no second look. */
  let lastOwnHost: string | undefined;

  function checkHost(request: FastifyRequest): void {
    const header = request.headers.host;
    if (header === undefined) throw new FaceplateError('INVALID_REQUEST', 'The request has no Host header.');
    if (header === lastOwnHost) return;
    if (!isOwnHost(hostName(header), options.panelName)) {
      throw new FaceplateError(
        'FORBIDDEN',
        'The Host header does not name this panel; use its address or its host name.',
      );
    }
    lastOwnHost = header;
  }

  /** @returns true when the request was a CORS preflight and is answered. */
  function checkOrigin(request: FastifyRequest, reply: FastifyReply): boolean {
    const { origin } = request.headers;
    if (origin === undefined) return false;
    reply.header('vary', 'Origin');
    if (!options.allowedOrigins().includes(origin)) {
      if (READING.has(request.method)) return false;
      throw new FaceplateError(
        'FORBIDDEN',
        'Pages of this origin may not call the panel; see http.allowedOrigins.',
      );
    }
    reply.header('access-control-allow-origin', origin);
    if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined)
      return false;
    reply
      .header('access-control-allow-methods', 'GET, POST, DELETE, PATCH')
      .header('access-control-allow-headers', 'authorization, content-type')
      .header('access-control-max-age', '600')
      .code(204)
      .send();
    return true;
  }

  function checkToken(request: FastifyRequest): void {
    const remote = request.socket.remoteAddress;
    // The matched route counts as well as the raw path: %-encoded letters must not lead around a prefix.
    if (!needsToken(request.routeOptions.url ?? '', remote) && !needsToken(pathOf(request.url), remote))
      return;
    const header = request.headers.authorization;
    const candidate = /^bearer +(\S+) *$/i.exec(header ?? '')?.[1];
    if (candidate === undefined) throw new FaceplateError('UNAUTHORIZED');
    if (options.token.matches(candidate)) return;
    if (wrongTokens.note(remote ?? '')) throw new FaceplateError('RATE_LIMITED');
    throw new FaceplateError('UNAUTHORIZED', 'The token is not the token of this panel.');
  }

  /** @returns true where the request may go on; else it is answered. */
  return (request: FastifyRequest, reply: FastifyReply): boolean => {
    try {
      checkHost(request);
      if (checkOrigin(request, reply)) return false;
      checkToken(request);
      return true;
    } catch (error) {
      if (!(error instanceof FaceplateError)) throw error;
      sendFailure(reply, error);
      return false;
    }
  };
}

function needsToken(path: string, remote: string | undefined): boolean {
  return (
    isBelow(path, '/api/remote') ||
    isBelow(path, '/api/manage') ||
    // It dials any host for the caller and tells what is there.
    isBelow(path, '/api/stream/inspect') ||
    (isBelow(path, '/api/stream') && !isLoopback(remote ?? ''))
  );
}

function isBelow(path: string, prefix: string): boolean {
  return path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === '/');
}

function pathOf(url: string): string {
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
}
