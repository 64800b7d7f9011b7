import type { ContainerSpec } from '../../contract/pageBridge.ts';
import type { Logger } from '../../observe/log.ts';
import type { Clock } from '../clock.ts';
import type { BridgeSink, HostCertificates, HostPolicy } from '../host.ts';
import { mayShow, placeOf } from '../mayShow.ts';
import type { PageConsole } from '../pageConsole.ts';
import { VISIBLE_CONTENT } from '../visibleContent.ts';
import { askAgain } from './askAgain.ts';
import { BridgeGate } from './bridgeGate.ts';
import type { CdpCommands, CdpEvent, CdpSend, RemoteValue } from './cdpProtocol.ts';
import { CertificateGate } from './certificateGate.ts';
import { OriginScript } from './originScript.ts';
import type { BridgeNames } from './pageScript.ts';
import { within } from './within.ts';

/** What the kiosk page can suffer by itself. */
export type PageTrouble = 'renderer-crash' | 'stray-page' | 'page-unreachable';

export interface KioskPageOptions {
  readonly targetId: string;
  readonly sessionId: string;
  readonly send: CdpSend;
  readonly names: BridgeNames;
  readonly policy: HostPolicy;
  readonly certificates: HostCertificates;
  readonly spec: ContainerSpec;
  readonly sink: BridgeSink;
  /** Origins of other windows that keep their permissions when those of this page change. */
  readonly permittedOrigins: () => readonly string[];
  /** @param why in words for the screen, where only the page knows them */
  readonly onTrouble: (trouble: PageTrouble, why?: string) => void;
  /** The page stands where it may be. */
  readonly onArrived: () => void;
  readonly console: PageConsole;
  readonly log: Logger;
  readonly clock: Clock;
}

/** How long a navigation may take until it counts as begun, in milliseconds. */
const NAVIGATION_MS = 10_000;

/** The one page of the kiosk: its set-up, its guards, and the commands that the host gives it. */
export class KioskPage {
  readonly targetId: string;
  readonly sessionId: string;
  readonly #options: KioskPageOptions;
  readonly #gate: BridgeGate;
  readonly #certificates: CertificateGate;
  readonly #script: OriginScript;
  /** Until it is sent somewhere, the empty page of a new window is no stray. */
  #sent = false;
  /** The host's own page that may stand here. */
  #notice: string | undefined;
  #onNotice = () => {};
  #reviving: Promise<void> | undefined;

  constructor(options: KioskPageOptions) {
    this.#options = options;
    this.targetId = options.targetId;
    this.sessionId = options.sessionId;
    this.#script = new OriginScript(options);
    this.#certificates = new CertificateGate({
      certificates: options.certificates,
      answer: (eventId, action) => this.#do('Security.handleCertificateError', { eventId, action }),
      onPageRefused: (why) => options.onTrouble('page-unreachable', why),
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
        // The context's unique id keeps an answer from landing in the document that came after.
        this.#do('Runtime.evaluate', { expression, uniqueContextId, silent: true });
      },
    });
  }

  /** Puts guards and bridge in place, then lets the page run. Sent at once, so that a paused page waits only once. */
  async setUp(): Promise<void> {
    await Promise.all([
      this.#send('Page.enable', {}),
      this.#send('Runtime.enable', {}),
      this.#send('Inspector.enable', {}),
      this.#send('Fetch.enable', { patterns: [{ resourceType: 'Document' }] }),
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
      case 'Runtime.consoleAPICalled':
        this.#options.console.write(event.params.type, event.params.args.map(wordsOf).join(' '));
        break;
      case 'Runtime.exceptionThrown': {
        const { text, exception } = event.params.exceptionDetails;
        this.#options.console.write('exception', `${text} ${exception ? wordsOf(exception) : ''}`);
        break;
      }
      case 'Fetch.requestPaused':
        this.#judgeNavigation(event.params);
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
        // Nobody stands before the panel to answer; leaving the page is never held up.
        this.#do('Page.handleJavaScriptDialog', { accept: event.params.type === 'beforeunload' });
        break;
      case 'Page.frameNavigated':
        if (event.params.frame.parentId !== undefined) break;
        this.#certificates.pageShown(event.params.frame.url);
        this.#judgeArrival(event.params.frame);
        break;
      case 'Inspector.targetCrashed':
        this.#gate.clear();
        this.#options.onTrouble('renderer-crash');
        break;
    }
  }

  /** The window is gone; what the page held is forgotten. */
  close(): void {
    this.#gate.clear();
  }

  /** Loads a page; resolves when it has begun. @throws Error when the browser refuses the address. */
  async navigate(url: string): Promise<void> {
    this.#sent = true;
    if (!(await this.#script.isTaken())) {
      // One for all who come meanwhile: who brings the page back, and who sends it elsewhere.
      this.#reviving ??= this.#revive().finally(() => {
        this.#reviving = undefined;
      });
      await this.#reviving;
    }
    this.#notice = undefined;
    const answer = await within(this.#options.clock, NAVIGATION_MS, this.#send('Page.navigate', { url }));
    if (answer?.errorText)
      throw new Error(this.#certificates.refusal ?? `The page cannot be shown: ${answer.errorText}.`);
  }

  /** Shows a page of the host's own, which holds no bridge; ends with the next navigation. */
  async showNotice(url: string): Promise<void> {
    this.#notice = url;
    await this.#send('Page.navigate', { url });
  }

  /** Brings a page that takes no script a new renderer, with an empty document. @throws Error when it takes none even so */
  async #revive(): Promise<void> {
    const { clock } = this.#options;
    const shown = new Promise<void>((resolve) => {
      this.#onNotice = resolve;
    });
    await within(clock, NAVIGATION_MS, Promise.all([this.showNotice('about:blank'), shown]));
    // Without it the page would have no bridge.
    if (!(await this.#script.isTaken())) throw new Error('The page takes no script.');
  }

  /** Loads the page again, also one that is only just taking its place. */
  async reload(): Promise<void> {
    if (!(await this.#script.isTaken())) return this.navigate(await this.#browserUrl());
    const ask = () => this.#send('Page.reload', { ignoreCache: false });
    await askAgain(this.#options.clock, ask, 'The browser does not load its page again.');
  }

  async screenshot(): Promise<Uint8Array> {
    const ask = () => this.#send('Page.captureScreenshot', { format: 'png', optimizeForSpeed: true });
    const { data } = await askAgain(this.#options.clock, ask, 'The browser gives no picture of its page.');
    return Buffer.from(data, 'base64');
  }

  /** Puts the window above all others. */
  async raise(): Promise<void> {
    await this.#send('Page.bringToFront', {});
  }

  /** Keeps all input from the page, also from one that loads later in its window. */
  async ignoreInput(ignore: boolean): Promise<void> {
    await this.#send('Input.setIgnoreInputEvents', { ignore });
  }

  /** @see KioskHost.clearCaches */
  async clearCaches(origin: string): Promise<void> {
    await this.#send('Storage.clearDataForOrigin', { origin, storageTypes: 'service_workers,cache_storage' });
    await this.#send('Network.clearBrowserCache', {});
  }

  /** @returns whether the document has text or pictures that nothing covers. */
  async hasVisibleContent(): Promise<boolean> {
    const question = { expression: VISIBLE_CONTENT, returnByValue: true, silent: true };
    return (await this.#send('Runtime.evaluate', question)).result.value === true;
  }

  /** @returns whether the page's thread answers within `ms`. */
  async answersWithin(ms: number): Promise<boolean> {
    // A refused question is an answer too: the browser knows a reason (navigation, crash) and tells it by itself.
    const answered = () => true;
    const answer = this.#send('Runtime.evaluate', { expression: '1', silent: true }).then(answered, answered);
    return (await within(this.#options.clock, ms, answer)) === true;
  }

  /** Kills the renderer of a page that hangs. */
  crash(): void {
    this.#do('Page.crash', {});
  }

  /** Where the page is, by the browser's word, which no renderer has to give. */
  async #browserUrl(): Promise<string> {
    const { send, targetId } = this.#options;
    return (await send('Target.getTargetInfo', { targetId })).targetInfo.url;
  }

  #judgeNavigation({
    requestId,
    frameId,
    request,
  }: {
    requestId: string;
    frameId: string;
    request: { url: string };
  }) {
    if (frameId === this.targetId) this.#certificates.pageRequested(request.url);
    // Frames inside the page may show others: the bridge is refused to them anyway.
    if (frameId !== this.targetId || mayShow(this.#options.policy, request.url)) {
      this.#do('Fetch.continueRequest', { requestId });
    } else {
      this.#options.log.warn({ to: placeOf(request.url) }, 'navigation refused');
      this.#do('Fetch.failRequest', { requestId, errorReason: 'Aborted' });
    }
  }

  /** Places such as about:blank cause no request, so they are noticed on arrival only. */
  #judgeArrival(frame: { url: string; unreachableUrl?: string }): void {
    if (frame.unreachableUrl !== undefined) this.#options.onTrouble('page-unreachable');
    else if (mayShow(this.#options.policy, frame.url)) this.#options.onArrived();
    else if (frame.url === this.#notice) this.#onNotice();
    else if (this.#sent) this.#options.onTrouble('stray-page');
  }

  #send<M extends keyof CdpCommands>(method: M, params: CdpCommands[M]['params']) {
    return this.#options.send(method, params, this.sessionId);
  }

  /** Sends a command whose failure only means that the page is gone already. */
  #do<M extends keyof CdpCommands>(method: M, params: CdpCommands[M]['params']): void {
    this.#send(method, params).catch((error: Error) =>
      this.#options.log.debug({ err: error }, 'page is gone'),
    );
  }
}

/** A value that a page wrote to its console. */
function wordsOf({ value, description }: RemoteValue): string {
  return description ?? (typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined'));
}
