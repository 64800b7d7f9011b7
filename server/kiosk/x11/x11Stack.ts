import type { XEvent } from 'x11';
import { InTurn } from '../../platform/async.ts';
import { backgroundClock, type Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import type { LayerName } from '../builtInPageContract.ts';
import type { ScreenArea } from '../host.ts';
import { isLayer, LAYERS, type StackedWindow, type WindowStack } from '../windowStack.ts';
import { XServer } from './xServer.ts';

interface X11StackOptions {
  /** As in DISPLAY. */
  readonly display: string;
  readonly clock?: Clock;
  readonly log: Logger;
}

/** A layer's window, in a frame of ours. */
interface Framed {
  readonly inner: number;
  readonly frame: number;
}

interface Place {
  readonly area: ScreenArea | 'screen';
  readonly focus: boolean;
}

/** How long a window may take to come up, and how often it is looked for, in milliseconds. */
const FIND_MS = 5_000;
const FIND_EVERY_MS = 10;
/** How long a window manager may take to let go of a window, in milliseconds. */
const LET_GO_MS = 1_000;
/** What is smaller, in pixels, is no window of a page: the browser makes some for itself. */
const MIN_SIZE = 100;
/** The class of a browser's window, and how often a new one is asked for it, in milliseconds. It has one before it is mapped. */
const BROWSER = /chrom(?:e|ium)/i;
const CLASS_EVERY_MS = 1;
/** How often another window may come above a layer within a second before we give in until the next second. */
const RAISES_A_SECOND = 20;

/**
 * Keeps layers above all other windows of an X server, with any window manager or none. Each layer is in a window of
 * ours that no window manager manages (override-redirect): it is placed as we say, keeps its size whatever the browser
 * wants, and takes no keys by a touch. The browser's window in it never learns whether it is seen.
 */
export class X11Stack implements WindowStack {
  readonly windows = 'tabs';
  readonly #options: X11StackOptions;
  readonly #clock: Clock;
  readonly #framed = new Map<LayerName, Framed>();
  readonly #shown = new Map<LayerName, Place>();
  /** Windows that opened while one of a layer was to open. */
  #caught: Framed[] = [];
  #catching = 0;
  /** The browsers on this screen: their windows need not be asked for their class. */
  #browsers: ReadonlySet<number> = new Set();
  #server: XServer | undefined;
  /** The black window of a sleeping panel is above: no layer is visible. */
  #isDark = false;
  /** The window below the layers that had the keys last. */
  #keysAt: number | undefined;
  #settling: Promise<void> | undefined;
  #isStale = false;
  #raises = 0;
  #cancelPause: (() => void) | undefined;
  #covering = new InTurn();

  constructor(options: X11StackOptions) {
    this.#options = options;
    this.#clock = options.clock ?? backgroundClock;
  }

  async start(): Promise<void> {
    if (this.#server !== undefined) return;
    this.#server = await XServer.connect({
      ...this.#options,
      onEvent: (event) => this.#onEvent(event),
      onEnd: () => this.#forgetAll(),
    });
  }

  async stop(): Promise<void> {
    this.#server?.close();
    this.#forgetAll();
  }

  async adopt(window: StackedWindow, title: string): Promise<void> {
    if (window === 'blank') {
      this.#isDark = true;
      this.#showAll();
    }
    if (!isLayer(window)) return;
    const server = this.#mustServer();
    const inner = await this.#find(server, title);
    const caught = this.#caught.find((one) => one.inner === inner);
    const { parent } = await server.tree(inner);
    const isCaught = caught?.frame === parent;
    const frame = isCaught ? parent : await this.#takeFromScreen(server, inner);
    this.#caught = this.#caught.filter((one) => one !== caught);
    if (caught !== undefined && !isCaught) server.destroy(caught.frame);
    server.place(frame, inner, 0, 0, server.width, server.height);
    server.map(inner);
    this.#framed.set(window, { inner, frame });
    // On a busy machine it was mapped before it was caught.
    if (!isCaught) await this.#giveKeys(server);
  }

  /**
   * The window of a layer is about to open: it goes into a frame of ours before it is mapped, so that it neither covers the
   * page nor takes the keys. What else a browser opens until then does too, and shows a moment later.
   */
  layerOpens(): () => void {
    this.#catching++;
    if (this.#server !== undefined) void this.#lookAround(this.#server);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      if (--this.#catching > 0) return;
      for (const { inner, frame } of this.#caught.splice(0)) this.#server?.endFrame(frame, inner);
    };
  }

  /** @returns its frame */
  async #takeFromScreen(server: XServer, inner: number): Promise<number> {
    server.withdraw(inner);
    for (let waited = 0; waited < LET_GO_MS; waited += FIND_EVERY_MS) {
      if ((await server.tree(inner)).parent === server.root) break;
      await this.#wait(FIND_EVERY_MS);
    }
    return server.createFrame(inner);
  }

  async fit(title: string, area: ScreenArea): Promise<void> {
    const server = this.#mustServer();
    server.resize(await this.#find(server, title), area);
  }

  cover(isCovered: boolean): void {
    void this.#covering.follow(
      () => this.#server?.cover(isCovered),
      (err) => this.#options.log.debug({ err }, 'x11: could not cover the screen'),
    );
  }

  forget(window: StackedWindow): void {
    if (window === 'blank') {
      this.#isDark = false;
      this.#showAll();
    }
    if (!isLayer(window)) return;
    const framed = this.#framed.get(window);
    this.#framed.delete(window);
    this.#shown.delete(window);
    if (framed !== undefined) this.#server?.destroy(framed.frame);
  }

  async show(layer: LayerName, area: ScreenArea | 'screen', focus: boolean): Promise<void> {
    const server = this.#mustServer();
    const framed = this.#framed.get(layer);
    if (framed === undefined) return;
    await this.#noteKeys(server);
    this.#shown.set(layer, { area, focus });
    const { x, y, width, height } =
      area === 'screen' ? { x: 0, y: 0, width: server.width, height: server.height } : area;
    const [left, top] = [Math.round(x), Math.round(y)];
    const size = [
      Math.max(1, Math.round(x + width) - left),
      Math.max(1, Math.round(y + height) - top),
    ] as const;
    server.place(framed.frame, framed.inner, left, top, ...size);
    if (this.#isDark) return;
    server.map(framed.frame);
    await this.#settle();
    await this.#giveKeys(server);
  }

  async hide(layer: LayerName): Promise<void> {
    const framed = this.#framed.get(layer);
    if (!this.#shown.delete(layer) || framed === undefined) return;
    const server = this.#mustServer();
    await this.#giveKeys(server);
    server.unmap(framed.frame);
  }

  #mustServer(): XServer {
    if (this.#server === undefined) throw new Error('The X server is gone.');
    return this.#server;
  }

  async #find(server: XServer, title: string): Promise<number> {
    for (let waited = 0; waited < FIND_MS; waited += FIND_EVERY_MS) {
      const id = await server.find(title);
      if (id !== undefined) return id;
      await this.#wait(FIND_EVERY_MS);
    }
    throw new Error('The X server shows no such window.');
  }

  #onEvent(event: XEvent): void {
    const { name, wid, mode } = event;
    const server = this.#server;
    if (server === undefined) return;
    if (name === 'CreateNotify' && this.#catching > 0) void this.#catch(server, event);
    if ((name === 'FocusIn' || name === 'FocusOut') && mode === 0) {
      const layer = LAYERS.find((one) => this.#framed.get(one)?.inner === wid);
      const wantsKeys = layer !== undefined && this.#shown.get(layer)?.focus === true;
      // A touch gives a window the keys where no window manager is asked; the browser or a window manager may take them
      // from a layer that has just come up.
      if (layer !== undefined && wantsKeys === (name === 'FocusOut')) void this.#takeKeysBack(server);
    } else if (this.#shown.size > 0) void this.#settle();
  }

  async #catch(
    server: XServer,
    { wid, parent, width = 0, height = 0, overrideRedirect }: XEvent,
  ): Promise<void> {
    if (parent !== server.root || overrideRedirect || width < MIN_SIZE || height < MIN_SIZE) return;
    let isBrowser = this.#browsers.has(server.programOf(wid));
    for (let program = ''; !isBrowser && program === '' && this.#catching > 0; ) {
      program = await server.classOf(wid);
      isBrowser = BROWSER.test(program);
      if (program === '') await this.#wait(CLASS_EVERY_MS);
    }
    if (isBrowser && this.#catching > 0) this.#caught.push({ inner: wid, frame: server.createFrame(wid) });
  }

  async #lookAround(server: XServer): Promise<void> {
    await this.#noteKeys(server);
    this.#browsers = await server.programs(BROWSER);
  }

  /** Remembers which window below the layers has the keys. */
  async #noteKeys(server: XServer): Promise<void> {
    const focus = await server.focus();
    const isOurs = [...this.#framed.values()].some(({ inner, frame }) => [inner, frame].includes(focus));
    // Small numbers stand for no window, and for the one under the pointer.
    if (!isOurs && focus > 1 && focus !== server.root) this.#keysAt = focus;
  }

  /** The keys go to the topmost layer that wants them, else back to the window that had them. */
  async #giveKeys(server: XServer): Promise<void> {
    if (this.#isDark) return;
    const wanting = LAYERS.toReversed().find((layer) => this.#shown.get(layer)?.focus);
    const target = wanting === undefined ? this.#keysAt : this.#framed.get(wanting)?.inner;
    if (target !== undefined && (await server.focus()) !== target) server.giveKeys(target);
  }

  /** At most as often in a second as layers are raised, against one that takes them each time. */
  async #takeKeysBack(server: XServer): Promise<void> {
    if (this.#cancelPause !== undefined) return;
    this.#countRaise();
    await this.#giveKeys(server);
  }

  #showAll(): void {
    for (const [layer] of this.#shown) {
      const frame = this.#framed.get(layer)?.frame;
      if (frame === undefined) continue;
      if (this.#isDark) this.#server?.unmap(frame);
      else this.#server?.map(frame);
    }
    void this.#settle();
  }

  /** Puts the layers above everything again where another window came there. Calls during the work cause one more round. */
  #settle(): Promise<void> {
    this.#isStale = true;
    if (this.#cancelPause !== undefined) return Promise.resolve();
    this.#settling ??= this.#order().finally(() => {
      this.#settling = undefined;
    });
    return this.#settling;
  }

  async #order(): Promise<void> {
    while (this.#isStale) {
      this.#isStale = false;
      const server = this.#server;
      if (server === undefined || this.#isDark) return;
      await this.#noteKeys(server);
      const { children } = await server.tree(server.root);
      const frames = LAYERS.filter((layer) => this.#shown.has(layer)).map(
        (layer) => this.#framed.get(layer)?.frame,
      );
      const top = children.slice(children.length - frames.length);
      if (frames.every((frame, at) => frame === top[at])) continue;
      this.#countRaise();
      for (const frame of frames) if (frame !== undefined) server.raise(frame);
    }
  }

  /** A window that keeps coming above, or keeps taking the keys, must not keep us busy. */
  #countRaise(): void {
    if (this.#raises++ === 0) this.#clock.after(1_000, () => (this.#raises = 0));
    if (this.#raises < RAISES_A_SECOND) return;
    this.#cancelPause = this.#clock.after(1_000, () => {
      this.#cancelPause = undefined;
      if (this.#isStale) void this.#settle();
      if (this.#server !== undefined) void this.#giveKeys(this.#server);
    });
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => this.#clock.after(ms, resolve));
  }

  #forgetAll(): void {
    this.#server = undefined;
    // What the server has not answered yet, it never will.
    this.#covering = new InTurn();
    this.#framed.clear();
    this.#shown.clear();
    this.#caught = [];
    this.#browsers = new Set();
    this.#cancelPause?.();
    this.#cancelPause = this.#keysAt = undefined;
    this.#isDark = false;
  }
}
