import type { HostPolicy } from '../../host.ts';
import { isNavigationAllowed, mayStay, placeOf } from '../../navigationPolicy.ts';
import type { PageReport } from '../../recovery/pageReport.ts';
import { judgeAnswer } from '../../recovery/pageUnreachable.ts';
import type { CdpCommands, CdpEventParams } from '../process/cdpProtocol.ts';
import type { CertificateGate } from './certificateGate.ts';
import type { LoginGuard } from './loginGuard.ts';

type PausedRequest = CdpEventParams['Fetch.requestPaused'];
type Answer = 'Fetch.failRequest' | 'Fetch.continueRequest';

interface NavigationGateOptions {
  readonly targetId: string;
  readonly sessionId: string;
  readonly policy: HostPolicy;
  readonly certificates: Pick<CertificateGate, 'pageRequested'>;
  readonly logins: Pick<LoginGuard, 'pass'>;
  readonly report: Pick<PageReport, 'refusals'>;
  /** Answers a paused request; fails only when the page is already gone. */
  readonly answer: <M extends Answer>(method: M, params: CdpCommands[M]['params']) => void;
  /** @param why `failing`: its server is not up yet */
  readonly onTrouble: (trouble: 'stray-page' | 'page-unreachable', why?: 'failing') => void;
  /** Its server answered with an error that is no page, and that is not shown. */
  readonly onRefused: (url: string, status: number) => void;
  /** The page is at an allowed address. `status`: of its server's answer; 0: not known. */
  readonly onArrived: (url: string, status: number) => void;
}

/** Lets the kiosk's window go only where it may, and keeps what is no page from the screen. */
export class NavigationGate {
  readonly #options: NavigationGateOptions;
  /** Until its first navigation, the empty page of a new window is not a stray page. */
  #sent = false;
  /** The host's own page that is allowed here. */
  #notice: string | undefined;
  #onNotice = () => {};
  /** Status of the last answer to a request for the page's document; 0: none yet. */
  #status = 0;
  #isKeptOut = false;

  constructor(options: NavigationGateOptions) {
    this.#options = options;
  }

  /** Whether the last answer is kept from the screen: one of the host's own pages says what is wrong. */
  get isKeptOut(): boolean {
    return this.#isKeptOut;
  }

  /** The window has a page to show: from now on, an address that is not allowed is a stray page. */
  begin(): void {
    this.#sent = true;
  }

  /** The window is sent to its page; a page of the host's own has no right to be there any more. */
  leave(): void {
    this.#notice = undefined;
    this.#status = 0;
  }

  /** Allows one of the host's own pages. */
  allowNotice(url: string): void {
    this.#notice = url;
  }

  /** Resolves when a page of the host's own is there. */
  noticeShown(): Promise<void> {
    return new Promise((resolve) => {
      this.#onNotice = resolve;
    });
  }

  /** A request for a document, before it is sent. */
  judgeRequest(paused: PausedRequest): void {
    const { targetId, sessionId, policy, certificates, logins, report, answer } = this.#options;
    const { requestId, frameId, request } = paused;
    if (frameId !== targetId) {
      // Frames inside the page may show other origins: the bridge refuses them anyway.
      logins.pass(sessionId, paused);
      return;
    }
    this.#isKeptOut = false;
    certificates.pageRequested(request.url);
    if (isNavigationAllowed(policy, request.url)) {
      // Its answer is judged; those of frames are not, and do not wait for us a second time.
      answer('Fetch.continueRequest', { requestId, interceptResponse: true });
    } else {
      report.refusals.tell('navigation refused', { to: placeOf(request.url) });
      answer('Fetch.failRequest', { requestId, errorReason: 'Aborted' });
    }
  }

  /** Keeps the error page of a server that is not up yet from the screen, and an error that is no page. */
  judgeAnswer({ requestId, request, responseStatusCode, responseHeaders = [] }: PausedRequest): void {
    const { answer, onRefused, onTrouble } = this.#options;
    this.#status = responseStatusCode ?? 0;
    const header = (name: string) => responseHeaders.find((each) => each.name.toLowerCase() === name)?.value;
    const kind = judgeAnswer(this.#status, header);
    this.#isKeptOut = kind !== 'page';
    if (!this.#isKeptOut) {
      answer('Fetch.continueRequest', { requestId });
      return;
    }
    answer('Fetch.failRequest', { requestId, errorReason: 'Aborted' });
    if (kind === 'error') onRefused(request.url, this.#status);
    else onTrouble('page-unreachable', 'failing');
  }

  /** Addresses such as about:blank cause no request, so they are noticed only on arrival. */
  judgeArrival({ url, unreachableUrl }: { readonly url: string; readonly unreachableUrl?: string }): void {
    const { policy, onArrived, onTrouble } = this.#options;
    if (unreachableUrl !== undefined) onTrouble('page-unreachable');
    else if (mayStay(policy, url)) onArrived(url, this.#status);
    else if (url === this.#notice) this.#onNotice();
    else if (this.#sent) onTrouble('stray-page');
  }
}
