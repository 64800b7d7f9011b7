import { randomBytes } from 'node:crypto';
import { digestAlgorithm, digestResponse } from '../../../platform/net/digest.ts';
import { parseChallenges } from '../../rtsp/auth.ts';
import type { Login } from './fieldCase.ts';

const USER = 'admin';
const REALM = 'IP Camera(1)';

/** How a field camera asks who is there, over all of its connections. */
export class FieldLogin {
  readonly #login: Login;
  readonly #now: () => number;
  #nonce = '';
  #madeAt = Number.NEGATIVE_INFINITY;

  constructor(login: Login, now: () => number) {
    this.#login = login;
    this.#now = now;
  }

  /** User and password, as people paste them into an address. */
  get pasted(): string {
    return `${USER}:${this.#password}`;
  }

  get #password(): string {
    return this.#login.password ?? 'secret';
  }

  /** The WWW-Authenticate headers of a 401; undefined where the request may pass. */
  challenge(method: string, authorization: string | undefined): string[] | undefined {
    const { offers, fromSetup, nonceMs = Number.POSITIVE_INFINITY } = this.#login;
    if (method === 'OPTIONS' || (fromSetup && method === 'DESCRIBE')) return undefined;
    if (this.#now() - this.#madeAt > nonceMs || this.#nonce === '') {
      this.#nonce = randomBytes(8).toString('hex');
      this.#madeAt = this.#now();
    }
    return this.#isRight(method, authorization) ? undefined : offers.map((offer) => this.#offer(offer));
  }

  #offer(offer: Login['offers'][number]): string {
    if (offer === 'Basic') return `WWW-Authenticate: Basic realm="${REALM}"`;
    const digest = `WWW-Authenticate: Digest realm="${REALM}", nonce="${this.#nonce}"`;
    if (offer === 'unnamed') return digest;
    if (offer === 'MD5-qop') return `${digest}, algorithm=MD5, qop="auth"`;
    return `${digest}, algorithm="${offer}", stale="FALSE"`;
  }

  #isRight(method: string, authorization: string | undefined): boolean {
    const [answer] = authorization === undefined ? [] : parseChallenges(authorization);
    const { offers, takes = offers } = this.#login;
    if (answer?.scheme === 'basic') {
      return takes.includes('Basic') && authorization === `Basic ${btoa(this.pasted)}`;
    }
    const { params } = answer ?? {};
    const named = params?.get('algorithm');
    const algorithm = digestAlgorithm(named);
    // Cameras that name no algorithm refuse one in the answer.
    if (params === undefined || algorithm === undefined || (takes.includes('unnamed') && named !== undefined))
      return false;
    if (!takes.some((offer) => offer === 'unnamed' || offer.startsWith(algorithm))) return false;
    const nc = params.get('nc');
    const expected = digestResponse({
      algorithm,
      username: USER,
      password: this.#password,
      realm: REALM,
      nonce: this.#nonce,
      method,
      uri: params.get('uri') ?? '',
      qop: nc === undefined ? undefined : { nc, cnonce: params.get('cnonce') ?? '' },
    });
    return params.get('response') === expected;
  }
}
