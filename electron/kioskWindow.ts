import type { BrowserWindow, WebContents } from 'electron';
import type { Clock } from '../server/host/clock.ts';
import { VISIBLE_CONTENT } from '../server/host/visibleContent.ts';
import type { ElectronApi } from './electronApi.ts';

/** The profile of the kiosk page. */
export const PARTITION = 'persist:kiosk';

/** What counts as use of the panel, and how often it is told, in milliseconds. */
const ACTIVITY = ['mouseDown', 'touchStart', 'pointerDown', 'rawKeyDown', 'keyDown', 'mouseWheel'];
const ACTIVITY_EVERY_MS = 1_000;
/** A world beside the page's own, whose scripts those of the page cannot see or change. */
const WORLD = 1_001;
/** A load that another one took the place of (ERR_ABORTED of Chromium's net_error_list.h). */
const ABORTED = -3;

export interface KioskWindowOptions {
  readonly BrowserWindow: ElectronApi['BrowserWindow'];
  /** Path of the bundled preload script. */
  readonly preload: string;
  readonly clock: Clock;
  /** The document is gone: another came, its process ended, or the window did. */
  readonly onDocumentGone: () => void;
  /** A page has come. */
  readonly onArrived: (url: string) => void;
  /** @param refusal what Chromium calls it, such as ERR_CONNECTION_REFUSED */
  readonly onUnreachable: (refusal: string) => void;
  readonly onCrashed: () => void;
  /** The page does not react to input. */
  readonly onHung: () => void;
  readonly onClosed: () => void;
  /** Somebody uses the page; at most once per second. */
  readonly onActivity: () => void;
  readonly onConsole: (kind: string, line: string) => void;
}

/** The window of the kiosk page. */
export class KioskWindow {
  readonly #options: KioskWindowOptions;
  readonly #window: BrowserWindow;
  #activeAt = Number.NEGATIVE_INFINITY;
  /** Counts the documents of this window. */
  #documents = 0;

  constructor(options: KioskWindowOptions) {
    this.#options = options;
    this.#window = new options.BrowserWindow({
      kiosk: true,
      frame: false,
      alwaysOnTop: true,
      backgroundColor: '#000',
      webPreferences: {
        partition: PARTITION,
        preload: options.preload,
        contextIsolation: true,
        sandbox: true,
        nodeIntegration: false,
        nodeIntegrationInSubFrames: false,
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
    this.#listen();
  }

  get page(): WebContents {
    return this.#window.webContents;
  }

  /** Shows a page. @throws Error when it cannot be loaded, which `onUnreachable` tells too */
  async load(url: string): Promise<void> {
    await this.#window.loadURL(url);
  }

  /** Puts the window above all others. */
  raise(): void {
    this.#window.moveTop();
    this.#window.focus();
  }

  async screenshot(): Promise<Uint8Array> {
    return (await this.page.capturePage()).toPNG();
  }

  /** @returns whether the document has text or pictures that nothing covers. */
  async hasVisibleContent(): Promise<boolean> {
    return (await this.page.executeJavaScriptInIsolatedWorld(WORLD, [{ code: VISIBLE_CONTENT }])) === true;
  }

  /** @returns whether the page's thread answers within `ms`, or another document has come by then. */
  async answersWithin(ms: number): Promise<boolean> {
    const asked = this.#documents;
    return new Promise((resolve) => {
      const cancel = this.#options.clock.after(ms, () => resolve(this.#documents !== asked));
      // A refused question is an answer too: Electron knows a reason and tells it by itself.
      const answered = () => {
        cancel();
        resolve(true);
      };
      // Asked of the frame: the page itself would be asked only once it has loaded.
      this.page.mainFrame.executeJavaScript('1').then(answered, answered);
    });
  }

  /** Kills the renderer of a page that hangs. */
  crash(): void {
    this.page.forcefullyCrashRenderer();
  }

  destroy(): void {
    this.#window.destroy();
  }

  #listen(): void {
    const { onDocumentGone, onArrived, onUnreachable, onCrashed, onHung, onClosed, onConsole } =
      this.#options;
    const { page } = this;
    this.#window.on('close', (event) => event.preventDefault());
    this.#window.on('closed', onClosed);
    this.#window.on('unresponsive', onHung);
    page.on('input-event', (_event, { type }) => this.#noteInput(type));
    page.on('console-message', ({ level, message }) => onConsole(level, message));
    page.on('render-process-gone', () => {
      this.#documents++;
      onDocumentGone();
      onCrashed();
    });
    page.on('did-navigate', (_event, url) => {
      this.#documents++;
      onDocumentGone();
      onArrived(url);
    });
    page.on('did-fail-load', (_event, code, text, _url, isMainFrame) => {
      if (isMainFrame && code !== ABORTED) onUnreachable(text);
    });
  }

  #noteInput(type: string): void {
    const now = this.#options.clock.now();
    if (!ACTIVITY.includes(type) || now - this.#activeAt < ACTIVITY_EVERY_MS) return;
    this.#activeAt = now;
    this.#options.onActivity();
  }
}
