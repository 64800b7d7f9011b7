import { digestAlgorithm, digestAnswer, digestStrength, newCnonce } from '../../../platform/net/digest.ts';
import type { SipRequest, SipResponse } from '../message/message.ts';
import { type Params, parseParams, splitOutside } from '../message/syntax.ts';

/** Reads `Digest name="value", ...`. @returns undefined for another scheme or a malformed one. */
export function parseDigest(value: string): Params | undefined {
  const text = /^\s*Digest\s+(.*)$/is.exec(value)?.[1];
  const parts = text === undefined ? undefined : splitOutside(text, ',');
  // The fields have the syntax of parameters, but with commas between them.
  return parts === undefined ? undefined : parseParams(parts.filter((part) => part !== '').join(';'));
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
  constructor(credentials: Credentials, makeCnonce: () => string = newCnonce) {
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
      const use = { count: ++answered.count, cnonce: this.#makeCnonce() };
      request.headers.set(header, digestAnswer(answered.challenge, this.#credentials, request, use));
    }
  }
}

/** The strongest challenge that we can answer, in any order. SIP has no `-sess` forms (RFC 8760 section 2.1). */
function strongest(challenges: readonly Params[]): Params | undefined {
  const rank = (challenge: Params): number => {
    const isUsable = challenge.get('nonce') && challenge.has('realm');
    return isUsable && digestAlgorithm(challenge.get('algorithm')) ? digestStrength(challenge) : -1;
  };
  const usable = challenges.filter((challenge) => rank(challenge) >= 0);
  return usable.toSorted((a, b) => rank(b) - rank(a))[0];
}
