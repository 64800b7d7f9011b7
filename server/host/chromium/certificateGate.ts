import { X509Certificate } from 'node:crypto';
import type { HostCertificates } from '../host.ts';
import { placeOf, serverOf } from '../mayShow.ts';

export interface CertificateGateOptions {
  readonly certificates: HostCertificates;
  /** Tells the browser what was decided. */
  readonly answer: (eventId: number, action: 'continue' | 'cancel') => void;
  /** The document of the page itself was refused. @param why in words for the screen */
  readonly onPageRefused: (why: string) => void;
}

/**
 * Decides about servers whose certificate the browser does not trust. It asks for every such connection of the page, its
 * frames and workers (navigation, fetch, WebSocket), but does not show the certificate: the server is asked for it. Of the
 * page itself the browser tells the certificate once it is shown; somebody who shows one to us and another to the browser
 * is found out then.
 */
export class CertificateGate {
  readonly #options: CertificateGateOptions;
  /** What the page's document was last asked for, redirects included. */
  #pageRequest: string | undefined;
  /** The document that stands in the page. */
  #shown = 'about:blank';
  /** Why what was asked for was refused, as the browser's error does not say. */
  #refusal: string | undefined;

  constructor(options: CertificateGateOptions) {
    this.#options = options;
  }

  /** The document of the page is about to be asked for. */
  pageRequested(url: string): void {
    this.#pageRequest = url;
    this.#refusal = undefined;
  }

  pageShown(url: string): void {
    this.#shown = url;
  }

  /** Why the document that was asked for last was refused; undefined where it was not for a certificate. */
  get refusal(): string | undefined {
    return this.#refusal;
  }

  /** Security.certificateError of DevTools. */
  async judge(params: { eventId: number; errorType: string; requestURL: string }): Promise<void> {
    const { eventId, errorType, requestURL } = params;
    const mayTrust = await this.#options.certificates.mayTrust(serverOf(requestURL), errorType);
    this.#options.answer(eventId, mayTrust ? 'continue' : 'cancel');
    if (mayTrust || requestURL !== this.#pageRequest) return;
    // A cancelled navigation shows no error page: what stood there before stays.
    this.#refuse(errorType, requestURL);
  }

  /** The certificate of what is shown. @param error why the browser does not trust it; undefined where it does */
  check(chain: readonly string[], error: string | undefined): void {
    const [own] = chain;
    if (error === undefined || own === undefined || !URL.canParse(this.#shown)) return;
    const reason = error.replace(/^net::/, '');
    const certificate = new X509Certificate(Buffer.from(own, 'base64'));
    const verdict = this.#options.certificates.judgeHost(serverOf(this.#shown), certificate, reason);
    if (verdict !== 'trusted') this.#refuse(reason, this.#shown);
  }

  #refuse(errorType: string, url: string): void {
    this.#refusal = `The page cannot be shown: ${errorType} of ${placeOf(url)}.`;
    this.#options.onPageRefused(this.#refusal);
  }
}
