import type { Clock } from '../../platform/clock.ts';
import type { HostCertificates } from '../host.ts';
import { placeOf, serverOf } from '../mayShow.ts';
import type { Recovery } from './recovery.ts';
import { type PanelOnScreen, waitingPage } from './waitingPage.ts';
import type { OutageReason } from './waitingTexts.ts';
import { onLinkUp, whyUnreachable } from './whyUnreachable.ts';

interface PageUnreachableOptions {
  readonly clock: Clock;
  readonly recovery: Recovery;
  readonly certificates: HostCertificates;
  /** The panel itself, for its waiting page. */
  readonly panel: () => PanelOnScreen;
  /** The page that the panel waits for. */
  readonly home: () => string;
  readonly goHome: () => Promise<void>;
  /** Shows one of the host's own pages; never fails. */
  readonly showNotice: (url: string) => Promise<void>;
}

/**
 * The page's server is down or not trusted. The screen says so, and the page is tried again: after a delay, and at once
 * when the network comes up or a certificate is trusted. Counted once.
 */
export class PageUnreachable {
  readonly #options: PageUnreachableOptions;
  /** Stops the watch over network and certificates. */
  #unwatch: (() => void) | undefined;
  /** Why the browser refused the page, in the browser's own words, for a server that does answer. */
  refusal = '';

  constructor(options: PageUnreachableOptions) {
    this.#options = options;
  }

  get isOn(): boolean {
    return this.#unwatch !== undefined;
  }

  /** The page could not be shown. */
  begin(): void {
    const { clock, recovery, certificates } = this.#options;
    if (this.#unwatch === undefined) {
      recovery.count('page-unreachable');
      const knockNow = () => {
        recovery.cancel();
        void this.#knock();
      };
      const watches = [onLinkUp(clock, knockNow), certificates.onTrusted(knockNow)];
      this.#unwatch = () => {
        for (const end of watches) end();
      };
    }
    void this.#explain();
    this.#tryLater();
  }

  end(): void {
    this.#unwatch?.();
    this.#unwatch = undefined;
    this.refusal = '';
  }

  #tryLater(): void {
    this.#options.recovery.schedule('page-unreachable', () => void this.#knock());
  }

  /** Navigates only when the server answers: otherwise the browser would show its own error page in between. */
  async #knock(): Promise<void> {
    const { home, recovery, goHome } = this.#options;
    const url = home();
    const reason = await this.#whyNot(url);
    if (!this.isOn || url !== home() || recovery.waiting) return;
    if (reason === undefined) await goHome();
    else this.#tryLater();
  }

  async #explain(): Promise<void> {
    const { home, showNotice, panel } = this.#options;
    const url = home();
    const reason = (await this.#whyNot(url)) ?? { sentence: this.refusal };
    if (this.isOn && url === home())
      await showNotice(waitingPage({ place: placeOf(url), reason, panel: panel() }));
  }

  async #whyNot(url: string): Promise<OutageReason | { sentence: string } | undefined> {
    const reason = await whyUnreachable(url);
    if (reason !== undefined) return reason;
    const sentence = await this.#options.certificates.whyRefused(serverOf(url));
    return sentence === undefined ? undefined : { sentence };
  }
}
