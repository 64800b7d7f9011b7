import { X509Certificate } from 'node:crypto';
import type { HostCertificates } from '../../host.ts';
import { placeOf, serverOf } from '../../navigationPolicy.ts';

interface CertificateGateOptions {
  readonly certificates: HostCertificates;
  /** Sends the decision to the browser. */
  readonly answer: (eventId: number, action: 'continue' | 'cancel') => void;
  /** The document of the page itself was refused. @param why a sentence for the screen */
  readonly onPageRefused: (why: string) => void;
}

/**
 * Decides about servers whose certificate the browser does not trust. The browser asks for every such connection of the
 * page, its frames and workers (navigation, fetch, WebSocket), but does not show the certificate, so we ask the server
 * for it. For the page itself the browser reports the certificate once the page is shown; a server that shows one
 * certificate to us and another to the browser is found out then.
 */
export class CertificateGate {
  readonly #options: CertificateGateOptions;
  /** What the page's document last requested, redirects included. */
  #pageRequest: string | undefined;
  /** The document that the page shows now. */
  #shown = 'about:blank';
  /** Why the request was refused; the browser's error does not say. */
  #refusal: string | undefined;

  constructor(options: CertificateGateOptions) {
    this.#options = options;
  }

  /** The page is about to request its document. */
  pageRequested(url: string): void {
    this.#pageRequest = url;
    this.#refusal = undefined;
  }

  pageShown(url: string): void {
    this.#shown = url;
  }

  /** Why the last requested document was refused; undefined when the certificate was not the reason. */
  get refusal(): string | undefined {
    return this.#refusal;
  }

  /** The event Security.certificateError of DevTools. */
  async judge(params: { eventId: number; errorType: string; requestURL: string }): Promise<void> {
    const { eventId, errorType, requestURL } = params;
    const mayTrust = await this.#options.certificates.mayTrust(serverOf(requestURL), errorType);
    this.#options.answer(eventId, mayTrust ? 'continue' : 'cancel');
    if (mayTrust || requestURL !== this.#pageRequest) return;
    // A cancelled navigation shows no error page: the old document stays.
    this.#refuse(errorType, requestURL);
  }

  /** The certificate of the shown document. @param error why the browser does not trust it; undefined when it does */
  check(chain: readonly string[], error: string | undefined): void {
    const [own] = chain;
    if (error === undefined || own === undefined || !URL.canParse(this.#shown)) return;
    const reason = error.replace(/^net::/, '');
    const certificate = new X509Certificate(Buffer.from(own, 'base64'));
    const verdict = this.#options.certificates.judgeShown(serverOf(this.#shown), certificate, reason);
    if (verdict !== 'trusted') this.#refuse(reason, this.#shown);
  }

  #refuse(errorType: string, url: string): void {
    this.#refusal = `The page cannot be shown: ${errorType} of ${placeOf(url)}.`;
    this.#options.onPageRefused(this.#refusal);
  }
}
