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

const PARAM = /^[\s,;]*([A-Za-z0-9_*-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,;"]*))/;
const SCHEME = /^[\s,;]*([A-Za-z][A-Za-z0-9_-]*)(?=\s|,|$)/;
/** Further values of a qop without quotes: `qop=auth,auth-int`. */
const QOP = /^[\s,;]*(auth(?:-int)?)(?=\s*(?:,|;|$))/i;
/** The rest up to the next comma, for text that matches nothing else. */
const JUNK = /^[\s,;]*[^,;]*/;

/** Reads the challenges of one header value, which may have several (RFC 9110 section 11.6.1). */
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
    const qop = current === undefined ? null : QOP.exec(rest);
    if (qop !== null) {
      current!.params.set('qop', `${current!.params.get('qop') ?? ''},${qop[1]}`);
      rest = rest.slice(qop[0].length);
      continue;
    }
    const scheme = SCHEME.exec(rest);
    if (scheme === null) {
      rest = rest.slice(JUNK.exec(rest)![0].length);
      continue;
    }
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

/** The kind of a challenge: one kind gets one kind of answer, with any nonce. */
const kindOf = ({ scheme, params }: Challenge): string =>
  `${scheme} ${params.get('algorithm')?.toLowerCase() ?? ''}`;

/**
 * Answers the camera's challenges: Basic and Digest with MD5, SHA-256, SHA-512-256 and their -sess forms, the strongest
 * offered one first (RFC 7616). Some cameras offer one that they cannot check themselves: the next one follows before the
 * password counts as wrong. Basic is answered only where no Digest is offered that can be.
 */
export class Authenticator {
  readonly #credentials: Credentials;
  readonly #makeCnonce: () => string;
  #challenge: Challenge | undefined;
  /** The kind that the camera accepted last. */
  #proven: string | undefined;
  /** Kinds that the camera has refused for the present request, and whether it was sent with the challenge. */
  readonly #refused = new Set<string>();
  #isTried = false;
  /** Whether the nonce of the present request was stale. */
  #wasStale = false;
  #cnonce = '';
  #count = 0;

  /** @param makeCnonce makes client nonces; set by tests that compare with published values. */
  constructor(credentials: Credentials, makeCnonce: () => string = newCnonce) {
    this.#credentials = credentials;
    this.#makeCnonce = makeCnonce;
  }

  /** Begins another request: if it is refused, its nonce may be too old. */
  begin(): void {
    this.#refused.clear();
    this.#isTried = false;
    this.#wasStale = false;
  }

  /** The camera accepted the present request. */
  accept(): void {
    if (this.#challenge !== undefined) this.#proven = kindOf(this.#challenge);
  }

  /** Whether a weaker challenge than the strongest of those offered was accepted. */
  get isWeaker(): boolean {
    return this.#refused.size > 0;
  }

  /**
   * Takes the challenges of a 401.
   * @returns whether another try makes sense: false if none can be answered, or all were refused.
   */
  challenge(headerValues: readonly string[]): boolean {
    const offered = headerValues
      .flatMap(parseChallenges)
      .map((challenge) => ({ challenge, kind: kindOf(challenge), strength: strengthOf(challenge) }))
      .filter(({ strength }) => strength >= 0)
      .toSorted((a, b) => b.strength - a.strength);
    const present = this.#challenge;
    const again = present && offered.find(({ kind }) => kind === kindOf(present))?.challenge;
    // The login was right: only the nonce was too old.
    if (again && isStale(again) && nonceOf(again) !== nonceOf(present!) && !this.#wasStale) {
      this.#wasStale = true;
      return this.#take(again);
    }
    if (present !== undefined && (this.#isTried || (again && nonceOf(again) === nonceOf(present))))
      this.#refused.add(kindOf(present));
    const hasDigest = offered.some(({ strength }) => strength > 0);
    const left = offered.filter(
      ({ kind, strength }) => !this.#refused.has(kind) && (strength > 0 || !hasDigest),
    );
    const next = left.find(({ kind }) => kind === this.#proven) ?? left[0];
    return next !== undefined && this.#take(next.challenge);
  }

  #take(challenge: Challenge): true {
    this.#challenge = challenge;
    this.#isTried = true;
    this.#cnonce = this.#makeCnonce();
    this.#count = 0;
    return true;
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

const isStale = ({ params }: Challenge): boolean => params.get('stale')?.toLowerCase() === 'true';
const nonceOf = ({ params }: Challenge): string | undefined => params.get('nonce');
