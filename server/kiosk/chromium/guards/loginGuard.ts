import type { PageExtras } from '../../pageExtras.ts';
import type { CdpSend } from '../process/cdpProtocol.ts';

/** How many requests are remembered as answered. */
const REMEMBERED = 1_000;

interface AuthRequired {
  readonly requestId: string;
  readonly authChallenge: { readonly source?: string; readonly origin: string };
}

export interface PausedRequest {
  readonly requestId: string;
  readonly request: { readonly url: string; readonly headers: Readonly<Record<string, string>> };
}

/**
 * Answers servers that ask for a login: with the one of the settings, once per request, else with none, so that the page
 * gets the server's 401. The browser asks for each request only while requests to that server are intercepted, and it
 * keeps the login for what cannot be intercepted (WebSockets). In the pages of other sites, where it does without
 * logins as it does without cookies, it asks for none: there the requests carry it from the start.
 */
export class LoginGuard {
  readonly #send: CdpSend;
  readonly #logins: PageExtras['logins'];
  readonly #onRefused: (origin: string) => void;
  readonly #onLate: (error: Error) => void;
  readonly #answered = new Set<string>();
  #top = '';

  constructor(options: {
    send: CdpSend;
    extras: PageExtras;
    onRefused(origin: string): void;
    onLate(error: Error): void;
  }) {
    this.#send = options.send;
    this.#logins = () => options.extras.logins();
    this.#onRefused = options.onRefused;
    this.#onLate = options.onLate;
  }

  /** The requests that have to be intercepted. */
  get patterns(): { urlPattern: string }[] {
    return this.#logins().map(({ origin }) => ({ urlPattern: `${origin}/*` }));
  }

  /** Intercepts the requests of a frame or worker, where there are logins. */
  watch(sessionId: string): void {
    const { patterns } = this;
    if (patterns.length === 0) return;
    this.#send('Fetch.enable', { patterns, handleAuthRequests: true }, sessionId).catch(this.#onLate);
  }

  /** The page is at this address. */
  set top(url: string) {
    this.#top = originOf(url);
  }

  /** A request goes on; to a server of another site than the page's with its login. A redirect begins anew. */
  pass(sessionId: string, { requestId, request }: PausedRequest): void {
    const origin = originOf(request.url);
    const login = origin === this.#top ? undefined : this.#loginOf(origin);
    const has = Object.keys(request.headers).some((name) => name.toLowerCase() === 'authorization');
    const headers =
      login === undefined || has
        ? undefined
        : Object.entries({ ...request.headers, Authorization: basic(login) }).map(([name, value]) => ({
            name,
            value,
          }));
    this.#send('Fetch.continueRequest', { requestId, ...(headers && { headers }) }, sessionId).catch(
      this.#onLate,
    );
  }

  /** A server asks for a login. */
  answer(sessionId: string, { requestId, authChallenge }: AuthRequired): void {
    const { source, origin } = authChallenge;
    const login = source === 'Proxy' ? undefined : this.#loginOf(originOf(origin));
    const isNew = !this.#answered.has(requestId);
    if (this.#answered.size >= REMEMBERED) this.#answered.clear();
    this.#answered.add(requestId);
    const answer = login === undefined || !isNew ? undefined : login;
    if (answer === undefined) this.#onRefused(origin);
    const authChallengeResponse =
      answer === undefined
        ? ({ response: 'CancelAuth' } as const)
        : ({
            response: 'ProvideCredentials',
            username: answer.username,
            password: answer.password,
          } as const);
    this.#send('Fetch.continueWithAuth', { requestId, authChallengeResponse }, sessionId).catch(this.#onLate);
  }

  #loginOf(origin: string): ReturnType<PageExtras['logins']>[number] | undefined {
    return this.#logins().find((entry) => entry.origin === origin);
  }
}

/** RFC 7617 section 2, in UTF-8. */
function basic({ username, password }: { username: string; password: string }): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

function originOf(text: string): string {
  return URL.canParse(text) ? new URL(text).origin : '';
}
