import { type LookupAddress, lookup as systemLookup } from 'node:dns';
import type { IncomingMessage, OutgoingHttpHeaders, RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { FaceplateError } from '../../contract/errors.ts';
import { errnoOf, errnoWords } from '../errno.ts';
import { isIn, leadsToOurselves, ownAddresses } from './addresses.ts';
import { request as requestHttp } from './nodeHttp.ts';
import { trustedAuthorities } from './trustedTls.ts';

/** Redirects that are followed. */
const MAX_HOPS = 5;

/**
 * Ports of this machine that are never asked: all of them; on a simulated board, where services of the desk stand for
 * those of the house, the ports of the panel's own servers alone.
 */
export type ClosedPorts = 'all' | readonly number[];

/** The login of a server that asks for one (HTTP authentication). */
export type LoginOf = (
  origin: string,
) => { readonly username: string; readonly password: string } | undefined;

export interface RequestRules {
  readonly closedPorts: ClosedPorts;
  readonly signal: AbortSignal;
  /** Besides those of every request. */
  readonly headers?: OutgoingHttpHeaders;
  /** The login for a server, by its origin; asked for each address of a redirect too. */
  readonly loginOf?: LoginOf | undefined;
  /** Certificate authorities as PEM, trusted besides the system's. */
  readonly authorities?: readonly string[];
  /** Another name service for tests. */
  readonly lookup?: typeof systemLookup;
}

/** An address that is not asked, or leads nowhere. Its message is the reason, to stand after a colon. */
export class AddressRefused extends Error {}

/**
 * Asks an address that a stranger may have named, and follows up to five redirects. Closed ports of this machine are
 * never asked, under none of its addresses; those that are open only where the caller names this machine itself, never by
 * a redirect or by a name that leads to it. The address that was checked is the one that is connected to, so that a name
 * cannot change its meaning in between (DNS rebinding).
 * @returns the first answer that is no redirect, whatever its status; its receiver reads or destroys it
 * @throws AddressRefused, the errors of the connection, the reason of `signal`
 */
export async function requestChecked(address: string, rules: RequestRules): Promise<IncomingMessage> {
  let url = parsed(address);
  const mayAskOurselves = namesOurselves(url);
  for (let hop = 0; hop <= MAX_HOPS; hop++) {
    const response = await ask(url, rules, mayAskOurselves && (hop === 0 || namesOurselves(url)));
    const { statusCode = 0, headers } = response;
    if (![301, 302, 303, 307, 308].includes(statusCode) || headers.location === undefined) return response;
    response.destroy();
    url = parsed(headers.location, url);
  }
  throw new AddressRefused(`it is redirected more than ${MAX_HOPS} times`);
}

function parsed(address: string, base?: URL): URL {
  if (!URL.canParse(address, base?.href))
    throw new AddressRefused('it is redirected to something that is no address');
  const url = new URL(address, base);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new AddressRefused('only http and https are fetched');
  return url;
}

/** Whether the address says plainly that it means this machine. */
function namesOurselves({ hostname }: URL): boolean {
  return hostname === 'localhost' || leadsToOurselves(bare(hostname));
}

/** The host of a URL without the brackets of an IPv6 address. */
function bare(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}

function ask(url: URL, rules: RequestRules, mayAskOurselves: boolean): Promise<IncomingMessage> {
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  const check = (ip: string): void => {
    const isLoopback = leadsToOurselves(ip);
    const { closedPorts } = rules;
    const isClosed = closedPorts === 'all' || closedPorts.includes(port);
    if (isClosed && (isLoopback || isOwn(ip)))
      throw new AddressRefused(
        closedPorts === 'all' ? 'it leads to this panel itself' : "it leads to the panel's own server",
      );
    if (isLoopback && !mayAskOurselves)
      throw new AddressRefused('it leads to a service of this panel itself');
  };
  const host = bare(url.hostname);
  if (isIP(host) !== 0) check(host);
  const login = url.username === '' ? rules.loginOf?.(url.origin) : undefined;
  const options: RequestOptions = {
    agent: false,
    method: 'GET',
    headers: { ...rules.headers, accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'Faceplate' },
    lookup: checkedLookup(rules.lookup ?? systemLookup, check),
    signal: rules.signal,
    ...(login && { auth: `${login.username}:${login.password}` }),
    ...(url.protocol === 'https:' && rules.authorities && { ca: trusted(rules.authorities) }),
  };
  return new Promise((resolve, reject) => {
    const request = url.protocol === 'https:' ? requestHttps : requestHttp;
    request(url, options, resolve).on('error', reject).end();
  });
}

function trusted(authorities: readonly string[]): string[] {
  return [...trustedAuthorities(), ...authorities];
}

/** Refuses a name as soon as one of its addresses is refused. */
function checkedLookup(lookup: typeof systemLookup, check: (ip: string) => void): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, '');
      const addresses = found as LookupAddress[];
      try {
        for (const { address } of addresses) check(address);
      } catch (refusal) {
        return callback(refusal as NodeJS.ErrnoException, '');
      }
      if (options.all) return callback(null, addresses);
      callback(null, addresses[0]?.address ?? '', addresses[0]?.family);
    });
  };
}

/** An address of one of our own interfaces. */
function isOwn(ip: string): boolean {
  const own = new BlockList();
  for (const { address, family } of ownAddresses())
    own.addAddress(address, family === 'IPv6' ? 'ipv6' : 'ipv4');
  return isIn(own, ip);
}

interface FetchLimits {
  readonly maxBytes: number;
  /** Milliseconds for all of it: names, redirects and the last byte. */
  readonly timeoutMs: number;
  readonly closedPorts: ClosedPorts;
  readonly signal?: AbortSignal | undefined;
  /** Logins, as in `RequestRules`. */
  readonly loginOf?: RequestRules['loginOf'];
  /** Certificate authorities as PEM, trusted besides the system's. */
  readonly authorities?: readonly string[];
  /** Another name service for tests. */
  readonly lookup?: typeof systemLookup;
}

type Following = FetchLimits & Pick<RequestRules, 'signal'>;

/** What an address gave. */
export interface Fetched {
  readonly bytes: Buffer;
  /** The media type that the server names, in lower case and without parameters; empty where it names none. */
  readonly type: string;
}

/**
 * Fetches a sound or a picture from an address that a stranger may have named, by the rules of `requestChecked`. Bytes
 * and time are bounded.
 * @throws FaceplateError MEDIA_UNREACHABLE
 * @throws the reason of `signal`
 */
export async function fetchBounded(address: string, limits: FetchLimits): Promise<Fetched> {
  const deadline = AbortSignal.timeout(limits.timeoutMs);
  const signal = limits.signal ? AbortSignal.any([limits.signal, deadline]) : deadline;
  try {
    return await follow(address, { ...limits, signal });
  } catch (error) {
    limits.signal?.throwIfAborted();
    if (error instanceof FaceplateError) throw error;
    if (error instanceof AddressRefused) throw unreachable(error.message, error);
    if (deadline.aborted) throw unreachable(`it took longer than ${limits.timeoutMs / 1000} s`, error);
    const errno = errnoOf(error);
    throw unreachable(errno === undefined ? (error as Error).message : errnoWords(errno), error);
  }
}

async function follow(address: string, limits: Following): Promise<Fetched> {
  const response = await requestChecked(address, limits);
  const { statusCode, headers } = response;
  if (statusCode === 200)
    return { bytes: await read(response, limits), type: typeOf(headers['content-type']) };
  response.destroy();
  throw unreachable(`the server answers ${statusCode}`);
}

/** Reads the body; the first byte too many ends it. */
async function read(response: IncomingMessage, { maxBytes }: FetchLimits): Promise<Buffer> {
  const { headers } = response;
  const tooLarge = () => unreachable(`it is larger than ${Math.floor(maxBytes / 2 ** 20)} MiB`);
  try {
    if (Number(headers['content-length'] ?? 0) > maxBytes) throw tooLarge();
    // Nothing is unpacked here: a small packed body may become an endless one.
    if ((headers['content-encoding'] ?? 'identity') !== 'identity')
      throw unreachable('the server packs its answer although it was not asked to');
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) throw tooLarge();
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } finally {
    response.destroy();
  }
}

function typeOf(header: string | undefined): string {
  return (header ?? '').split(';', 1)[0]!.trim().toLowerCase();
}

function unreachable(reason: string, cause?: unknown): FaceplateError {
  return new FaceplateError('MEDIA_UNREACHABLE', `The address cannot be fetched: ${reason}.`, { cause });
}
