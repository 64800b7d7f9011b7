import type { ParamsOf, ResultOf } from '../../contract/commands.ts';
import { FaceplateError } from '../../contract/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import { errnoOf, errnoWords } from '../../platform/errno.ts';
import type { LocalTargets } from '../../platform/net/localTargets.ts';
import { upperHex } from '../../platform/texts.ts';
import type { CallContext } from '../callContext.ts';
import { HTTP_REQUEST_MAX_AT_ONCE, HTTP_REQUEST_MAX_BYTES } from './contract.ts';

/** One question to a device. */
export interface DeviceQuestion {
  readonly url: URL;
  /** The address that was judged; it alone is connected to. */
  readonly address: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
}

export interface DeviceAnswer {
  readonly status: number;
  /** Names in lower case; values of one name are joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
  /** undefined when there are more than were asked for. */
  readonly bytes: Uint8Array | undefined;
}

/** Asks devices over HTTP. */
export interface HttpDriver {
  /**
   * Asks once and follows nothing. @param maxBytes of the answer's body
   * @throws FaceplateError HARDWARE_ERROR (a certificate that is not trusted), a system error, the reason of `signal`
   */
  ask(question: DeviceQuestion, maxBytes: number, signal: AbortSignal): Promise<DeviceAnswer>;
}

/** Redirects that are followed. */
const MAX_HOPS = 5;

interface HttpRequestOptions {
  readonly driver: HttpDriver;
  readonly targets: LocalTargets;
  readonly clock: Clock;
}

type Request = Omit<DeviceQuestion, 'address'>;

/**
 * Asks devices of the local network over HTTP, for pages. It keeps no cookies and no connections, and each redirect is
 * judged like the first address.
 */
export class HttpRequestService {
  readonly #options: HttpRequestOptions;
  #running = 0;

  constructor(options: HttpRequestOptions) {
    this.#options = options;
  }

  /**
   * @throws FaceplateError FORBIDDEN (not on the local network, the panel itself, a redirect to either), TOO_LARGE, CONFLICT
   * (16 are under way), HARDWARE_ERROR, HARDWARE_TIMEOUT; none of them contains the address' path
   */
  async request(
    params: ParamsOf<'http.request'>,
    { signal }: CallContext,
  ): Promise<ResultOf<'http.request'>> {
    const body = params.body === undefined ? undefined : new TextEncoder().encode(params.body);
    if (body !== undefined && body.length > HTTP_REQUEST_MAX_BYTES)
      throw new FaceplateError('TOO_LARGE', 'The body is larger than 1 MiB.', { field: 'body' });
    if (this.#running >= HTTP_REQUEST_MAX_AT_ONCE)
      throw new FaceplateError(
        'CONFLICT',
        `At most ${HTTP_REQUEST_MAX_AT_ONCE} requests to devices can be under way at one time.`,
      );
    this.#running++;
    const late = new AbortController();
    const cancel = this.#options.clock.after(params.timeoutMs, () =>
      late.abort(new FaceplateError('HARDWARE_TIMEOUT', 'The device did not answer in time.')),
    );
    const url = new URL(params.url);
    const either = AbortSignal.any([signal, late.signal]);
    try {
      const headers = {
        ...(body !== undefined && { 'content-type': 'text/plain;charset=UTF-8' }),
        ...loginOf(url),
        ...lowerCase(params.headers),
      };
      return resultOf(await this.#follow({ url, method: params.method, headers, body }, either));
    } catch (error) {
      either.throwIfAborted();
      throw failureOf(error, url.hostname);
    } finally {
      cancel();
      this.#running--;
    }
  }

  async #follow(first: Request, signal: AbortSignal): Promise<DeviceAnswer> {
    let request = first;
    for (let hop = 0; hop <= MAX_HOPS; hop++) {
      const answer = await this.#ask(request, signal);
      const { location } = answer.headers;
      if (![301, 302, 303, 307, 308].includes(answer.status) || location === undefined) return answer;
      request = redirected(request, answer.status, location);
    }
    throw new FaceplateError('HARDWARE_ERROR', `The device redirects more than ${MAX_HOPS} times.`);
  }

  async #ask(request: Request, signal: AbortSignal): Promise<DeviceAnswer> {
    const { hostname, port, protocol } = request.url;
    const host = hostname.replace(/^\[|\]$/g, '');
    const number = Number(port || (protocol === 'https:' ? 443 : 80));
    const address = await this.#options.targets.judged(host, number, signal);
    return this.#options.driver.ask({ ...request, address }, HTTP_REQUEST_MAX_BYTES, signal);
  }
}

/** The request that a redirect asks for (RFC 9110 section 15.4). @throws FaceplateError FORBIDDEN */
function redirected({ url, method, headers, body }: Request, status: number, location: string): Request {
  const next = URL.canParse(location, url.href) ? new URL(location, url.href) : undefined;
  if (next === undefined || !/^https?:$/.test(next.protocol))
    throw new FaceplateError(
      'FORBIDDEN',
      'The device redirects to something that is no http or https address.',
    );
  // Proofs of who asks are for the device that was named, not for another one.
  const { authorization, ...others } = headers;
  const kept = { ...(next.origin === url.origin ? headers : others), ...loginOf(next) };
  const becomesGet = status === 303 ? method !== 'HEAD' : status < 303 && method === 'POST';
  if (!becomesGet) return { url: next, method, headers: kept, body };
  const { 'content-type': _type, ...withoutType } = kept as Record<string, string>;
  return { url: next, method: 'GET', headers: withoutType, body: undefined };
}

/** The header for the login of an address. */
function loginOf({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {};
  const login = Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64');
  return { authorization: `Basic ${login}` };
}

/** A stray `%` is no mistake of the caller. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function lowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** @throws FaceplateError TOO_LARGE */
function resultOf({ status, headers, bytes }: DeviceAnswer): ResultOf<'http.request'> {
  if (bytes === undefined)
    throw new FaceplateError('TOO_LARGE', 'The answer of the device is larger than 1 MiB.');
  const { 'set-cookie': _, 'set-cookie2': _2, ...told } = headers;
  const text = textOf(bytes, headers['content-type'] ?? '');
  return { status, headers: told, ...(text === undefined ? { bodyHex: upperHex(bytes) } : { body: text }) };
}

/** A sentence that repeats nothing of what the device sent. */
function failureOf(error: unknown, host: string): unknown {
  if (error instanceof FaceplateError) return error;
  const errno = errnoOf(error);
  const isOfProtocol =
    error instanceof Error && /^(?:HPE_|ERR_|EPROTO)/.test(String((error as { code?: unknown }).code));
  if (errno === undefined && !isOfProtocol) return error;
  const why = errno === undefined ? 'gave no valid answer' : `cannot be reached: ${errnoWords(errno)}`;
  return new FaceplateError('HARDWARE_ERROR', `${host} ${why}.`, { cause: error });
}

/** Media types that are no text, whatever their bytes look like. */
const NO_TEXT =
  /^(?:image|audio|video|font)\/(?!.*\+xml\b)|^application\/(?:octet-stream|pdf|zip|gzip|x-tar|wasm)\b/i;
/** Control characters that stand in no text; tab, line feed, form feed, carriage return and escape may. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f\x7f]/;

/**
 * A body as text, in the charset that the device names, else UTF-8.
 * @param contentType the header, empty where there is none
 * @returns undefined for what is no text
 */
export function textOf(bytes: Uint8Array, contentType: string): string | undefined {
  if (bytes.length === 0) return '';
  if (NO_TEXT.test(contentType.trim())) return undefined;
  const charset = /;\s*charset\s*=\s*"?([\w.:-]{1,40})/i.exec(contentType)?.[1] ?? 'utf-8';
  try {
    const text = new TextDecoder(charset, { fatal: true }).decode(bytes);
    return CONTROL.test(text) ? undefined : text;
  } catch {
    // An unknown charset, or bytes that are not in it.
    return undefined;
  }
}
