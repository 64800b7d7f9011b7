import type { BaseWindow, WebContents, WebContentsView, WebPreferences } from 'electron';
import type { PageSize, ScreenArea } from '../server/kiosk/host.ts';
import { LAYERS, type StackedWindow } from '../server/kiosk/windowStack.ts';
import type { ElectronApi } from './electronApi.ts';

export type ViewPlace = StackedWindow | 'unseen';

/** The views of the window, from below. An `unseen` one runs and is never drawn. */
const PLACES: readonly ViewPlace[] = ['unseen', 'page', 'settings', ...LAYERS, 'blank'];

interface KioskWindowOptions {
  readonly electron: ElectronApi;
  /** Path of its picture, where a desktop shows one. */
  readonly icon?: string | undefined;
}

interface ViewOptions {
  readonly place: ViewPlace;
  readonly webPreferences: WebPreferences;
  /** The window has ended, and the view with it. */
  readonly onGone: () => void;
}

/** A page in the window. */
export interface PlacedView {
  readonly contents: WebContents;
  /** Shows it there. @param keys whether it gets the keys as long as nothing above it does */
  show(area: ScreenArea | 'screen', keys: boolean): void;
  hide(): void;
  /** From now on its pages lie on white, as in any browser; before that it is black. */
  whiten(): void;
  /** Takes it out of the window and ends its page; safe to call twice. */
  remove(): void;
}

/**
 * The one window of the kiosk, which fills the screen, and the pages in it. Their order is that of views in one window,
 * so it needs nothing from the window system: under Wayland no program may raise a window.
 */
export class KioskWindow {
  readonly #electron: ElectronApi;
  readonly #icon: string | undefined;
  #views: View[] = [];
  #window: BaseWindow | undefined;
  /** The keys are given out in a moment. */
  #isFocusDue = false;

  constructor({ electron, icon }: KioskWindowOptions) {
    this.#electron = electron;
    this.#icon = icon;
  }

  /** Adds a page at its place, in a window that is opened when there is none. Nothing of it shows before `show`. */
  add({ place, webPreferences, onGone }: ViewOptions): PlacedView {
    const window = this.#window ?? this.#open();
    const native = new this.#electron.WebContentsView({ webPreferences });
    native.setBackgroundColor('#000000');
    native.setVisible(false);
    const view: View = new View({
      native,
      place,
      onGone,
      onChange: () => this.#focus(),
      onRemoved: () => this.#forget(view),
      onShown: () => this.#place(window, view),
      size: () => this.size(),
    });
    const rank = PLACES.indexOf(place);
    const at = this.#views.findIndex((other) => PLACES.indexOf(other.place) > rank);
    this.#views.splice(at < 0 ? this.#views.length : at, 0, view);
    if (place === 'unseen') this.#place(window, view);
    view.fill();
    // A press gives the focus to the view it hits, and a new document takes it: the view above must get it back.
    native.webContents.on('focus', () => this.#focus());
    native.webContents.on('did-navigate', () => this.#focus());
    return view;
  }

  /** Size of the window in pixels of the page; that of the screen while there is none. */
  size(): PageSize {
    const screen = this.#electron.screen.getPrimaryDisplay().size;
    const { width, height } = this.#window?.getContentBounds() ?? screen;
    return { width: Math.min(width, screen.width), height: Math.min(height, screen.height) };
  }

  /** Whether this page fills the window; a layer is placed by its owner. */
  fills(contents: WebContents | undefined): boolean {
    const place = this.#viewOf(contents)?.place;
    return place === 'page' || place === 'settings';
  }

  /** Keeps the lowest pixels of the window clear of a page that fills it; 0 gives them back. */
  makeRoom(contents: WebContents | undefined, height: number): void {
    this.#viewOf(contents)?.makeRoom(height);
  }

  /** Asks the window system for the screen and the keys, which it may refuse. */
  raise(): void {
    this.#window?.focus();
    this.#focus();
  }

  /** Ends the window and all pages in it. */
  stop(): void {
    const window = this.#window;
    this.#window = undefined;
    for (const view of [...this.#views]) view.remove();
    window?.destroy();
  }

  /**
   * Puts a view in the window, in its order. Not before it shows: a page that loads in the window takes the keys.
   */
  #place(window: BaseWindow, view: View): void {
    if (view.isPlaced) return;
    view.isPlaced = true;
    const index = this.#views.filter(({ isPlaced }) => isPlaced).indexOf(view);
    window.contentView.addChildView(view.native, index);
  }

  #open(): BaseWindow {
    const { width, height } = this.#electron.screen.getPrimaryDisplay().size;
    const window = new this.#electron.BaseWindow({
      // Without a window manager Chromium takes one pixel from a window that has exactly the size of the screen.
      ...{ width: width + 1, height: height + 1, x: 0, y: 0 },
      kiosk: true,
      frame: false,
      backgroundColor: '#000000',
      title: 'Faceplate',
      ...(this.#icon !== undefined && { icon: this.#icon }),
    });
    this.#window = window;
    window.on('close', (event) => event.preventDefault());
    window.on('resize', () => {
      for (const view of this.#views) view.fill();
    });
    window.on('focus', () => this.#focus());
    window.on('closed', () => this.#lost(window));
    return window;
  }

  /** Its pages cannot be moved to another window for certain: each of them comes anew, the lowest first. */
  #lost(window: BaseWindow): void {
    if (this.#window !== window) return;
    this.#window = undefined;
    const views = this.#views;
    this.#views = [];
    for (const view of views) view.lose();
  }

  #viewOf(contents: WebContents | undefined): View | undefined {
    return this.#views.find((view) => view.contents === contents);
  }

  #forget(view: View): void {
    this.#views = this.#views.filter((other) => other !== view);
    if (view.isPlaced) this.#window?.contentView.removeChildView(view.native);
    this.#focus();
  }

  /** The topmost page that takes the keys has them. Another program that has the keys keeps them. */
  #focus(): void {
    if (this.#isFocusDue) return;
    this.#isFocusDue = true;
    // Electron calls while it still gives the keys to another page: what is asked for meanwhile is lost.
    setTimeout(() => {
      this.#isFocusDue = false;
      if (this.#window?.isFocused() !== true) return;
      const top = this.#views.findLast(({ takesKeys }) => takesKeys);
      if (top !== undefined && !top.contents.isDestroyed() && !top.contents.isFocused()) top.contents.focus();
    });
  }
}

interface ViewParts extends Pick<ViewOptions, 'place' | 'onGone'> {
  readonly native: WebContentsView;
  readonly onChange: () => void;
  readonly onRemoved: () => void;
  /** It shows next. */
  readonly onShown: () => void;
  readonly size: () => PageSize;
}

class View implements PlacedView {
  readonly contents: WebContents;
  readonly place: ViewPlace;
  readonly native: WebContentsView;
  /** Whether it is in the window. */
  isPlaced = false;
  readonly #parts: ViewParts;
  #area: ScreenArea | 'screen' | undefined;
  #keys = false;
  /** Pixels below it that stay clear. */
  #room = 0;
  #isGone = false;

  constructor(parts: ViewParts) {
    this.#parts = parts;
    this.native = parts.native;
    this.place = parts.place;
    // The property is gone once the page has ended.
    this.contents = parts.native.webContents;
  }

  get takesKeys(): boolean {
    return this.#area !== undefined && this.#keys;
  }

  show(area: ScreenArea | 'screen', keys: boolean): void {
    if (this.#isGone) return;
    this.#area = area;
    this.#keys = keys;
    this.#parts.onShown();
    this.fill();
    this.native.setVisible(true);
    this.#parts.onChange();
  }

  hide(): void {
    if (this.#isGone || this.#area === undefined) return;
    this.#area = undefined;
    this.native.setVisible(false);
    this.#parts.onChange();
  }

  whiten(): void {
    if (!this.#isGone) this.native.setBackgroundColor('#FFFFFF');
  }

  makeRoom(height: number): void {
    this.#room = height;
    this.fill();
  }

  remove(): void {
    if (this.#isGone) return;
    this.#end();
    this.#parts.onRemoved();
  }

  /** The window is gone. */
  lose(): void {
    if (this.#isGone) return;
    this.#end();
    this.#parts.onGone();
  }

  /** Takes its part of the window, which may have another size now. */
  fill(): void {
    if (this.#isGone) return;
    const { width, height } = this.#parts.size();
    const whole = { x: 0, y: 0, width, height: Math.max(1, height - this.#room) };
    this.native.setBounds(typeof this.#area === 'object' ? this.#area : whole);
  }

  #end(): void {
    this.#isGone = true;
    // Views end with their window, but not the pages in them.
    if (!this.contents.isDestroyed()) this.contents.close();
  }
}
