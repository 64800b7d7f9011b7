import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import {
  type DigestAlgorithm,
  digestAlgorithm,
  digestResponse,
  formatDigest,
} from '../../platform/net/digest.ts';
import { parseDigest } from './auth/digest.ts';
import { readableNameAddrs } from './message/fields.ts';
import { type ReceivedRequest, responseTo, type SipResponse } from './message/message.ts';
import { type Params, parseNumber } from './message/syntax.ts';
import { formatUri, parseUri, type SipUri, userOf } from './message/uri.ts';
import { newTag } from './transaction/layer.ts';
import type { Hop, Source } from './transport/hop.ts';

/** A door station or phone that may register at this panel. */
export interface RegistrarAccount {
  readonly username: string;
  readonly password: string;
}

const REALM = 'faceplate';
/** Bounds of a registration in seconds (RFC 3261 section 10.3). */
const MIN_EXPIRES = 60;
const MAX_EXPIRES = 3_600;
/** How much longer than granted a binding lasts, in milliseconds: devices come back late, or need a second challenge. */
const GRACE_MS = 20_000;
/** Lifetime of a nonce in milliseconds; a client with an older one gets `stale`. */
const NONCE_MS = 60_000;
/** Most devices with one name; no house needs more. */
const MAX_BINDINGS_EACH = 4;
const MAX_NONCES = 200;
/** Offered in this order, the strongest first (RFC 8760 section 2.4). */
const OFFERED: readonly DigestAlgorithm[] = ['SHA-256', 'MD5'];

interface Binding {
  readonly contact: SipUri;
  readonly source: Source;
  readonly callId: string;
  readonly cseq: number;
  /** When the granted time ends. */
  readonly until: number;
}

interface RegistrarAnswer {
  readonly response: SipResponse;
  /** Called for a wrong password, which is counted. */
  readonly isFailure: boolean;
}

/** The built-in registrar: door stations that insist on a PBX register here (RFC 3261 section 10.3). */
export class RegistrarServer {
  readonly #clock: Clock;
  readonly #passwords: ReadonlyMap<string, string>;
  readonly #bindings = new Map<string, Binding[]>();
  readonly #secret = randomBytes(32);
  /**
   * Addresses whose device came back without credentials: many door stations give up on an algorithm that they do not
   * know, even with MD5 beside it. These are offered MD5 alone.
   */
  readonly #needMd5 = new Set<string>();
  /** Highest count seen of each nonce, so that a recorded answer is useless. */
  readonly #counts = new Map<string, number>();

  constructor(clock: Clock, accounts: readonly RegistrarAccount[]) {
    this.#clock = clock;
    this.#passwords = new Map(accounts.map(({ username, password }) => [username, password]));
  }

  /** Whether a registered device has this address; then it may call. */
  hasAddress(address: string): boolean {
    return [...this.#bindings.keys()].some((name) =>
      this.#live(name).some(({ source }) => source.host === address),
    );
  }

  /** The address of a registered name: its newest binding. */
  find(username: string): { readonly uri: SipUri; readonly hop: Hop } | undefined {
    const binding = this.#live(username).at(-1);
    if (binding === undefined) return undefined;
    const { protocol, host, port, connection } = binding.source;
    return { uri: binding.contact, hop: { protocol, host, port, flow: connection } };
  }

  /** Answers a REGISTER: 401 with challenges, 200 with the bindings, 400, 403, 423. */
  answer(request: ReceivedRequest, source: Source): RegistrarAnswer {
    const login = this.#login(request, source);
    if ('response' in login) return login;
    const user = userOf(request.core.to.uri);
    if (user !== login.username) return { response: responseTo(request, 403, newTag()), isFailure: false };
    return { response: this.#bind(request, source, user), isFailure: false };
  }

  #login(request: ReceivedRequest, source: Source): { username: string } | RegistrarAnswer {
    const fields = request.headers
      .all('authorization')
      .flatMap((value) => parseDigest(value) ?? [])
      .find((params) => params.get('realm') === REALM);
    if (fields === undefined) {
      const response = this.#challenge(request, source, false);
      if (this.#needMd5.size >= MAX_NONCES) this.#needMd5.clear();
      this.#needMd5.add(source.host);
      return { response, isFailure: false };
    }
    if (!this.#isRight(fields, request))
      return { response: this.#challenge(request, source, false), isFailure: true };
    // The right password for a nonce that was used, is old, or is from before our start.
    const age = this.#ageOf(fields.get('nonce') ?? '', source);
    if (age === undefined || age > NONCE_MS || !this.#isNewCount(fields))
      return { response: this.#challenge(request, source, true), isFailure: false };
    if (digestAlgorithm(fields.get('algorithm')) !== 'MD5') this.#needMd5.delete(source.host);
    return { username: fields.get('username')! };
  }

  #isRight(fields: Params, request: ReceivedRequest): boolean {
    const username = fields.get('username') ?? '';
    const algorithm = digestAlgorithm(fields.get('algorithm'));
    if (algorithm === undefined || !OFFERED.includes(algorithm)) return false;
    const uri = fields.get('uri') ?? '';
    if (fields.get('qop') !== 'auth' || !isSameServer(uri, request.uri)) return false;
    const known = this.#passwords.get(username);
    const expected = digestResponse({
      algorithm,
      username,
      realm: REALM,
      // An unknown name takes as long as a wrong password.
      password: known ?? this.#secret.toString('hex'),
      nonce: fields.get('nonce') ?? '',
      method: request.method,
      uri,
      qop: { nc: fields.get('nc') ?? '', cnonce: fields.get('cnonce') ?? '' },
    });
    const given = Buffer.from((fields.get('response') ?? '').toLowerCase());
    const isSame = given.length === expected.length && timingSafeEqual(given, Buffer.from(expected));
    return isSame && known !== undefined;
  }

  #challenge(request: ReceivedRequest, source: Source, stale: boolean): SipResponse {
    const response = responseTo(request, 401, newTag());
    const nonce = this.#nonce(Math.floor(this.#clock.now()), source);
    const offered = this.#needMd5.has(source.host) ? OFFERED.slice(-1) : OFFERED;
    for (const algorithm of offered) {
      response.headers.add(
        'www-authenticate',
        formatDigest([
          ['realm', REALM],
          ['nonce', nonce],
          ['algorithm', algorithm],
          ['qop', 'auth'],
          ...(stale ? ([['stale', 'true']] as const) : []),
        ]),
      );
    }
    return response;
  }

  /** The time, authenticated together with the address, so that no state is needed. */
  #nonce(time: number, source: Source): string {
    const seal = createHmac('sha256', this.#secret)
      .update(`${time} ${source.host}`)
      .digest('hex')
      .slice(0, 32);
    return `${time.toString(16)}.${seal}`;
  }

  /** @returns milliseconds since we made it; undefined if we did not make it for this address */
  #ageOf(nonce: string, source: Source): number | undefined {
    const time = Number.parseInt(nonce.split('.')[0]!, 16);
    return Number.isSafeInteger(time) && this.#nonce(time, source) === nonce
      ? this.#clock.now() - time
      : undefined;
  }

  #isNewCount(fields: Params): boolean {
    const nonce = fields.get('nonce')!;
    const count = Number.parseInt(fields.get('nc') ?? '', 16);
    if (!(count > (this.#counts.get(nonce) ?? 0))) return false;
    this.#counts.delete(nonce);
    this.#counts.set(nonce, count);
    // A forgotten nonce is older than any valid one, or gets `stale` within the request limit.
    if (this.#counts.size > MAX_NONCES) this.#counts.delete(this.#counts.keys().next().value!);
    return true;
  }

  /** Section 10.3 steps 6 to 8. */
  #bind(request: ReceivedRequest, source: Source, user: string): SipResponse {
    const { callId, cseq } = request.core;
    const texts = request.headers.all('contact');
    const contacts = texts[0] === '*' ? [] : readableNameAddrs(texts);
    const asked = parseNumber(request.headers.get('expires') ?? '', 2 ** 32) ?? MAX_EXPIRES;
    if (texts[0] === '*') {
      if (texts.length > 1 || asked !== 0) return responseTo(request, 400, newTag());
      this.#bindings.delete(user);
    }
    if (texts.length > 0 && texts[0] !== '*' && contacts.length === 0)
      return responseTo(request, 400, newTag());
    let bindings = this.#live(user);
    for (const { uri, params } of contacts) {
      if (uri.scheme === 'other') return responseTo(request, 400, newTag());
      const text = params.get('expires');
      const seconds = text === undefined ? asked : (parseNumber(text, 2 ** 32) ?? MAX_EXPIRES);
      if (seconds > 0 && seconds < MIN_EXPIRES) {
        const response = responseTo(request, 423, newTag());
        response.headers.add('min-expires', String(MIN_EXPIRES));
        return response;
      }
      const same = bindings.find(({ contact }) => formatUri(contact) === formatUri(uri));
      if (same !== undefined && same.callId === callId && cseq.number <= same.cseq)
        return responseTo(request, 500, newTag());
      bindings = bindings.filter((binding) => binding !== same);
      const until = this.#clock.now() + Math.min(seconds, MAX_EXPIRES) * 1_000;
      if (seconds > 0)
        bindings.push({ contact: { ...uri, headers: '' }, source, callId, cseq: cseq.number, until });
    }
    if (bindings.length === 0) this.#bindings.delete(user);
    else this.#bindings.set(user, bindings.slice(-MAX_BINDINGS_EACH));
    const response = responseTo(request, 200, newTag());
    for (const { contact, until } of this.#live(user)) {
      const left = Math.max(0, Math.round((until - this.#clock.now()) / 1_000));
      response.headers.add('contact', `<${formatUri(contact)}>;expires=${left}`);
    }
    return response;
  }

  #live(user: string): Binding[] {
    return (this.#bindings.get(user) ?? []).filter(({ until }) => until + GRACE_MS > this.#clock.now());
  }
}

/**
 * Whether the `uri` that credentials were made for means the same server as the Request-URI (RFC 3261 section 22.4):
 * devices leave out the port or the parameters of one of them, or write a user into it.
 */
function isSameServer(text: string, requestUri: string): boolean {
  const [uri, target] = [parseUri(text), parseUri(requestUri)];
  if (uri === undefined || target === undefined || uri.scheme === 'other' || target.scheme === 'other')
    return text === requestUri;
  const fits = <T>(one: T, other: T, none: T): boolean => one === other || one === none || other === none;
  return (
    uri.scheme === target.scheme &&
    uri.host === target.host &&
    fits(uri.port, target.port, undefined) &&
    fits(uri.user, target.user, '')
  );
}
