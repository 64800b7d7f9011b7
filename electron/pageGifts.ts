import type { WebContents } from 'electron';
import { injectedScript, type PageExtras } from '../server/kiosk/pageExtras.ts';
import type { Targets } from './targets.ts';

interface PageGiftsOptions {
  readonly targets: Targets;
  readonly extras: PageExtras;
}

/** Styles and scripts that the settings give to pages. */
export class PageGifts {
  readonly #options: PageGiftsOptions;
  /** The script that a page has or is about to have, by page. */
  readonly #given = new WeakMap<WebContents, { source: string; identifier: Promise<string> }>();

  constructor(options: PageGiftsOptions) {
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
