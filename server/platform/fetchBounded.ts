import type { lookup as systemLookup } from 'node:dns';
import type { IncomingMessage } from 'node:http';
import { FaceplateError } from '../contract/errors.ts';
import { AddressRefused, type ClosedPorts, type RequestRules, requestChecked } from './checkedRequest.ts';
import { errnoOf, errnoWords } from './errno.ts';

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
