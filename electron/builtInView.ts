import type { IpcMainEvent, WebContents } from 'electron';
import { channels } from '../preload/electronChannels.ts';
import type { BuiltInPage, PageCaller, PictureFormat, ScreenArea } from '../server/kiosk/host.ts';
import { isNavigationAllowed } from '../server/kiosk/navigationPolicy.ts';
import type { Refusals } from '../server/kiosk/recovery/pageEntries.ts';
import type { Clock } from '../server/platform/clock.ts';
import { HeldInput } from './blankView.ts';
import { type ElectronApi, written } from './electronApi.ts';
import { lockSession } from './guards.ts';
import type { KioskWindow, PlacedView, ViewPlace } from './kioskWindow.ts';

/**
 * Profile of a built-in page: its permissions and storage are not those of projects. The layers, which are of one site, have
 * one: so they share a renderer, as in the Chromium host, which saves 19 MiB.
 */
export const partitionOf = (page: string): string => `persist:own-${page === 'keys' ? 'glass' : page}`;

interface BuiltInViewOptions {
  readonly electron: ElectronApi;
  readonly window: KioskWindow;
  readonly place: ViewPlace;
  readonly page: BuiltInPage;
  /** Path of the bundled preload script. */
  readonly preload: string;
  /** The page is gone without a request: it crashed, is at another address, or the window ended. */
  readonly onGone: () => void;
  /** The page is closed, for whatever reason. */
  readonly onClosed: () => void;
  /** For a layer, which is shown later: its page has loaded, again after each load. */
  readonly onReady?: () => void;
  /** For a page in which a person may write: it has an empty document, and is sent to its address when this resolves. */
  readonly onWritable?: (contents: WebContents) => Promise<void>;
  readonly refusals: Refusals;
  readonly clock: Clock;
}

/** A built-in page in the window. It shows only its own origin, and takes messages from its top frame only. */
export class BuiltInView {
  readonly page: BuiltInPage;
  readonly origin: string;
  /** What is pressed on it. */
  readonly held: HeldInput;
  readonly #options: BuiltInViewOptions;
  #view: PlacedView | undefined;
  #caller: PageCaller | undefined;

  constructor(options: BuiltInViewOptions) {
    this.#options = options;
    this.page = options.page;
    this.held = new HeldInput(options.clock);
    this.origin = new URL(options.page.url).origin;
  }

  /** @returns whether these are the contents of this page. */
  holds(contents: WebContents): boolean {
    return this.#view?.contents === contents;
  }

  /** @throws Error when the page does not load */
  async open(): Promise<void> {
    const { electron, window, place, page, preload, refusals, onReady, onWritable } = this.#options;
    const policy = { bridgeOrigins: () => (page.media ? [this.origin] : []), mayNavigate: () => true };
    lockSession(electron.session.fromPartition(partitionOf(page.name)), policy, refusals);
    const view = window.add({
      place,
      onGone: () => this.#leave(),
      webPreferences: {
        partition: partitionOf(page.name),
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
    this.#view = view;
    const { contents } = view;
    electron.ipcMain.on(channels.own, this.#onMessage);
    this.held.watch(contents, () => {});
    contents.on('render-process-gone', () => this.#leave());
    if (onWritable !== undefined) {
      // Commands that come before there is a document are carried out only after the first one has begun.
      await contents.loadURL('about:blank');
      await onWritable(contents);
    }
    if (onReady !== undefined) contents.on('did-finish-load', onReady);
    contents.on('did-navigate', (_event, url) => {
      this.#dropPage();
      if (!this.allows(url)) this.#leave();
    });
    if (page.visible) view.show('screen', true);
    await contents.loadURL(page.url);
  }

  /** Whether it may show this address. */
  allows(url: string): boolean {
    const mayNavigate = (target: URL) => target.origin === this.origin;
    return isNavigationAllowed({ bridgeOrigins: () => [], mayNavigate }, url);
  }

  /** Sends a JSON string to the page. */
  post(json: string): void {
    const frame = this.#view?.contents.mainFrame;
    if (frame?.origin === this.origin && !frame.isDestroyed()) frame.send(channels.own, json);
  }

  /** Shows the page there. @param keys whether it gets the keys */
  showAt(area: ScreenArea | 'screen', keys: boolean): void {
    this.#view?.show(area, keys);
  }

  hide(): void {
    this.#view?.hide();
  }

  /** What the page shows. */
  async screenshot(format?: PictureFormat): Promise<Uint8Array | undefined> {
    const picture = await this.#view?.contents.capturePage();
    return picture && written(picture, format);
  }

  close(): void {
    const view = this.#view;
    this.#view = undefined;
    this.#options.electron.ipcMain.off(channels.own, this.#onMessage);
    this.#dropPage();
    this.#options.onClosed();
    view?.remove();
  }

  #leave(): void {
    if (this.#view === undefined) return;
    this.close();
    this.#options.onGone();
  }

  readonly #onMessage = ({ sender, senderFrame }: IpcMainEvent, json: unknown): void => {
    const contents = this.#view?.contents;
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
