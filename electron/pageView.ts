import type { WebContents } from 'electron';
import type { PictureFormat } from '../server/kiosk/host.ts';
import type { OpenDialogs } from '../server/kiosk/openDialogs.ts';
import { PAGE_CONTENT, VISIBLE_CONTENT } from '../server/kiosk/recovery/deadPageCheck.ts';
import type { CpuTimes } from '../server/kiosk/recovery/heartbeat.ts';
import type { Clock } from '../server/platform/clock.ts';
import { type ElectronApi, rendererCpu, written } from './electronApi.ts';
import type { KioskWindow, PlacedView } from './kioskWindow.ts';

/** The profile of the kiosk page. */
export const PARTITION = 'persist:kiosk';

/** What counts as use of the panel, and how often it is reported, in milliseconds. */
const ACTIVITY = ['mouseDown', 'touchStart', 'pointerDown', 'rawKeyDown', 'keyDown', 'mouseWheel'];
const ACTIVITY_EVERY_MS = 1_000;
/** An isolated world, whose scripts the page's scripts cannot see or change. */
const WORLD = 1_001;
/** A load that another one replaced (ERR_ABORTED of Chromium's net_error_list.h). */
const ABORTED = -3;

interface PageViewOptions {
  readonly window: KioskWindow;
  readonly app: ElectronApi['app'];
  /** Path of the bundled preload script. */
  readonly preload: string;
  readonly clock: Clock;
  /** What the page asks a person. */
  readonly dialogs: OpenDialogs;
  /** The layout zoom of every page. */
  readonly zoom: () => number;
  /** The document is gone: another one replaced it, its process ended, or the window closed. */
  readonly onDocumentGone: () => void;
  /** A page has come. `status`: of its server's answer. */
  readonly onArrived: (url: string, status: number) => void;
  /** @param refusal Chromium's name for it, such as ERR_CONNECTION_REFUSED */
  readonly onUnreachable: (refusal: string, url: string) => void;
  readonly onCrashed: () => void;
  /** The page does not react to input. */
  readonly onHung: () => void;
  /** The window is gone, and the page with it. */
  readonly onClosed: () => void;
  /** A person uses the page; at most once per second. */
  readonly onActivity: () => void;
  /** The page has loaded, with all that its load waits for. */
  readonly onLoaded: () => void;
  readonly onTitle: (title: string) => void;
  /** The page shows another place in the same document. */
  readonly onStayed: (url: string) => void;
}

/** The kiosk page. */
export class PageView {
  readonly #options: PageViewOptions;
  readonly #view: PlacedView;
  #activeAt = Number.NEGATIVE_INFINITY;
  #isSent = false;
  /** Address of the document that is on its way. */
  #expected: string | undefined;
  #onNextDocument = () => {};
  /**
   * Resolves once it has an empty document. Commands that come before that are carried out only after the first document
   * has begun.
   */
  readonly ready: Promise<void>;

  constructor(options: PageViewOptions) {
    this.#options = options;
    this.#view = options.window.add({
      place: 'page',
      onGone: options.onClosed,
      webPreferences: {
        partition: PARTITION,
        preload: options.preload,
        contextIsolation: true,
        sandbox: true,
        nodeIntegration: false,
        // Gives no frame Node, which the sandbox and the line above refuse; it runs the preload script in every frame.
        nodeIntegrationInSubFrames: true,
        nodeIntegrationInWorker: false,
        webSecurity: true,
        webviewTag: false,
        allowRunningInsecureContent: false,
        navigateOnDragDrop: false,
        disableDialogs: true,
        spellcheck: false,
        backgroundThrottling: false,
        devTools: false,
      },
    });
    this.ready = this.page.loadURL('about:blank').catch(() => {});
    this.#listen();
    this.#view.show('screen', true);
  }

  get page(): WebContents {
    return this.#view.contents;
  }

  /** Whether another document is on its way: to load "this page" again would cancel it. */
  get isOnTheWay(): boolean {
    return this.#expected !== undefined;
  }

  /** Shows a page. @throws Error when it cannot be loaded, which `onUnreachable` also reports */
  async load(url: string): Promise<void> {
    await this.ready;
    this.#isSent = true;
    this.#expected = new URL(url).href;
    await this.page.loadURL(url).catch(({ code = 'no reason' }: { code?: string }) => {
      // Electron's own words hold the whole address.
      throw new Error(`The page cannot be loaded: ${code}.`);
    });
  }

  async screenshot(format?: PictureFormat): Promise<Uint8Array> {
    return written(await this.page.capturePage(), format);
  }

  /** @returns whether the document has text or pictures that nothing covers. */
  async hasVisibleContent(): Promise<boolean> {
    // Below a question the page draws nothing new, and answers nothing.
    if (this.#options.dialogs.isOpen) return false;
    return (await this.page.executeJavaScriptInIsolatedWorld(WORLD, [{ code: VISIBLE_CONTENT }])) === true;
  }

  /** @see LookedAtPage.content */
  async content(): Promise<string> {
    return String(await this.page.executeJavaScriptInIsolatedWorld(WORLD, [{ code: PAGE_CONTENT }]));
  }

  /** @see Patient.answer; a new document counts as an answer too. */
  async answer(): Promise<void> {
    const { promise: comes, resolve } = Promise.withResolvers<void>();
    this.#onNextDocument = resolve;
    // A refused question is an answer too: Electron knows the reason and reports it separately.
    // Ask the frame, because the page itself would be asked only once it has loaded.
    const ask = async () => this.page.mainFrame.executeJavaScript('1');
    // A page that asks a person something is blocked, and does not hang.
    await this.#options.dialogs.unlessOpen(Promise.race([ask().catch(() => undefined), comes]));
  }

  /** @see Patient.cpu */
  async cpu(): Promise<CpuTimes | undefined> {
    return rendererCpu(this.#options.app, this.page.getOSProcessId());
  }

  /** Kills the renderer of a hung page. */
  crash(): void {
    this.page.forcefullyCrashRenderer();
  }

  remove(): void {
    this.#view.remove();
  }

  #listen(): void {
    const { dialogs, onDocumentGone, onArrived, onUnreachable, onCrashed, onHung } = this.#options;
    const { page } = this;
    page.on('unresponsive', () => dialogs.isOpen || onHung());
    page.on('input-event', (_event, { type }) => this.#noteInput(type));
    page.on('did-finish-load', () => {
      if (!this.#isSent) return;
      this.#options.onLoaded();
      void this.#lookAtTitle();
    });
    // Electron makes up a title for a page that has none.
    page.on('page-title-updated', (_event, title, isOwn) => this.#options.onTitle(isOwn ? title : ''));
    page.on('render-process-gone', () => {
      this.#onNextDocument();
      onDocumentGone();
      onCrashed();
    });
    page.on('did-navigate', (_event, url, status) => {
      if (!this.#isSent) return;
      this.#view.whiten();
      // The document before may have been about to come still.
      if (url === this.#expected) this.#expected = undefined;
      // Electron keeps a zoom for each host name.
      page.setZoomFactor(this.#options.zoom());
      this.#onNextDocument();
      onDocumentGone();
      onArrived(url, status);
    });
    page.on('did-redirect-navigation', ({ url, isMainFrame }) => {
      if (isMainFrame && this.#expected !== undefined) this.#expected = url;
    });
    // Nothing is on its way any more, whatever came of it.
    page.on('did-stop-loading', () => {
      if (this.#isSent) this.#expected = undefined;
    });
    page.on('did-navigate-in-page', (_event, url, isMainFrame) => {
      if (isMainFrame && this.#isSent) this.#options.onStayed(url);
    });
    page.on('did-fail-load', (_event, code, text, url, isMainFrame) => {
      if (!isMainFrame || code === ABORTED) return;
      this.#expected = undefined;
      onUnreachable(text, url);
    });
  }

  /** The event of a title does not come where the same one comes again. */
  async #lookAtTitle(): Promise<void> {
    const title = await this.page
      .executeJavaScriptInIsolatedWorld(WORLD, [{ code: 'document.title' }])
      .catch(() => undefined);
    if (typeof title === 'string') this.#options.onTitle(title);
  }

  #noteInput(type: string): void {
    const now = this.#options.clock.now();
    if (!ACTIVITY.includes(type) || now - this.#activeAt < ACTIVITY_EVERY_MS) return;
    this.#activeAt = now;
    this.#options.onActivity();
  }
}
