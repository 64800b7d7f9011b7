import type { App, AuthenticationResponseDetails, AuthInfo, WebContents } from 'electron';
import { injectedScript, noExtras, type PageExtras } from '../server/kiosk/pageExtras.ts';
import type { Targets } from './targets.ts';

interface PageGiftsOptions {
  readonly app: App;
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

  /** Whether a page has others than it should have. */
  areDue(page: WebContents): boolean {
    return injectedScript(this.#extras.inject()) !== (this.#given.get(page)?.source ?? '');
  }

  /**
   * Gives a page its styles and scripts; they hold from its next document on. A page that was sent nowhere yet may answer
   * only once it is: do not wait for it before that. Rejects when the page is gone.
   */
  async give(page: WebContents): Promise<void> {
    const source = injectedScript(this.#extras.inject());
    const before = this.#given.get(page);
    if (!this.areDue(page)) return;
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
