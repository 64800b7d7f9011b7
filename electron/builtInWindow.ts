import type { BrowserWindow, IpcMainEvent, Rectangle, WebContents } from 'electron';
import { channels } from '../preload/electronChannels.ts';
import type { BuiltInPage, PageCaller, PictureFormat } from '../server/kiosk/host.ts';
import { mayShow } from '../server/kiosk/mayShow.ts';
import type { Refusals } from '../server/kiosk/refusals.ts';
import type { ElectronApi } from './electronApi.ts';
import { lockSession } from './lockSession.ts';
import { written } from './picture.ts';

/** Profile of the built-in pages: their permissions and storage are not those of projects. */
const PARTITION = 'persist:own';

interface BuiltInWindowOptions {
  readonly electron: ElectronApi;
  readonly page: BuiltInPage;
  /** Path of the bundled preload script. */
  readonly preload: string;
  /** The window is gone without a request: its page crashed, is at another address, or a person closed it. */
  readonly onGone: () => void;
  /** The window is closed, whoever closed it. */
  readonly onClosed: () => void;
  /** For a layer, which comes above the other windows without the keys: its page has loaded, again after each load. */
  readonly onReady?: () => void;
  readonly refusals: Refusals;
}

/** The window of a built-in page. It shows only that page's origin, and takes messages from its top frame only. */
export class BuiltInWindow {
  readonly page: BuiltInPage;
  readonly origin: string;
  readonly #options: BuiltInWindowOptions;
  #window: BrowserWindow | undefined;
  #caller: PageCaller | undefined;

  constructor(options: BuiltInWindowOptions) {
    this.#options = options;
    this.page = options.page;
    this.origin = new URL(options.page.url).origin;
  }

  /** @returns whether these are the contents of this window. */
  holds(contents: WebContents): boolean {
    return this.#window?.webContents === contents;
  }

  /** @throws Error when the page does not load */
  async open(): Promise<void> {
    const { electron, page, preload, refusals } = this.#options;
    const policy = { bridgeOrigins: () => (page.media ? [this.origin] : []), mayNavigate: () => true };
    lockSession(electron.session.fromPartition(`${PARTITION}-${page.name}`), policy, refusals);
    const window = new electron.BrowserWindow({
      show: page.visible,
      kiosk: page.visible,
      frame: false,
      skipTaskbar: true,
      backgroundColor: '#000',
      webPreferences: {
        partition: `${PARTITION}-${page.name}`,
        preload,
        contextIsolation: true,
        sandbox: true,
        nodeIntegration: false,
        webSecurity: true,
        webviewTag: false,
        navigateOnDragDrop: false,
        disableDialogs: true,
        spellcheck: false,
        backgroundThrottling: false,
        devTools: false,
      },
    });
    this.#window = window;
    electron.ipcMain.on(channels.own, this.#onMessage);
    // Above the kiosk's window, below the blank window.
    if (page.visible) window.setAlwaysOnTop(true, 'pop-up-menu');
    const { onReady } = this.#options;
    if (onReady !== undefined) {
      // Above that, and `glass` above `keys`; the blank window is at the same level and opens later.
      window.setAlwaysOnTop(true, 'screen-saver', page.name === 'glass' ? 0 : -1);
      window.webContents.on('did-finish-load', onReady);
    }
    window.on('closed', () => this.#leave());
    window.webContents.on('render-process-gone', () => this.#leave());
    window.webContents.on('did-navigate', (_event, url) => {
      this.#dropPage();
      if (!this.allows(url)) this.#leave();
    });
    await window.loadURL(page.url);
  }

  /** Whether the window may show this address. */
  allows(url: string): boolean {
    const mayNavigate = (target: URL) => target.origin === this.origin;
    return mayShow({ bridgeOrigins: () => [], mayNavigate }, url);
  }

  /** Puts the window above the kiosk's. */
  raise(): void {
    if (!this.page.visible) return;
    this.#window?.moveTop();
    this.#window?.focus();
  }

  /** Sends a JSON string to the page. */
  post(json: string): void {
    const frame = this.#window?.webContents.mainFrame;
    if (frame?.origin === this.origin && !frame.isDestroyed()) frame.send(channels.own, json);
  }

  /** Shows the window there. @param focus whether it gets the keys */
  showAt(bounds: Rectangle, focus: boolean): void {
    this.#window?.setBounds(bounds);
    if (focus) this.#window?.show();
    else this.#window?.showInactive();
  }

  hide(): void {
    this.#window?.hide();
  }

  /** What the window shows. */
  async screenshot(format?: PictureFormat): Promise<Uint8Array | undefined> {
    const picture = await this.#window?.webContents.capturePage();
    return picture && written(picture, format);
  }

  close(): void {
    const window = this.#window;
    this.#window = undefined;
    this.#options.electron.ipcMain.off(channels.own, this.#onMessage);
    this.#dropPage();
    this.#options.onClosed();
    if (window?.isDestroyed() === false) window.destroy();
  }

  #leave(): void {
    if (this.#window === undefined) return;
    this.close();
    this.#options.onGone();
  }

  readonly #onMessage = ({ sender, senderFrame }: IpcMainEvent, json: unknown): void => {
    const contents = this.#window?.webContents;
    if (sender !== contents) return;
    if (senderFrame !== contents.mainFrame || senderFrame.origin !== this.origin || typeof json !== 'string')
      return;
    this.#caller ??= {
      origin: this.origin,
      reply: (answer) => {
        if (!senderFrame.isDestroyed()) senderFrame.send(channels.own, answer);
      },
    };
    this.page.sink.onMessage(this.#caller, json);
  };

  #dropPage(): void {
    if (this.#caller === undefined) return;
    this.#caller = undefined;
    this.page.sink.onPageGone();
  }
}
