import { isIP } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Admission, admit, requireScope } from '../../commands/access.ts';
import { type Access, type Identity, LOOPBACK, NOBODY } from '../../contract/access.ts';
import type { Command } from '../../contract/command.ts';
import type { CommandName } from '../../contract/commands.ts';
import { FaceplateError } from '../../contract/errors.ts';
import { WrongTries } from '../../platform/limits.ts';
import { isLoopback } from '../../platform/net/addresses.ts';
import { sendFailure } from './answers.ts';
import { wantsSocket } from './listener.ts';
import { tokenOfProtocols } from './screenSocket.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Who may call a route without a command; when missing, no caller may. */
    access?: Access | undefined;
    /** Matches all addresses without a route: any token is enough. */
    unknown?: true;
    /** It only says that the address does not take these methods. */
    refuses?: true;
    /** The command that the route runs: its access decides. */
    command?: RoutedCommand | undefined;
    /** Media types of its body, where it takes others than JSON. */
    bodyTypes?: readonly string[];
  }
  interface FastifyRequest {
    /** Who calls; set once the guard has let the request in. */
    identity: Identity;
    /** That this caller may make the call of a route with a command. */
    admission: Admission | undefined;
  }
}

/** A command with its name. */
export interface RoutedCommand {
  readonly name: CommandName;
  readonly command: Command;
}

export interface GuardOptions {
  /** The panel's own host name. */
  panelName: string;
  /** Names of the panel beside its own, such as `panel.lan` and `*.example.org`; read on every request. */
  allowedHosts?(): readonly string[];
  /** Whose token this is; undefined for a wrong, expired or revoked one. @param address of the caller */
  identify(token: string, address: string): Identity | undefined;
  /** Keeps an address waiting that has tried a command too often, before its body is read. @throws FaceplateError */
  mustNotWait?(command: CommandName, address: string): void;
  /** Called when a token does not open the command of a route, or its caller has to wait. */
  onRefused?(command: CommandName, identity: Identity, address: string, failure: FaceplateError): void;
  /** Origins that may call across origins; read on every request. */
  allowedOrigins(): readonly string[];
  /** Milliseconds, monotonic. */
  now(): number;
}

/** So many wrong tokens from one address within a minute, and further wrong ones are refused for a minute. */
const MAX_WRONG_TOKENS = 10;

/** Made once: an error costs more than all the rest of a refused request, and guessers come in floods. */
const NO_TOKEN = new FaceplateError('UNAUTHORIZED');
const WRONG_TOKEN = new FaceplateError(
  'UNAUTHORIZED',
  'The token is not a token of this panel, was revoked or has expired.',
);
const TOO_MANY_WRONG = new FaceplateError('RATE_LIMITED');

/** Methods that a foreign page may send because they change nothing. */
const READING = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Decides who may call, in the order Host, Origin, token. It runs before the routing is answered, so that a caller
 * without a token does not learn which addresses exist.
 */
export function createGuard(options: GuardOptions) {
  const wrongTokens = new WrongTries(MAX_WRONG_TOKENS, options.now);
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
    // Other names can be taken from the settings at any time.
    if (isOwnHost(hostName(header), options.panelName)) lastOwnHost = header;
  }

  function mustBeOwn(host: string): void {
    const name = hostName(host);
    if (name === '') throw new FaceplateError('INVALID_REQUEST', 'The Host header holds no host.');
    if (isOwnHost(name, options.panelName) || isAllowedHost(name, options.allowedHosts?.() ?? [])) return;
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
      // No browser keeps a foreign page from opening a WebSocket and reading it.
      if ((READING.has(request.method) && !wantsSocket(request)) || isOwnPage(request, origin)) return false;
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
   * Where no token is needed none is looked at.
   */
  function checkAccess(request: FastifyRequest): void {
    const remote = request.socket.remoteAddress ?? '';
    const { access: own = {}, command: routed, unknown } = request.routeOptions.config;
    const access = routed?.command.access ?? own;
    const isPicture = access.http === 'picture';
    if (access.http === 'open') request.identity = NOBODY;
    else if (access.http === 'loopback' && isLoopback(remote) && !isForeign(request))
      request.identity = LOOPBACK;
    else if (isPicture && isLoopback(remote) && isOfThisPanel(request)) request.identity = LOOPBACK;
    else request.identity = identityOf(request, remote, isPicture);
    const { identity } = request;
    if (routed !== undefined) request.admission = admitted(routed, identity, remote);
    else if (!request.is404 && !unknown) requireScope(access, identity);
  }

  /** Tells of the refusal of a command. @throws FaceplateError as `admit`; RATE_LIMITED */
  function admitted({ name, command }: RoutedCommand, identity: Identity, remote: string): Admission {
    try {
      if (command.access.http === 'open') options.mustNotWait?.(name, remote);
      return admit(command, { surface: 'http', identity });
    } catch (error) {
      options.onRefused?.(name, identity, remote, error as FaceplateError);
      throw error;
    }
  }

  /** Whether a page asks that may call only with a token: one of the panel's own that is not the active project's. */
  function isForeign({ method, headers: { origin } }: FastifyRequest): boolean {
    return origin !== undefined && !READING.has(method) && !options.allowedOrigins().includes(origin);
  }

  /**
   * Whether no page of others asks for a picture: a browser says of every request whether its page has the same origin. Of the
   * panel's own pages those count that may call.
   */
  function isOfThisPanel(request: FastifyRequest): boolean {
    const { origin, host = '', 'sec-fetch-site': site } = request.headers;
    if (site === undefined) return origin === undefined || options.allowedOrigins().includes(origin);
    if (site === 'none') return true;
    if (site !== 'same-origin') return false;
    const page = `${request.protocol}://${host.toLowerCase()}`;
    return projectIdOf(hostName(host)) === undefined || options.allowedOrigins().includes(page);
  }

  function identityOf({ headers }: FastifyRequest, remote: string, isPicture: boolean): Identity {
    const { authorization } = headers;
    const candidate =
      bearerOf(authorization) ??
      tokenOfProtocols({ headers }) ??
      (isPicture ? passwordOf(authorization) : undefined);
    if (candidate === undefined) throw NO_TOKEN;
    const identity = options.identify(candidate, remote);
    if (identity !== undefined) return identity;
    throw wrongTokens.note(remote) ? TOO_MANY_WRONG : WRONG_TOKEN;
  }

  /** @returns true when the request may continue; otherwise it has its answer. */
  return (request: FastifyRequest, reply: FastifyReply): boolean => {
    const isPicture = request.routeOptions.config.command?.command.access.http === 'picture';
    // No page of another origin shows it, or learns of it by its size, not even with a login that the browser remembers.
    if (isPicture) reply.headers(OF_PICTURES);
    try {
      checkHost(request);
      if (checkOrigin(request, reply)) return false;
      checkAccess(request);
      checkTarget(request);
      return true;
    } catch (error) {
      if (!(error instanceof FaceplateError)) throw error;
      sendFailure(reply, error, isPicture && error.code === 'UNAUTHORIZED' ? challengeOf(request) : {});
      return false;
    }
  };
}

/** Of every answer to a call for a picture, also of a refusal. */
const OF_PICTURES = {
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
};

/** Asks for a login in the way in which a browser asks its user, but neither in a foreign page nor where a program has a token. */
function challengeOf({ headers }: FastifyRequest): Record<string, string> {
  const { authorization = '', 'sec-fetch-site': site = 'none' } = headers;
  const mayAsk = !/^bearer /i.test(authorization) && (site === 'none' || site === 'same-origin');
  return mayAsk ? { 'www-authenticate': 'Bearer, Basic realm="Faceplate", charset="UTF-8"' } : {};
}

/** The token of an `Authorization` header (RFC 6750 section 2.1); undefined without one. */
function bearerOf(header: string | undefined): string | undefined {
  return /^bearer +(\S+) *$/i.exec(header ?? '')?.[1];
}

/** The password of Basic (RFC 7617); undefined without one. */
function passwordOf(header: string | undefined): string | undefined {
  const login = /^basic +([A-Za-z0-9+/=]+) *$/i.exec(header ?? '')?.[1];
  return login && /^[^:]*:(\S+)$/.exec(Buffer.from(login, 'base64').toString('utf8'))?.[1];
}

/** Whether an Origin is the request's own scheme and Host: then our own page asks. */
function isOwnPage({ protocol, headers: { host } }: FastifyRequest, origin: string): boolean {
  return origin === `${protocol}://${host?.toLowerCase()}`;
}

/** A host as RFC 3986 section 3.2.2 writes it, an address in brackets or a name, with a port that may be empty. */
const HOST = /^(?:\[([0-9a-fA-F:.]+)\]|([\w.~!$&'()*+,;=%-]+))(?::\d{0,5})?$/;

/** The name in a Host header: lower case, without port, brackets and final dot. Empty when the header holds no host. */
export function hostName(header: string): string {
  const match = HOST.exec(header);
  return (match?.[1] ?? match?.[2] ?? '').toLowerCase().replace(/\.$/, '');
}

/** How many Host headers a request has. */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (rawHeaders[i]!.length === 4 && rawHeaders[i]!.toLowerCase() === 'host') count++;
  return count;
}

/** An absolute-form target (RFC 9112 section 3.2.2): its authority and the rest; undefined for any other form. */
export function absoluteForm(target: string): { authority: string; path: string } | undefined {
  if (target.startsWith('/')) return undefined;
  const match = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)(.*)$/is.exec(target);
  if (match === null) return undefined;
  const [, authority = '', rest = ''] = match;
  return { authority, path: rest.startsWith('/') ? rest : `/${rest}` };
}

/**
 * Whether a Host header names this panel: an IP address, localhost, *.localhost, or the panel's own name, also with
 * `.local`. Any other name may belong to an attacker whose DNS points here (DNS rebinding).
 */
function isOwnHost(name: string, panelName: string): boolean {
  const own = panelName.toLowerCase();
  const short = own.split('.')[0] ?? own;
  return (
    isIP(name) !== 0 ||
    name === 'localhost' ||
    name.endsWith('.localhost') ||
    (own !== '' && [own, short, `${own}.local`, `${short}.local`].includes(name))
  );
}

/** Whether a name is among those of `http.allowedHosts`; `*.example.org` matches every name below it. */
function isAllowedHost(name: string, allowed: readonly string[]): boolean {
  return allowed.some((entry) => {
    const wanted = entry.toLowerCase();
    return wanted.startsWith('*.')
      ? name.endsWith(wanted.slice(1)) && name.length > wanted.length - 1
      : name === wanted;
  });
}

/** The project id in `<id>.localhost`, or undefined for another host name. */
export function projectIdOf(name: string): string | undefined {
  return name.endsWith('.localhost') ? name.slice(0, -'.localhost'.length) : undefined;
}
