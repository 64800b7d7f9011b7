import type { ContainerSpec } from '../../../contract/pageBridge.ts';
import { retry, withTimeLimit, withTimeout } from '../../../platform/async.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Logger } from '../../../platform/log.ts';
import type {
  BridgeSink,
  HostCertificates,
  HostDependencies,
  HostPolicy,
  PictureFormat,
} from '../../host.ts';
import { OpenDialogs } from '../../openDialogs.ts';
import type { PageExtras } from '../../pageExtras.ts';
import { PAGE_CONTENT, VISIBLE_CONTENT } from '../../recovery/deadPageCheck.ts';
import type { CpuTimes } from '../../recovery/heartbeat.ts';
import type { PageReport } from '../../recovery/pageReport.ts';
import type { PageUnreachable } from '../../recovery/pageUnreachable.ts';
import type { BrowserLimits } from '../chromiumHostOptions.ts';
import { BridgeGate } from '../guards/bridgeGate.ts';
import { CertificateGate } from '../guards/certificateGate.ts';
import { DIALOG_PATH, isQuestion, questionOf } from '../guards/frameWatches.ts';
import type { LoginGuard } from '../guards/loginGuard.ts';
import { NavigationGate } from '../guards/navigationGate.ts';
import type { BridgeNames } from '../guards/pageScript.ts';
import type { LiveTarget, SendTo } from '../live/target.ts';
import type { CdpCommands, CdpEvent, CdpEventParams, CdpSend } from '../process/cdpProtocol.ts';
import { OriginScript } from './originScript.ts';
import type { PageView } from './pageView.ts';
import { captureOf, rendererCpu } from './windowCommands.ts';

/** Cut in the page: a page may make its title as long as it likes. */
const TITLE = 'String(document.title).slice(0, 500)';

type PausedRequest = CdpEventParams['Fetch.requestPaused'];

/** Whether a paused request has its answer (or its failure) already. */
const hasAnswer = ({ responseStatusCode, responseErrorReason }: PausedRequest) =>
  responseStatusCode !== undefined || responseErrorReason !== undefined;

/** What can happen to the kiosk page. */
export type PageTrouble = 'renderer-crash' | 'stray-page' | 'page-unreachable';

/** What a kiosk page needs of its browser and its host. */
export interface KioskPageOptions {
  readonly targetId: string;
  readonly sessionId: string;
  readonly send: CdpSend;
  readonly names: BridgeNames;
  readonly policy: HostPolicy;
  readonly certificates: HostCertificates;
  readonly spec: ContainerSpec;
  readonly extras: PageExtras;
  readonly logins: LoginGuard;
  readonly sink: BridgeSink;
  /** Origins of other windows that keep their permissions when those of this page change. */
  readonly permittedOrigins: () => readonly string[];
  /** @param why for the screen, when only the page knows the reason */
  readonly onTrouble: (trouble: PageTrouble, why?: PageUnreachable['refusal']) => void;
  /** Its server answered with an error that is no page, and that is not shown. */
  readonly onRefused: (url: string, status: number) => void;
  /** The page is at an allowed address. `status`: of its server's answer; 0: not known. */
  readonly onArrived: (url: string, status: number) => void;
  readonly view: Pick<PageView, 'scale' | 'pictureScale'>;
  readonly report: PageReport;
  readonly onDialog: HostDependencies['onDialog'];
  readonly log: Logger;
  readonly clock: Clock;
  readonly limits: BrowserLimits;
}

/** The kiosk page: its set-up, its guards, and the commands that the host gives it. */
export class KioskPage {
  readonly targetId: string;
  readonly sessionId: string;
  readonly #options: KioskPageOptions;
  readonly #gate: BridgeGate;
  readonly #certificates: CertificateGate;
  readonly #script: OriginScript;
  readonly #dialogs: OpenDialogs;
  readonly #navigations: NavigationGate;
  #reviving: Promise<void> | undefined;
  #isDeaf = false;

  constructor(options: KioskPageOptions) {
    this.#options = options;
    this.targetId = options.targetId;
    this.sessionId = options.sessionId;
    this.#script = new OriginScript(options);
    this.#certificates = new CertificateGate({
      certificates: options.certificates,
      answer: (eventId, action) => this.#do('Security.handleCertificateError', { eventId, action }),
      onPageRefused: (sentence) => options.onTrouble('page-unreachable', { sentence }),
    });
    this.#navigations = new NavigationGate({
      ...options,
      certificates: this.#certificates,
      answer: (method, params) => void this.#do(method, params),
    });
    this.#dialogs = new OpenDialogs({
      ask: options.onDialog,
      refusals: options.report.refusals,
    });
    this.#gate = new BridgeGate({
      targetId: options.targetId,
      policy: options.policy,
      sink: options.sink,
      log: options.log,
      clock: options.clock,
      browserUrl: () => this.#browserUrl(),
      deliver: (uniqueContextId, json) => {
        const expression = `window[${JSON.stringify(options.names.deliver)}]?.(${JSON.stringify(json)})`;
        // The context's unique id keeps an answer out of the next document.
        return this.#do('Runtime.evaluate', { expression, uniqueContextId, silent: true });
      },
    });
  }

  /** Sets guards and bridge, then lets the page run. All sent at once, so that a paused page waits only once. */
  async setUp(): Promise<void> {
    await Promise.all([
      this.#send('Page.enable', {}),
      this.#send('Runtime.enable', {}),
      this.#send('Inspector.enable', {}),
      // Few origins may ask for a login (profile.ts): a wrong one opens no dialog.
      this.#send('Fetch.enable', {
        patterns: [
          { resourceType: 'Document' },
          { urlPattern: `*${DIALOG_PATH}` },
          ...this.#options.logins.patterns,
        ],
        handleAuthRequests: true,
      }),
      this.#send('Security.enable', {}),
      this.#send('Security.setOverrideCertificateErrors', { override: true }),
      this.#send('Page.setInterceptFileChooserDialog', { enabled: true, cancel: true }),
      this.#send('Runtime.addBinding', { name: this.#options.names.binding }),
      this.#script.apply(),
      this.#send('Runtime.runIfWaitingForDebugger', {}),
    ]);
  }

  handle(event: CdpEvent): void {
    if (this.#gate.handle(event, this.#options.names.binding)) return;
    switch (event.method) {
      case 'Page.loadEventFired':
        this.#options.report.watch.loaded();
        break;
      case 'Fetch.requestPaused':
        if (isQuestion(event.params.request)) this.#ask(event.params);
        else if (hasAnswer(event.params)) this.#navigations.judgeAnswer(event.params);
        else if (event.params.resourceType === 'Document') this.#navigations.judgeRequest(event.params);
        else this.#options.logins.pass(this.sessionId, event.params);
        break;
      case 'Fetch.authRequired':
        this.#options.logins.answer(
          this.sessionId,
          event.params,
          event.params.frameId === this.targetId && event.params.resourceType === 'Document',
        );
        break;
      case 'Security.certificateError':
        void this.#certificates.judge(event.params);
        break;
      case 'Security.visibleSecurityStateChanged': {
        const { certificateSecurityState: shown } = event.params.visibleSecurityState;
        if (shown) this.#certificates.check(shown.certificate, shown.certificateNetworkError);
        break;
      }
      case 'Page.javascriptDialogOpening':
        // Questions of the page never get here. It must not delay its own leaving.
        this.#do('Page.handleJavaScriptDialog', { accept: event.params.type === 'beforeunload' });
        break;
      case 'Page.frameNavigated':
        if (event.params.frame.parentId !== undefined) break;
        this.#certificates.pageShown(event.params.frame.url);
        this.#navigations.judgeArrival(event.params.frame);
        break;
      case 'Page.navigatedWithinDocument':
        if (event.params.frameId === this.targetId) this.#options.report.watch.moved(event.params.url);
        break;
      case 'Inspector.targetCrashed':
        this.#gate.clear();
        this.#dialogs.cancel();
        this.#options.onTrouble('renderer-crash');
        break;
    }
  }

  /** The window is gone; everything about the page is dropped. */
  close(): void {
    this.#gate.clear();
    this.#dialogs.cancel();
  }

  /** Loads a page; resolves when it has begun to load. @throws Error when the browser refuses the address. */
  async navigate(url: string): Promise<void> {
    this.#navigations.begin();
    this.#dialogs.cancel();
    if (!(await this.#script.isTaken())) {
      // One navigation for all callers that arrive meanwhile: recovery, and requests to show another page.
      this.#reviving ??= this.#revive().finally(() => {
        this.#reviving = undefined;
      });
      await this.#reviving;
    }
    this.#navigations.leave();
    const { clock, limits } = this.#options;
    // A navigation that takes longer counts as begun.
    const answer = await withTimeout(clock, limits.navigation.ms, this.#send('Page.navigate', { url }));
    // The page is waited for already.
    if (answer?.errorText && this.#navigations.isKeptOut) return;
    if (answer?.errorText)
      throw new Error(this.#certificates.refusal ?? `The page cannot be shown: ${answer.errorText}.`);
    // Only another place in the same document.
    if (answer !== undefined && answer.loaderId === undefined) this.#options.report.watch.stayed();
  }

  /** Shows one of the host's own pages, which gets no bridge; ends with the next navigation. */
  async showNotice(url: string): Promise<void> {
    this.#navigations.allowNotice(url);
    this.#dialogs.cancel();
    await this.#send('Page.navigate', { url });
  }

  /**
   * Gives a page that accepts no script a new renderer with an empty document. @throws Error when that does not help
   */
  async #revive(): Promise<void> {
    const { clock, limits } = this.#options;
    const shown = this.#navigations.noticeShown();
    await withTimeLimit(clock, limits.navigation, Promise.all([this.showNotice('about:blank'), shown]));
    // Without it the page would have no bridge.
    if (!(await this.#script.isTaken())) throw new Error('The page takes no script.');
  }

  /** Loads the page again, also while it is only just replacing another. @param ignoreCache of the browser, and service workers */
  async reload(ignoreCache = false): Promise<void> {
    this.#dialogs.cancel();
    if (!(await this.#script.isTaken())) return this.navigate(await this.#browserUrl());
    const ask = () => this.#send('Page.reload', { ignoreCache });
    const { clock, limits } = this.#options;
    await retry(clock, ask, 'The browser does not load its page again.', limits.question);
  }

  async screenshot(format?: PictureFormat): Promise<Uint8Array> {
    const ask = () => this.#send('Page.captureScreenshot', captureOf(format));
    const { clock, limits } = this.#options;
    const silence = 'The browser gives no picture of its page.';
    const { data } = await retry(clock, ask, silence, limits.question);
    return Buffer.from(data, 'base64');
  }

  /** Puts the window above all others. */
  async raise(): Promise<void> {
    await this.#send('Page.bringToFront', {});
  }

  /**
   * Whether the page keeps its focus, as it sees it, while another window has the keys for a moment. A page that asks a person
   * something is blocked, and is not waited for: the question may need that window.
   */
  async keepFocus(keeps: boolean): Promise<void> {
    await this.#dialogs.unlessOpen(this.#send('Emulation.setFocusEmulationEnabled', { enabled: keeps }));
  }

  /** Keeps all input from the page, also from one that loads later in its window. */
  async ignoreInput(ignore: boolean): Promise<void> {
    this.#isDeaf = ignore;
    await this.#send('Input.setIgnoreInputEvents', { ignore });
  }

  /** The page as it can be watched. */
  get live(): LiveTarget {
    const send: SendTo = (method, params) => this.#send(method, params);
    return {
      sessionId: this.sessionId,
      send,
      kind: 'page',
      isDeaf: () => this.#isDeaf,
      scale: () => this.#options.view.scale,
      pictureScale: () => this.#options.view.pictureScale,
    };
  }

  /** @see KioskHost.clearCaches */
  async clearCaches(origin: string): Promise<void> {
    await this.#send('Storage.clearDataForOrigin', { origin, storageTypes: 'service_workers,cache_storage' });
    await this.#send('Network.clearBrowserCache', {});
  }

  /** @see KioskHost.clearStorage */
  async clearStorage(origin: string): Promise<void> {
    await this.#send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
  }

  /** @returns whether the document has text or pictures that nothing covers. */
  async hasVisibleContent(): Promise<boolean> {
    // Below a question the page draws nothing new, and answers nothing.
    if (this.#dialogs.isOpen) return false;
    const question = { expression: VISIBLE_CONTENT, returnByValue: true, silent: true };
    return (await this.#send('Runtime.evaluate', question)).result.value === true;
  }

  /** @see LookedAtPage.content */
  async content(): Promise<string> {
    const question = { expression: PAGE_CONTENT, returnByValue: true, silent: true };
    return String((await this.#send('Runtime.evaluate', question)).result.value ?? '');
  }

  /** @see Patient.answer */
  async answer(): Promise<void> {
    // A refused question is an answer too: the browser knows the reason (navigation, crash) and reports it separately.
    const asked = { expression: TITLE, returnByValue: true, silent: true };
    const sent = this.#send('Runtime.evaluate', asked).catch(() => undefined);
    // A page that asks a person something is blocked, and does not hang.
    const answer = await this.#dialogs.unlessOpen(sent);
    const title = answer?.result.value;
    if (typeof title === 'string') this.#options.report.watch.titled(title);
  }

  /** @see Patient.cpu */
  cpu(): Promise<CpuTimes | undefined> {
    return rendererCpu(this.#options.send, this.#options.clock);
  }

  /** Kills the renderer of a hung page. */
  crash(): void {
    this.#do('Page.crash', {});
  }

  /** Where the page is, as the browser process reports it; the renderer need not answer. */
  async #browserUrl(): Promise<string> {
    const { send, targetId } = this.#options;
    return (await send('Target.getTargetInfo', { targetId })).targetInfo.url;
  }

  /** The page asks a person something: its request waits for the answer, and the page with it. */
  #ask({ requestId, request }: PausedRequest): void {
    const dialog = questionOf(request);
    if (dialog === undefined) {
      this.#do('Fetch.failRequest', { requestId, errorReason: 'Aborted' });
      return;
    }
    this.#dialogs.ask(dialog, ({ accepted, value }) =>
      this.#do('Fetch.fulfillRequest', {
        requestId,
        responseCode: 200,
        body: Buffer.from(JSON.stringify({ accepted, value })).toString('base64'),
      }),
    );
  }

  #send<M extends keyof CdpCommands>(method: M, params: CdpCommands[M]['params']) {
    return this.#options.send(method, params, this.sessionId);
  }

  /** Sends a command that can only fail because the page is already gone. */
  #do<M extends keyof CdpCommands>(method: M, params: CdpCommands[M]['params']): Promise<void> {
    return this.#send(method, params).then(
      () => {},
      (error: Error) => this.#options.log.debug({ err: error }, 'kiosk: the page is already closed'),
    );
  }
}
