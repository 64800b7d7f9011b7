import { createHash, randomBytes } from 'node:crypto';
import type { SipRequest, SipResponse } from '../message/message.ts';
import { type Params, parseParams, quoted, splitOutside } from '../message/syntax.ts';

/** Digest algorithms, the weakest first (RFC 8760 section 2.1). */
const ALGORITHMS = [
  { name: 'MD5', hash: 'md5' },
  { name: 'SHA-256', hash: 'sha256' },
  { name: 'SHA-512-256', hash: 'sha512-256' },
] as const;

export type Algorithm = (typeof ALGORITHMS)[number]['name'];

/** The inputs of a response (RFC 7616 section 3.4). */
interface DigestInput {
  readonly algorithm: Algorithm;
  readonly username: string;
  readonly realm: string;
  readonly password: string;
  readonly nonce: string;
  readonly method: string;
  readonly uri: string;
  /** Without it the old form of RFC 2069 is used. */
  readonly qop?: { readonly nc: string; readonly cnonce: string };
}

/** The request-digest of RFC 7616 section 3.4.1 with qop `auth`, or of RFC 2617 without. */
export function digestResponse(input: DigestInput): string {
  const { hash } = ALGORITHMS.find(({ name }) => name === input.algorithm)!;
  const digest = (text: string): string => createHash(hash).update(text).digest('hex');
  const ha1 = digest(`${input.username}:${input.realm}:${input.password}`);
  const ha2 = digest(`${input.method}:${input.uri}`);
  const { qop, nonce } = input;
  return digest(
    qop === undefined ? `${ha1}:${nonce}:${ha2}` : `${ha1}:${nonce}:${qop.nc}:${qop.cnonce}:auth:${ha2}`,
  );
}

/** @returns undefined for an unsupported algorithm; MD5 if none is named. */
export function algorithmOf(params: Params): Algorithm | undefined {
  const wanted = (params.get('algorithm') ?? 'MD5').toUpperCase();
  return ALGORITHMS.find(({ name }) => name === wanted)?.name;
}

/** Reads `Digest name="value", ...`. @returns undefined for another scheme or a malformed one. */
export function parseDigest(value: string): Params | undefined {
  const text = /^\s*Digest\s+(.*)$/is.exec(value)?.[1];
  const parts = text === undefined ? undefined : splitOutside(text, ',');
  // The fields have the syntax of parameters, but with commas between them.
  return parts === undefined ? undefined : parseParams(parts.filter((part) => part !== '').join(';'));
}

/** @returns `Digest name="value", ...`; numbers and algorithm names without quotes. */
export function formatDigest(fields: readonly (readonly [name: string, value: string])[]): string {
  const plain = ['algorithm', 'qop', 'nc', 'stale'];
  const isChallenge = !fields.some(([name]) => name === 'response');
  return `Digest ${fields
    .map(([name, value]) => {
      const isPlain = plain.includes(name) && !(isChallenge && name === 'qop');
      return `${name}=${isPlain ? value : quoted(value)}`;
    })
    .join(', ')}`;
}

interface Credentials {
  readonly username: string;
  readonly password: string;
}

interface Answered {
  readonly challenge: Params;
  count: number;
}

/** Answers the challenges of one server (RFC 3261 section 22, RFC 8760). The caller decides which server to trust. */
export class DigestClient {
  readonly #credentials: Credentials;
  readonly #makeCnonce: () => string;
  /** By header name: a proxy and a registrar behind it may both challenge. */
  readonly #answered = new Map<'authorization' | 'proxy-authorization', Answered>();
  #tries = 0;

  /** @param makeCnonce makes client nonces; set by tests that compare with published values. */
  constructor(
    credentials: Credentials,
    makeCnonce: () => string = () => randomBytes(16).toString('base64url'),
  ) {
    this.#credentials = credentials;
    this.#makeCnonce = makeCnonce;
  }

  /**
   * Takes a 401 or 407.
   * @returns whether to try again: false if no challenge can be answered, or the password was refused
   */
  take(response: SipResponse): boolean {
    const isProxy = response.status === 407;
    const values = response.headers.all(isProxy ? 'proxy-authenticate' : 'www-authenticate');
    const challenge = strongest(values.flatMap((value) => parseDigest(value) ?? []));
    const header = isProxy ? 'proxy-authorization' : 'authorization';
    if (challenge === undefined) return false;
    const before = this.#answered.get(header);
    const isStale = challenge.get('stale')?.toLowerCase() === 'true';
    const isNew = before === undefined || before.challenge.get('nonce') !== challenge.get('nonce');
    // If a nonce of an earlier registration is refused without "stale", one more try uses the new nonce.
    if (this.#tries >= 2 || !isNew || (this.#tries === 1 && before !== undefined && !isStale)) return false;
    this.#tries++;
    this.#answered.set(header, { challenge, count: 0 });
    return true;
  }

  /** The server accepted the answer: the next refusal starts fresh. */
  accepted(): void {
    this.#tries = 0;
  }

  /** The server refused for good: the next request carries no credentials. */
  forget(): void {
    this.#tries = 0;
    this.#answered.clear();
  }

  /** Adds the credentials to a request; none if there was no challenge. */
  sign(request: SipRequest): void {
    for (const [header, answered] of this.#answered) {
      request.headers.set(header, this.#answer(answered, request.method, request.uri));
    }
  }

  #answer(answered: Answered, method: string, uri: string): string {
    const { challenge } = answered;
    const [realm, nonce] = [challenge.get('realm') ?? '', challenge.get('nonce') ?? ''];
    const algorithm = algorithmOf(challenge)!;
    const qop = challenge.has('qop')
      ? { nc: (++answered.count).toString(16).padStart(8, '0'), cnonce: this.#makeCnonce() }
      : undefined;
    const input = { ...this.#credentials, algorithm, realm, nonce, method, uri, ...(qop && { qop }) };
    const fields: [string, string][] = [
      ['username', this.#credentials.username],
      ['realm', realm],
      ['nonce', nonce],
      ['uri', uri],
      ['response', digestResponse(input)],
    ];
    if (challenge.has('algorithm')) fields.push(['algorithm', algorithm]);
    if (challenge.has('opaque')) fields.push(['opaque', challenge.get('opaque')!]);
    if (qop !== undefined) fields.push(['qop', 'auth'], ['nc', qop.nc], ['cnonce', qop.cnonce]);
    return formatDigest(fields);
  }
}

/** The strongest challenge that we can answer, in any order; auth-int alone cannot be answered. */
function strongest(challenges: readonly Params[]): Params | undefined {
  const rank = (challenge: Params): number => {
    const qops = challenge
      .get('qop')
      ?.split(',')
      .map((qop) => qop.trim().toLowerCase());
    if (!challenge.get('nonce') || !challenge.has('realm') || qops?.includes('auth') === false) return -1;
    return ALGORITHMS.findIndex(({ name }) => name === algorithmOf(challenge));
  };
  const usable = challenges.filter((challenge) => rank(challenge) >= 0);
  return usable.toSorted((a, b) => rank(b) - rank(a))[0];
}
