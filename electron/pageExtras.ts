import type {
  App,
  AuthenticationResponseDetails,
  AuthInfo,
  BeforeSendResponse,
  OnBeforeRedirectListenerDetails,
  OnBeforeSendHeadersListenerDetails,
  Session,
  WebContents,
  WebFrameMain,
} from 'electron';
import type { HostPolicy } from '../server/kiosk/host.ts';
import {
  basicLogin,
  injectedScript,
  mayHaveLogin,
  originOf,
  type PageExtras,
} from '../server/kiosk/pageExtras.ts';
import type { Targets } from './targets.ts';

interface PageInjectionsOptions {
  readonly targets: Targets;
  readonly extras: PageExtras;
}

/** Styles and scripts that the settings give to pages. */
export class PageInjections {
  readonly #options: PageInjectionsOptions;
  /** The script that a page has or is about to have, by page. */
  readonly #given = new WeakMap<WebContents, { source: string; identifier: Promise<string> }>();

  constructor(options: PageInjectionsOptions) {
    this.#options = options;
  }

  /** Gives a page its styles and scripts; they hold from its next document on. Rejects when the page is gone. */
  async give(page: WebContents): Promise<void> {
    const source = injectedScript(this.#options.extras.inject());
    const before = this.#given.get(page);
    if (source === (before?.source ?? '')) return;
    const { send } = this.#options.targets.of(page, 'page');
    const identifier = send('Page.addScriptToEvaluateOnNewDocument', { source }).then(
      (added) => added.identifier,
    );
    this.#given.set(page, { source, identifier });
    const old = await before?.identifier.catch(() => undefined);
    if (old !== undefined) await send('Page.removeScriptToEvaluateOnNewDocument', { identifier: old });
    await identifier;
  }
}

/** How many requests are remembered that another server led to the one of a login. */
const REMEMBERED = 1_000;

interface PageLoginsOptions {
  readonly app: App;
  readonly extras: PageExtras;
  readonly policy: HostPolicy;
  /** A server asked for a login that the settings do not have, or that it did not take. */
  readonly onRefused: (origin: string) => void;
}

/**
 * Gives the requests to servers of `kiosk.logins` their login, as `mayHaveLogin` says. They carry it from the start: an
 * answer to a server that asks would be remembered by the browser, which then gives it to requests of any page.
 */
export class PageLogins {
  readonly #options: PageLoginsOptions;
  #sessions: readonly Session[] = [];
  /** Requests that another server led on. */
  readonly #led = new Set<number>();
  /** The servers whose requests wait for us now. */
  #now = '[]';

  constructor(options: PageLoginsOptions) {
    this.#options = options;
  }

  /** @param sessions whose pages get logins */
  start(sessions: readonly Session[]): void {
    this.#sessions = sessions;
    this.#options.app.on('login', this.#onLogin);
  }

  stop(): void {
    this.#options.app.off('login', this.#onLogin);
    this.#intercept([]);
    this.#now = '[]';
  }

  /** Follows the settings. */
  follow(): void {
    const logins = this.#options.extras.logins();
    const servers = logins.flatMap(({ origin }) => [origin, origin.replace(/^http/, 'ws')]);
    const now = JSON.stringify(servers);
    if (now === this.#now) return;
    this.#now = now;
    this.#intercept(servers.map((server) => `${server}/*`));
  }

  /** Only requests to these servers wait for us. */
  #intercept(urls: string[]): void {
    for (const { webRequest } of this.#sessions) {
      if (urls.length === 0) {
        webRequest.onBeforeSendHeaders(null);
        webRequest.onBeforeRedirect(null);
      } else {
        webRequest.onBeforeSendHeaders({ urls }, (details, answer) => answer(this.#headersOf(details)));
        webRequest.onBeforeRedirect({ urls: ['<all_urls>'] }, this.#onRedirect);
      }
    }
  }

  readonly #onRedirect = ({ id, url, redirectURL }: OnBeforeRedirectListenerDetails): void => {
    if (originOf(url) === originOf(redirectURL)) return;
    if (this.#led.size >= REMEMBERED) this.#led.clear();
    this.#led.add(id);
  };

  #headersOf(details: OnBeforeSendHeadersListenerDetails): BeforeSendResponse {
    const { id, url, method, requestHeaders, resourceType, frame } = details;
    const origin = originOf(url).replace(/^ws/, 'http');
    const login = this.#options.extras.logins().find((entry) => entry.origin === origin);
    const header = (wanted: string) =>
      Object.entries(requestHeaders).find(([name]) => name.toLowerCase() === wanted)?.[1];
    if (login === undefined || header('authorization') !== undefined) return {};
    const isPage = resourceType === 'mainFrame';
    if (!isPage && this.#led.has(id)) return {};
    const isDocument = isPage || resourceType === 'subFrame';
    const documents = isPage ? [] : documentsOf(frame ?? null).slice(resourceType === 'subFrame' ? 1 : 0);
    if (!isPage && documents.length === 0) return {};
    const asked = { method, from: header('origin'), isDocument, documents };
    const { policy } = this.#options;
    if (!mayHaveLogin(origin, asked, policy.chosenOrigins?.() ?? policy.bridgeOrigins())) return {};
    return { requestHeaders: { ...requestHeaders, Authorization: basicLogin(login) } };
  }

  /** A server asks: it has got no login, or does not take it. */
  readonly #onLogin = (
    event: { preventDefault(): void },
    _page: WebContents | null,
    _request: AuthenticationResponseDetails,
    { host, port }: AuthInfo,
    answer: (username?: string, password?: string) => void,
  ): void => {
    event.preventDefault();
    this.#options.onRefused(`http://${host}:${port}`);
    answer();
  };
}

/** Origins of the document in a frame and of those around it, up to the top page. */
function documentsOf(frame: WebFrameMain | null): string[] {
  const found: string[] = [];
  for (let each = frame; each !== null; each = each.parent) found.push(each.origin);
  return found;
}
