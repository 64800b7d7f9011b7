import { createHash, randomBytes } from 'node:crypto';

/** User and password from the camera's URL, decoded. */
export interface Credentials {
  readonly user: string;
  readonly password: string;
}

/** One challenge of a WWW-Authenticate header: scheme and parameters in lower-case names. */
interface Challenge {
  readonly scheme: string;
  readonly params: ReadonlyMap<string, string>;
}

/** Digest algorithms that we can answer, the strongest last (RFC 7616 section 3.7). */
const DIGESTS = [
  { algorithm: 'MD5', hash: 'md5' },
  { algorithm: 'SHA-256', hash: 'sha256' },
  { algorithm: 'SHA-512-256', hash: 'sha512-256' },
] as const;

const PARAM = /^\s*([A-Za-z0-9_*-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]*))\s*,?/;
const SCHEME = /^[\s,]*([A-Za-z][A-Za-z0-9_-]*)(?=\s|,|$)/;

/** Reads the challenges of one header value; several may stand in it (RFC 9110 section 11.6.1). */
export function parseChallenges(value: string): Challenge[] {
  const challenges: { scheme: string; params: Map<string, string> }[] = [];
  let rest = value;
  while (rest.trim() !== '') {
    const current = challenges.at(-1);
    const param = PARAM.exec(rest);
    if (param !== null && current !== undefined) {
      current.params.set(param[1]!.toLowerCase(), param[2]?.replaceAll(/\\(.)/g, '$1') ?? param[3] ?? '');
      rest = rest.slice(param[0].length);
      continue;
    }
    const scheme = SCHEME.exec(rest);
    if (scheme === null) break;
    challenges.push({ scheme: scheme[1]!.toLowerCase(), params: new Map() });
    rest = rest.slice(scheme[0].length);
  }
  return challenges;
}

function digestOf(challenge: Challenge): { rank: number; hash: string; session: boolean } | undefined {
  const name = (challenge.params.get('algorithm') || 'MD5').toUpperCase();
  const session = name.endsWith('-SESS');
  const base = session ? name.slice(0, -'-SESS'.length) : name;
  const rank = DIGESTS.findIndex((digest) => digest.algorithm === base);
  return rank < 0 ? undefined : { rank, hash: DIGESTS[rank]!.hash, session };
}

/** The camera's qop values; an empty list is the old form without qop (RFC 2069). */
function qopsOf(challenge: Challenge): string[] {
  return (challenge.params.get('qop') ?? '')
    .split(',')
    .map((qop) => qop.trim().toLowerCase())
    .filter((qop) => qop !== '');
}

/** Strength for the choice: Basic 0, Digest above it, -1 for unsupported ones. */
function strengthOf(challenge: Challenge): number {
  if (challenge.scheme === 'basic') return 0;
  if (challenge.scheme !== 'digest' || !challenge.params.has('nonce')) return -1;
  const qops = qopsOf(challenge);
  if (qops.length > 0 && !qops.includes('auth')) return -1;
  const digest = digestOf(challenge);
  return digest === undefined ? -1 : 1 + digest.rank;
}

/**
 * Answers the camera's challenges: Basic and Digest with MD5, SHA-256, SHA-512-256 and their -sess forms, the strongest
 * offered one (RFC 7616).
 */
export class Authenticator {
  readonly #credentials: Credentials;
  readonly #makeCnonce: () => string;
  #challenge: Challenge | undefined;
  #cnonce = '';
  #count = 0;

  /** @param makeCnonce makes client nonces; set by tests that compare with published values. */
  constructor(
    credentials: Credentials,
    makeCnonce: () => string = () => randomBytes(16).toString('base64url'),
  ) {
    this.#credentials = credentials;
    this.#makeCnonce = makeCnonce;
  }

  /**
   * Takes the challenges of a 401.
   * @returns whether another try makes sense: false if none can be answered, or the same nonce was refused before.
   */
  challenge(headerValues: readonly string[]): boolean {
    let best: Challenge | undefined;
    let bestStrength = -1;
    for (const challenge of headerValues.flatMap(parseChallenges)) {
      const strength = strengthOf(challenge);
      if (strength > bestStrength) {
        best = challenge;
        bestStrength = strength;
      }
    }
    if (best === undefined) return false;
    if (this.#challenge !== undefined && !this.#isNewTry(this.#challenge, best)) return false;
    this.#challenge = best;
    this.#cnonce = this.#makeCnonce();
    this.#count = 0;
    return true;
  }

  /** A login was refused. Another try makes sense only if the nonce was too old, or there is a new one. */
  #isNewTry(before: Challenge, now: Challenge): boolean {
    if (now.scheme === 'basic') return before.scheme !== 'basic';
    if (now.params.get('stale')?.toLowerCase() === 'true') return true;
    return now.params.get('nonce') !== before.params.get('nonce');
  }

  /** The Authorization header of a request, undefined before a challenge. */
  authorization(method: string, uri: string): string | undefined {
    if (this.#challenge === undefined) return undefined;
    if (this.#challenge.scheme === 'basic') {
      const { user, password } = this.#credentials;
      return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
    }
    return this.#digest(this.#challenge, method, uri);
  }

  #digest(challenge: Challenge, method: string, uri: string): string {
    const { hash, session } = digestOf(challenge)!;
    const digest = (text: string): string => createHash(hash).update(text).digest('hex');
    const { user, password } = this.#credentials;
    const realm = challenge.params.get('realm') ?? '';
    const nonce = challenge.params.get('nonce') ?? '';
    const count = (++this.#count).toString(16).padStart(8, '0');
    const secret = digest(`${user}:${realm}:${password}`);
    const ha1 = session ? digest(`${secret}:${nonce}:${this.#cnonce}`) : secret;
    const ha2 = digest(`${method}:${uri}`);
    const withQop = qopsOf(challenge).length > 0;
    const response = withQop
      ? digest(`${ha1}:${nonce}:${count}:${this.#cnonce}:auth:${ha2}`)
      : digest(`${ha1}:${nonce}:${ha2}`);
    const hideUser = challenge.params.get('userhash')?.toLowerCase() === 'true';
    const fields = [
      `username=${quoted(hideUser ? digest(`${user}:${realm}`) : user)}`,
      `realm=${quoted(realm)}`,
      `nonce=${quoted(nonce)}`,
      `uri=${quoted(uri)}`,
      `response="${response}"`,
    ];
    const algorithm = challenge.params.get('algorithm');
    if (algorithm) fields.push(`algorithm=${algorithm}`);
    const opaque = challenge.params.get('opaque');
    if (opaque !== undefined) fields.push(`opaque=${quoted(opaque)}`);
    if (withQop) fields.push('qop=auth', `nc=${count}`, `cnonce=${quoted(this.#cnonce)}`);
    else if (session) fields.push(`cnonce=${quoted(this.#cnonce)}`);
    if (hideUser) fields.push('userhash=true');
    return `Digest ${fields.join(', ')}`;
  }
}

function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
}
