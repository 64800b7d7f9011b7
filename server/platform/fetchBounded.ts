import { type LookupAddress, lookup as systemLookup } from 'node:dns';
import { type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { FaceplateError } from '../contract/errors.ts';
import { isIn } from './addresses.ts';
import { errnoOf, errnoWords } from './errno.ts';
import { ownAddresses } from './networks.ts';

/** Redirects that are followed. */
const MAX_HOPS = 5;

/** Addresses that lead back to this machine; Linux takes the unspecified ones as loopback too. */
const toOurselves = new BlockList();
toOurselves.addSubnet('127.0.0.0', 8);
toOurselves.addSubnet('0.0.0.0', 8);
toOurselves.addAddress('::1', 'ipv6');
toOurselves.addAddress('::', 'ipv6');

interface FetchLimits {
  readonly maxBytes: number;
  /** Milliseconds for all of it: names, redirects and the last byte. */
  readonly timeoutMs: number;
  /** Ports of this panel's own servers, which are never asked. */
  readonly ownPorts: readonly number[];
  readonly signal?: AbortSignal | undefined;
  /** Another name service for tests. */
  readonly lookup?: typeof systemLookup;
}

/** What an address gave. */
export interface Fetched {
  readonly bytes: Buffer;
  /** The media type that the server names, in lower case and without parameters; empty where it names none. */
  readonly type: string;
}

/**
 * Fetches a sound or a picture from an address that a stranger may have named. Bytes and time are bounded. The panel's
 * own servers are never asked, under no address of this machine; other services of this machine only where the caller
 * names this machine itself, never by a redirect or by a name that leads to it. The address that was checked is the one
 * that is connected to, so that a name cannot change its meaning in between (DNS rebinding).
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
    if (deadline.aborted) throw unreachable(`it took longer than ${limits.timeoutMs / 1000} s`, error);
    const errno = errnoOf(error);
    throw unreachable(errno === undefined ? (error as Error).message : errnoWords(errno), error);
  }
}

async function follow(first: string, limits: FetchLimits): Promise<Fetched> {
  let url = parsed(first);
  const mayAskOurselves = namesOurselves(url);
  for (let hop = 0; hop <= MAX_HOPS; hop++) {
    const response = await ask(url, limits, mayAskOurselves && (hop === 0 || namesOurselves(url)));
    const { statusCode = 0, headers } = response;
    if (statusCode === 200)
      return { bytes: await read(response, limits), type: typeOf(headers['content-type']) };
    response.destroy();
    if (![301, 302, 303, 307, 308].includes(statusCode) || headers.location === undefined)
      throw unreachable(`the server answers ${statusCode}`);
    url = parsed(headers.location, url);
  }
  throw unreachable(`it is redirected more than ${MAX_HOPS} times`);
}

function parsed(address: string, base?: URL): URL {
  if (!URL.canParse(address, base?.href))
    throw unreachable('it is redirected to something that is no address');
  const url = new URL(address, base);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw unreachable('only http and https are fetched');
  return url;
}

/** Whether the address says plainly that it means this machine. */
function namesOurselves({ hostname }: URL): boolean {
  return hostname === 'localhost' || toOurselvesAlone(bare(hostname));
}

function toOurselvesAlone(ip: string): boolean {
  return isIn(toOurselves, ip);
}

/** The host of a URL without the brackets of an IPv6 address. */
function bare(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}

function ask(url: URL, limits: FetchLimits, mayAskOurselves: boolean): Promise<IncomingMessage> {
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  const check = (ip: string): void => {
    const isLoopback = toOurselvesAlone(ip);
    if (limits.ownPorts.includes(port) && (isLoopback || isOwn(ip)))
      throw unreachable("it leads to the panel's own server");
    if (isLoopback && !mayAskOurselves) throw unreachable('it leads to a service of this panel itself');
  };
  const host = bare(url.hostname);
  if (isIP(host) !== 0) check(host);
  const options: RequestOptions = {
    agent: false,
    method: 'GET',
    headers: { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'Faceplate' },
    lookup: checkedLookup(limits.lookup ?? systemLookup, check),
    ...(limits.signal && { signal: limits.signal }),
  };
  return new Promise((resolve, reject) => {
    const request = url.protocol === 'https:' ? requestHttps : requestHttp;
    request(url, options, resolve).on('error', reject).end();
  });
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
