import type { FastifyReply, FastifyRequest } from 'fastify';
import type { HttpAccess } from '../../contract/command.ts';
import { FaceplateError } from '../../contract/errors.ts';
import { isLoopback } from '../../platform/addresses.ts';
import { sendFailure } from './answers.ts';
import { absoluteForm, countHosts, hostName, isOwnHost, WrongTokens } from './callers.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Who may call the route; when missing, no caller may. */
    access?: HttpAccess | undefined;
  }
}

export interface GuardOptions {
  /** The panel's own host name. */
  panelName: string;
  token: { matches(candidate: string): boolean };
  /** Origins that may call across origins; read on every request. */
  allowedOrigins(): readonly string[];
  /** Milliseconds, monotonic. */
  now(): number;
}

/** Methods that a foreign page may send because they change nothing. */
const READING = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Decides who may call, in the order Host, Origin, token. It runs before the routing is answered, so that a caller
 * without a token does not learn which addresses exist.
 */
export function createGuard(options: GuardOptions) {
  const wrongTokens = new WrongTokens(options.now);
  /** Callers repeat themselves: the last correct header needs no second check. */
  let lastOwnHost: string | undefined;

  function checkHost(request: FastifyRequest): void {
    const header = request.headers.host;
    if (header === undefined) throw new FaceplateError('INVALID_REQUEST', 'The request has no Host header.');
    // Node.js reports the first of several: a proxy in between may have used another (RFC 9112 section 3.2).
    if (countHosts(request.raw.rawHeaders) > 1)
      throw new FaceplateError('INVALID_REQUEST', 'The request has more than one Host header.');
    if (header === lastOwnHost) return;
    mustBeOwn(header);
    lastOwnHost = header;
  }

  function mustBeOwn(host: string): void {
    const name = hostName(host);
    if (name === '') throw new FaceplateError('INVALID_REQUEST', 'The Host header holds no host.');
    if (isOwnHost(name, options.panelName)) return;
    throw new FaceplateError(
      'FORBIDDEN',
      'The Host header does not name this panel; use its address or its host name.',
    );
  }

  /** The host in an absolute-form target counts as well. Checked last, so that a missing token is reported first. */
  function checkTarget({ originalUrl }: FastifyRequest): void {
    const target = absoluteForm(originalUrl);
    if (target !== undefined) mustBeOwn(target.authority);
  }

  /** @returns true when the request was a CORS preflight and has its answer. */
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

  /**
   * Checks the access that the route declares; a route that declares none, and an address without a route, is closed.
   */
  function checkAccess(request: FastifyRequest): void {
    const remote = request.socket.remoteAddress ?? '';
    const { access } = request.routeOptions.config;
    if (access === 'open' || (access === 'loopback' && isLoopback(remote))) return;
    const header = request.headers.authorization;
    const candidate = /^bearer +(\S+) *$/i.exec(header ?? '')?.[1];
    if (candidate === undefined) throw new FaceplateError('UNAUTHORIZED');
    if (options.token.matches(candidate)) {
      if (access === undefined && !request.is404)
        throw new FaceplateError('FORBIDDEN', 'Nobody may call this from outside.');
      return;
    }
    if (wrongTokens.note(remote)) throw new FaceplateError('RATE_LIMITED');
    throw new FaceplateError('UNAUTHORIZED', 'The token is not the token of this panel.');
  }

  /** @returns true when the request may continue; otherwise it has its answer. */
  return (request: FastifyRequest, reply: FastifyReply): boolean => {
    try {
      checkHost(request);
      if (checkOrigin(request, reply)) return false;
      checkAccess(request);
      checkTarget(request);
      return true;
    } catch (error) {
      if (!(error instanceof FaceplateError)) throw error;
      sendFailure(reply, error);
      return false;
    }
  };
}
