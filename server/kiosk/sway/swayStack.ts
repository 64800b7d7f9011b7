import { backgroundClock, type Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import type { SwayIpc } from '../../platform/sway/swayIpc.ts';
import type { SwayWindow } from '../../platform/sway/tree.ts';
import type { LayerName } from '../builtInPageContract.ts';
import type { ScreenArea } from '../host.ts';
import { isLayer, LAYERS, type StackedWindow, type WindowStack } from '../windowStack.ts';

interface SwayStackOptions {
  readonly ipc: SwayIpc;
  readonly log: Logger;
  readonly clock?: Clock;
}

interface Place {
  readonly area: ScreenArea | 'screen';
  readonly focus: boolean;
}

/** What floats above the windows that fill the screen, from below. */
const ABOVE: readonly StackedWindow[] = [...LAYERS, 'blank'];
/** Where a hidden layer waits, in pixels below the upper edge: beyond every screen. build/linux/screen/sway.conf says the same. */
const BEYOND = 20_000;
/** Brings what floats above all others, and leaves the keys where they are: to another workspace and back, in one picture. */
const RAISE =
  'sticky disable, move container to workspace beyond, move container to workspace current, sticky enable';
const OVER_ALL = 'resize set width 100 ppt height 100 ppt, move absolute position 0 px 0 px';
/** How long a window may take to come up, in milliseconds. */
const ADOPT_MS = 5_000;
/** When windows are sized once more after the screen has changed, each after the one before, in milliseconds. */
const FIT_AGAIN_MS: readonly number[] = [250, 1_000];

/**
 * Orders the windows on a panel whose compositor is sway. Kiosk page, settings page and each window of a launched program
 * are tiled, each on a workspace of its own, of which one is seen; the page runs on in the others. Layers float above all
 * workspaces, so a press on what is below never raises it. A window is found once, by a title that no one else can know,
 * and then by its number: what a page calls itself, and what it asks for, changes nothing. Full screen would cover the
 * layers, so it is taken back from every window.
 */
export class SwayStack implements WindowStack {
  readonly windows = 'apps';
  readonly #options: SwayStackOptions;
  readonly #clock: Clock;
  readonly #ids = new Map<StackedWindow, number>();
  readonly #shown = new Map<LayerName, Place>();
  /** What fills the screen, from below: the page, the settings page, windows of launched programs. */
  #bases: number[] = [];
  /** Process of the browser whose windows these are. */
  #browser: number | undefined;
  #settling: Promise<void> | undefined;
  #isStale = false;
  #unlisten = () => {};
  #cancelFit = () => {};

  constructor(options: SwayStackOptions) {
    this.#options = options;
    this.#clock = options.clock ?? backgroundClock;
  }

  async start(): Promise<void> {
    const { ipc } = this.#options;
    this.#unlisten();
    this.#unlisten = ipc.listen({
      onWindow: (change, window) => this.#follow(change, window),
      onOutput: () => this.#fitSoon(),
    });
    await ipc.ready();
  }

  async stop(): Promise<void> {
    this.#unlisten();
    this.#cancelFit();
    this.#ids.clear();
    this.#shown.clear();
    this.#bases = [];
    this.#browser = undefined;
  }

  async adopt(window: StackedWindow, title: string): Promise<void> {
    const { id, pid } = await this.#find(title);
    if (!ABOVE.includes(window)) this.#ids.set(window, id);
    await this.#do(`[con_id=${id}] fullscreen disable, border none, opacity 1`);
    if (window === 'page') {
      this.#browser = pid;
      this.#bases.unshift(id);
      await this.#fill(id);
      for (const other of await this.#options.ipc.windows())
        if (other.pid !== pid && !this.#bases.includes(other.id)) await this.#launched(other.id);
    } else if (window === 'settings') {
      this.#bases.push(id);
      await this.#fill(id);
    } else {
      if (isLayer(window)) this.#shown.delete(window);
      await this.#do(
        `[con_id=${id}] move container to workspace current, floating enable, sticky enable, ${this.#placeOf(window)}`,
      );
      // Before it has its place, it has none in the order either.
      this.#ids.set(window, id);
    }
    await this.#front();
    await this.#settle();
  }

  forget(window: StackedWindow): void {
    const id = this.#ids.get(window);
    this.#ids.delete(window);
    if (isLayer(window)) this.#shown.delete(window);
    if (window === 'page') this.#browser = undefined;
    if (id !== undefined) this.#closed(id);
  }

  async show(layer: LayerName, area: ScreenArea | 'screen', focus: boolean): Promise<void> {
    const id = this.#ids.get(layer);
    if (id === undefined) return;
    const wasSeen = this.#shown.has(layer);
    this.#shown.set(layer, { area, focus });
    if (!wasSeen) {
      // Beyond the screen it would draw in its new size only after sway's patience, 200 ms. So it draws in its place,
      // unseen.
      const { x, y } = area === 'screen' ? { x: 0, y: 0 } : area;
      await this.#do(
        `[con_id=${id}] opacity 0, move absolute position ${Math.round(x)} px ${Math.round(y)} px`,
      );
    }
    await this.#do(`[con_id=${id}] ${this.#placeOf(layer)}`);
    await this.#do(`[con_id=${id}] opacity 1`);
    await this.#giveKeys();
  }

  async hide(layer: LayerName): Promise<void> {
    const id = this.#ids.get(layer);
    if (!this.#shown.delete(layer) || id === undefined) return;
    await this.#do(`[con_id=${id}] ${this.#placeOf(layer)}`);
    await this.#giveKeys();
  }

  /** Waits for the window with this title. */
  async #find(title: string): Promise<SwayWindow> {
    const { ipc } = this.#options;
    const found = Promise.withResolvers<SwayWindow>();
    const unlisten = ipc.listen({
      onWindow: (_, window) => window.name.includes(title) && found.resolve(window),
    });
    const cancel = this.#clock.after(ADOPT_MS, () =>
      found.reject(new Error('The compositor shows no such window.')),
    );
    try {
      const known = (await ipc.windows()).find(({ name }) => name.includes(title));
      return known ?? (await found.promise);
    } finally {
      found.promise.catch(() => {});
      cancel();
      unlisten();
    }
  }

  #follow(change: string, window: SwayWindow): void {
    const { id, pid, isFullScreen } = window;
    if (isFullScreen && (change === 'fullscreen_mode' || change === 'new'))
      this.#do(`[con_id=${id}] fullscreen disable`).catch(this.#onLate);
    if (change === 'new' && this.#browser !== undefined && pid !== this.#browser)
      this.#launched(id).catch(this.#onLate);
    // A touch gives a window the keys, also a layer that does not want them.
    if (change === 'focus' && id !== this.#wanting() && (this.#isAbove(id) || this.#ids.has('blank')))
      this.#giveKeys().catch(this.#onLate);
    if (change === 'new' || change === 'focus' || change === 'floating') this.#settle().catch(this.#onLate);
    if (change === 'close') this.#closed(id);
  }

  /** A window of a launched program: it fills the screen until it is closed. */
  async #launched(id: number): Promise<void> {
    this.#bases.push(id);
    try {
      await this.#fill(id);
    } catch (error) {
      // It was closed before sway reported that it had opened.
      this.#bases = this.#bases.filter((base) => base !== id);
      if ((error as NodeJS.ErrnoException).code !== 'EIO') throw error;
      return this.#onLate(error as Error);
    }
    await this.#front();
    await this.#settle();
  }

  #closed(id: number): void {
    const wasBase = this.#bases.includes(id);
    this.#bases = this.#bases.filter((base) => base !== id);
    (wasBase ? this.#front() : this.#giveKeys()).catch(this.#onLate);
  }

  /** A window alone on its workspace fills the screen. */
  #fill(id: number): Promise<void> {
    return this.#do(`[con_id=${id}] floating disable, move container to workspace window${id}`);
  }

  /** Brings the uppermost of the windows that fill the screen to sight. */
  async #front(): Promise<void> {
    const top = this.#bases.at(-1);
    if (top === undefined) return;
    const wanting = this.#wanting();
    await this.#arrange([`[con_id=${top}] focus`, ...(wanting === undefined ? [] : this.#focusOf(wanting))]);
  }

  /** The keys go to the uppermost window that wants them, else to the one that fills the screen. */
  async #giveKeys(): Promise<void> {
    const id = this.#wanting() ?? this.#bases.at(-1);
    if (id !== undefined) await this.#arrange(this.#focusOf(id));
  }

  /** The focus brings a window above others, also above those of ours that lie over it: these follow, in the same picture. */
  #focusOf(id: number): string[] {
    const ours = this.#floating();
    const above = ours.includes(id) ? ours.slice(ours.indexOf(id) + 1) : [];
    return [`[con_id=${id}] focus`, ...above.map(raise)];
  }

  /** Our windows that float, from below. */
  #floating(): number[] {
    return ABOVE.flatMap((window) => this.#ids.get(window) ?? []);
  }

  /** Runs commands on several windows. One of them may be gone by now, which its `close` will tell. */
  async #arrange(words: readonly string[]): Promise<void> {
    if (words.length === 0) return;
    await this.#do(words.join('; ')).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EIO') throw error;
      this.#onLate(error);
    });
  }

  #wanting(): number | undefined {
    const layers = (['glass', 'keys'] as const).filter((layer) => this.#shown.get(layer)?.focus);
    return [this.#ids.get('blank'), ...layers.map((layer) => this.#ids.get(layer))].find(
      (id) => id !== undefined,
    );
  }

  /** Puts what floats in its order again where another one came above. Calls during the work cause one more round. */
  #settle(): Promise<void> {
    this.#isStale = true;
    this.#settling ??= this.#order();
    return this.#settling;
  }

  async #order(): Promise<void> {
    try {
      while (this.#isStale) {
        this.#isStale = false;
        await this.#orderOnce();
      }
    } finally {
      this.#settling = undefined;
    }
  }

  async #orderOnce(): Promise<void> {
    const floating = (await this.#options.ipc.windows()).filter(({ isFloating }) => isFloating);
    const ours = this.#floating();
    const from = ours.findIndex((id) => {
      const above = floating.slice(floating.findIndex((window) => window.id === id) + 1);
      return above.some((other) => ours.includes(other.id) && ours.indexOf(other.id) < ours.indexOf(id));
    });
    if (from < 0) return;
    // This is seldom needed: after a press on one of them, and when one has opened. It must not be done by the focus: each
    // would bring a window that wants the keys above those over it, and so cause the next round, without end.
    await this.#arrange(ours.slice(from).map(raise));
    await this.#giveKeys();
  }

  /** Sway tells of a change of the output before it has arranged its workspaces: what is sized too early is sized again. */
  #fitSoon(): void {
    this.#cancelFit();
    const rest = [...FIT_AGAIN_MS];
    const fit = () => {
      this.#fit().catch(this.#onLate);
      const ms = rest.shift();
      this.#cancelFit = ms === undefined ? () => {} : this.#clock.after(ms, fit);
    };
    fit();
  }

  /** The screen was turned or has another size: what floats keeps its own, so all get it anew. */
  async #fit(): Promise<void> {
    const words = ABOVE.filter((window) => this.#ids.has(window)).map(
      (window) => `[con_id=${this.#ids.get(window)}] ${this.#placeOf(window)}`,
    );
    await this.#arrange(words);
  }

  #placeOf(window: StackedWindow): string {
    if (!isLayer(window)) return OVER_ALL;
    const area = this.#shown.get(window)?.area;
    if (area === undefined) return `opacity 0, move absolute position 0 px ${BEYOND} px`;
    if (area === 'screen') return OVER_ALL;
    const [x, y, width, height] = [area.x, area.y, area.width, area.height].map(Math.round);
    return `resize set width ${width} px height ${height} px, move absolute position ${x} px ${y} px`;
  }

  #isAbove(id: number): boolean {
    return ABOVE.some((window) => this.#ids.get(window) === id);
  }

  #do(words: string): Promise<void> {
    return this.#options.ipc.command(words);
  }

  readonly #onLate = (error: Error) =>
    this.#options.log.debug({ err: error }, 'sway: a window is already closed');
}

function raise(id: number): string {
  return `[con_id=${id}] ${RAISE}`;
}
