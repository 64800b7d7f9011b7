import type { App, AuthenticationResponseDetails, AuthInfo, Session, WebContents } from 'electron';
import { injectedScript, noExtras, type PageExtras } from '../server/kiosk/pageExtras.ts';
import type { Targets } from './targets.ts';

interface PageGiftsOptions {
  readonly app: App;
  /** Of the kiosk page, once Electron is ready. */
  readonly session: () => Session;
  readonly targets: Targets;
  readonly extras: PageExtras | undefined;
  /** A server asked for a login that the settings do not have, or that it did not take. */
  readonly onRefused: (origin: string) => void;
}

/** What the settings give to pages: logins for servers that ask, styles and scripts. */
export class PageGifts {
  readonly #options: PageGiftsOptions;
  readonly #extras: PageExtras;
  /** The script that a page has or is about to have, by page. */
  readonly #given = new WeakMap<WebContents, { source: string; identifier: Promise<string> }>();

  /** The logins that servers may have taken. */
  #logins: string | undefined;

  constructor(options: PageGiftsOptions) {
    this.#options = options;
    this.#extras = options.extras ?? noExtras;
  }

  start(): void {
    this.#options.app.on('login', this.#onLogin);
  }

  stop(): void {
    this.#options.app.off('login', this.#onLogin);
  }

  /**
   * Chromium keeps a login that a server has taken, also when the settings have another one by now: forgets them then.
   * @param home address of the page, which may bring a login
   * @returns what has to be waited for before the page is sent anywhere; never rejects
   */
  followLogins(home: string): Promise<void> | undefined {
    const { username, password, origin } = new URL(home);
    const own = username === '' && password === '' ? null : [origin, username, password];
    const now = JSON.stringify([own, this.#extras.logins()]);
    const before = this.#logins;
    this.#logins = now;
    if (before === undefined || before === now) return undefined;
    return this.#options
      .session()
      .clearAuthCache()
      .catch(() => {});
  }

  /** Gives a page its styles and scripts; they hold from its next document on. Rejects when the page is gone. */
  async give(page: WebContents): Promise<void> {
    const source = injectedScript(this.#extras.inject());
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

  readonly #onLogin = (
    event: { preventDefault(): void },
    _page: WebContents | null,
    { firstAuthAttempt }: AuthenticationResponseDetails,
    { isProxy, host, port, scheme }: AuthInfo,
    answer: (username?: string, password?: string) => void,
  ): void => {
    event.preventDefault();
    const login =
      isProxy || scheme !== 'basic' || firstAuthAttempt === false
        ? undefined
        : this.#extras.logins().find(({ origin }) => isOf(origin, host, port));
    if (login === undefined) {
      this.#options.onRefused(`http://${host}:${port}`);
      answer();
    } else answer(login.username, login.password);
  };
}

function isOf(origin: string, host: string, port: number): boolean {
  const url = new URL(origin);
  return url.hostname === host && Number(url.port || (url.protocol === 'https:' ? 443 : 80)) === port;
}
