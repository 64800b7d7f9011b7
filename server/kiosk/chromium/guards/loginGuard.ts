import { basicLogin, mayHaveLogin, originOf, type PageExtras } from '../../pageExtras.ts';
import type { CdpEvent, CdpEventParams, CdpSend, FrameFacts } from '../process/cdpProtocol.ts';

/** How many requests are remembered, and how many frames are known. */
const REMEMBERED = 1_000;

type PausedRequest = CdpEventParams['Fetch.requestPaused'];
type AskedRequest = CdpEventParams['Fetch.authRequired'];

interface LoginGuardOptions {
  readonly send: CdpSend;
  readonly extras: PageExtras;
  /** Origins of the pages that the settings chose. */
  readonly chosen: () => readonly string[];
  onRefused(origin: string): void;
  onLate(error: Error): void;
}

/**
 * Answers servers that ask for a login: with the one of the settings, once per request, else with none, so that the page
 * gets the server's 401. The browser asks for each request only while requests to that server are intercepted, and it
 * keeps the login for what cannot be intercepted (WebSockets). In the pages of other sites, where it does without
 * logins as it does without cookies, it asks for none: there the requests of frames carry it from the start.
 * `mayHaveLogin` says which requests.
 */
export class LoginGuard {
  readonly #options: LoginGuardOptions;
  readonly #answered = new Set<string>();
  /** Requests to a login's own server that might have carried it. */
  readonly #passed = new Set<string>();
  /** Whose document a frame shows, and the frame around it. The top page has none. */
  readonly #frames = new Map<string, { readonly origin: string; readonly parent: string | undefined }>();
  /** Origins of workers, by session. */
  readonly #workers = new Map<string, string>();

  constructor(options: LoginGuardOptions) {
    this.#options = options;
  }

  /** The requests that have to be intercepted. */
  get patterns(): { urlPattern: string }[] {
    return this.#options.extras.logins().map(({ origin }) => ({ urlPattern: `${origin}/*` }));
  }

  /** Intercepts the requests of a frame, where there are logins; of a worker too, whose script is at `worker`. */
  watch(sessionId: string, worker?: string): void {
    const { patterns } = this;
    if (patterns.length === 0) return;
    if (worker !== undefined) this.#workers.set(sessionId, originOf(worker));
    const params = { patterns, handleAuthRequests: true };
    this.#options.send('Fetch.enable', params, sessionId).catch(this.#options.onLate);
  }

  forget(sessionId: string): void {
    this.#workers.delete(sessionId);
  }

  /** Follows which documents the frames show. */
  handle(event: CdpEvent): void {
    if (event.method === 'Page.frameNavigated') this.#know(event.params.frame);
    else if (event.method === 'Page.frameAttached' && !this.#frames.has(event.params.frameId))
      this.#know({ id: event.params.frameId, parentId: event.params.parentFrameId, securityOrigin: '' });
    // A frame that gets a process of its own stays.
    else if (event.method === 'Page.frameDetached' && event.params.reason !== 'swap')
      this.#frames.delete(event.params.frameId);
  }

  /** A request continues; with its login, where the browser would ask for none. */
  pass(sessionId: string, paused: PausedRequest): void {
    const { requestId, request } = paused;
    const login = this.#loginFor(sessionId, paused);
    if (login !== undefined) remember(this.#passed, requestId);
    const asks = originOf(request.url) === this.#documents(paused.frameId).at(-1);
    const has = Object.keys(request.headers).some((name) => name.toLowerCase() === 'authorization');
    const headers =
      login === undefined || asks || has
        ? undefined
        : Object.entries({ ...request.headers, Authorization: basicLogin(login) }).map(([name, value]) => ({
            name,
            value,
          }));
    const params = { requestId, ...(headers && { headers }) };
    this.#options.send('Fetch.continueRequest', params, sessionId).catch(this.#options.onLate);
  }

  /**
   * A server asks for a login.
   * @param isPage whether for the document of the whole page
   */
  answer(sessionId: string, asked: AskedRequest, isPage: boolean): void {
    const { requestId, authChallenge } = asked;
    const isServer =
      authChallenge.source !== 'Proxy' && originOf(authChallenge.origin) === originOf(asked.request.url);
    const isNew = !this.#answered.has(requestId);
    remember(this.#answered, requestId);
    const answer = isServer && isNew ? this.#loginFor(sessionId, asked, isPage) : undefined;
    if (answer === undefined) this.#options.onRefused(authChallenge.origin);
    const authChallengeResponse =
      answer === undefined
        ? ({ response: 'CancelAuth' } as const)
        : ({
            response: 'ProvideCredentials',
            username: answer.username,
            password: answer.password,
          } as const);
    this.#options
      .send('Fetch.continueWithAuth', { requestId, authChallengeResponse }, sessionId)
      .catch(this.#options.onLate);
  }

  /** The login of the server that is asked, where this request may have it. */
  #loginFor(sessionId: string, paused: PausedRequest, isPage = false) {
    const { request, frameId, redirectedRequestId } = paused;
    const origin = originOf(request.url);
    const login = this.#options.extras.logins().find((entry) => entry.origin === origin);
    if (login === undefined) return undefined;
    const isDocument = paused.resourceType === 'Document';
    // Another server led here.
    if (!isPage && redirectedRequestId !== undefined && !this.#passed.has(redirectedRequestId))
      return undefined;
    const worker = this.#workers.get(sessionId);
    const frames = this.#documents(frameId);
    const documents = isPage ? [] : worker !== undefined ? [worker, ...frames] : frames.slice(+isDocument);
    const from = Object.entries(request.headers).find(([name]) => name.toLowerCase() === 'origin')?.[1];
    const asked = { method: request.method, from, isDocument, documents };
    const may = (isPage || documents.length > 0) && mayHaveLogin(origin, asked, this.#options.chosen());
    return may ? login : undefined;
  }

  /** Origins of the document in a frame and of those around it, up to the top page; a gap means no origin. */
  #documents(frameId: string): string[] {
    const found: string[] = [];
    for (let id: string | undefined = frameId; id !== undefined; ) {
      const frame = this.#frames.get(id);
      found.push(frame?.origin ?? '');
      id = frame?.parent;
    }
    return found;
  }

  #know({ id, parentId, securityOrigin: origin }: Omit<FrameFacts, 'url'>): void {
    if (this.#frames.size >= REMEMBERED && !this.#frames.has(id)) this.#frames.clear();
    this.#frames.set(id, { origin, parent: parentId });
  }
}

function remember(ids: Set<string>, id: string): void {
  if (ids.size >= REMEMBERED) ids.clear();
  ids.add(id);
}
