import { digestAnswer, digestStrength, newCnonce } from '../../platform/net/digest.ts';

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

/** Strength for the choice: Basic 0, Digest above it, -1 for unsupported ones. */
function strengthOf(challenge: Challenge): number {
  if (challenge.scheme === 'basic') return 0;
  const strength = challenge.scheme === 'digest' ? digestStrength(challenge.params) : -1;
  return strength < 0 ? -1 : 1 + strength;
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
  constructor(credentials: Credentials, makeCnonce: () => string = newCnonce) {
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
    const { user, password } = this.#credentials;
    if (this.#challenge.scheme === 'basic')
      return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
    const use = { count: ++this.#count, cnonce: this.#cnonce };
    return digestAnswer(this.#challenge.params, { username: user, password }, { method, uri }, use);
  }
}
