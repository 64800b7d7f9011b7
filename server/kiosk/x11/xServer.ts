import type { Composite, XConnection, XEvent, XRequests } from 'x11';
import type { Logger } from '../../platform/log.ts';
import type { ScreenArea } from '../host.ts';

interface XServerOptions {
  /** As in DISPLAY. */
  readonly display: string;
  /** Something happened to a window of the screen, or a framed one got the keys. */
  readonly onEvent: (event: XEvent) => void;
  /** The connection is gone. */
  readonly onEnd: () => void;
  readonly log: Logger;
}

/** How long the server may take to answer, in milliseconds. */
const ANSWER_MS = 5_000;
/** Longest title that is read, in words of 4 bytes. */
const TITLE_WORDS = 256;
/** Any type of a property, the input focus where the pointer is, and events to hear of (X11/X.h). */
const ANY = 0;
const POINTER_ROOT = 1;
/** The sizes that a window wants (Xatom.h). */
const WM_NORMAL_HINTS = 40;
/** The program that a window belongs to (Xatom.h, ICCCM 4.1.2.5). */
const WM_CLASS = 67;
const EVENT_MASK = {
  StructureNotify: 1 << 17,
  SubstructureNotify: 1 << 19,
  SubstructureRedirect: 1 << 20,
  FocusChange: 1 << 21,
} as const;

/** What the stack of windows needs of an X server, over a connection of its own. Errors of windows that are gone are dropped. */
export class XServer {
  readonly #client: XRequests;
  readonly #connection: XConnection;
  readonly root: number;
  readonly width: number;
  readonly height: number;
  readonly #ownBits: number;
  #titles: readonly number[] = [];
  #isCovered = false;

  private constructor(connection: XConnection, client: XRequests, screen: Screen, ownBits: number) {
    this.#connection = connection;
    this.#client = client;
    this.#ownBits = ownBits;
    this.root = screen.root;
    this.width = screen.pixel_width;
    this.height = screen.pixel_height;
  }

  /** @throws Error when there is no such server, or it refuses us */
  static async connect({ display, onEvent, onEnd, log }: XServerOptions): Promise<XServer> {
    // Large, and loaded only where there is an X server.
    const { default: x11 } = await import('x11');
    const opened = Promise.withResolvers<{ client: XRequests; screen: Screen; ownBits: number }>();
    const connection = x11.createClient({ display }, (error, answer) => {
      if (error) return opened.reject(error);
      const { client, screen, resource_mask } = answer;
      opened.resolve({ client, screen: screen[0]!, ownBits: resource_mask });
    });
    connection.on('error', (error) => log.debug({ err: error }, 'x11: request refused'));
    connection.on('end', onEnd);
    connection.on('event', onEvent);
    const timer = setTimeout(() => opened.reject(new Error('The X server does not answer.')), ANSWER_MS);
    try {
      const { client, screen, ownBits } = await opened.promise;
      const server = new XServer(connection, client, screen, ownBits);
      client.ChangeWindowAttributes(server.root, { eventMask: EVENT_MASK.SubstructureNotify });
      server.#titles = [await server.#atom('_NET_WM_NAME'), await server.#atom('WM_NAME')];
      return server;
    } finally {
      clearTimeout(timer);
    }
  }

  close(): void {
    this.#connection.terminate();
  }

  /** The window with this in its title (the browser may add its own name), also inside the frame of a window manager. */
  async find(title: string): Promise<number | undefined> {
    for await (const level of this.#levels()) {
      const titles = await Promise.all(level.map((id) => this.#titleOf(id)));
      const at = titles.findIndex((text) => text.includes(title));
      if (at >= 0) return level[at];
    }
    return undefined;
  }

  /** The programs that have windows of this class, as `programOf` names them. */
  async programs(name: RegExp): Promise<Set<number>> {
    const found = new Set<number>();
    for await (const level of this.#levels()) {
      const names = await Promise.all(level.map((id) => this.classOf(id)));
      for (const [at, id] of level.entries()) if (name.test(names[at]!)) found.add(this.programOf(id));
    }
    return found;
  }

  /** Which program has made a window: a number, the same for all its windows. */
  programOf(id: number): number {
    return Math.floor(id / (this.#ownBits + 1));
  }

  /** The windows of the screen, then those in them, and so on: what window managers put around them is not deep. */
  async *#levels(): AsyncGenerator<readonly number[]> {
    let level: readonly number[] = [this.root];
    for (let depth = 0; depth < 4; depth++) {
      const trees = await Promise.all(level.map((id) => this.tree(id)));
      level = trees.flatMap(({ children }) => children);
      yield level;
    }
  }

  /** Parent of a window, and its children from below; nothing for a window that is gone. */
  tree(id: number): Promise<{ readonly parent: number; readonly children: readonly number[] }> {
    return new Promise((resolve) =>
      this.#client.QueryTree(id, (error, tree) => resolve(error ? { parent: 0, children: [] } : tree)),
    );
  }

  /** The window that has the keys. */
  focus(): Promise<number> {
    return new Promise((resolve) =>
      this.#client.GetInputFocus((error, answer) => resolve(error ? POINTER_ROOT : answer.focus)),
    );
  }

  /**
   * A black window above all, which no window manager touches, around a window that one may have had before. It is not
   * mapped, so neither is seen.
   */
  createFrame(inner: number): number {
    const frame = this.#client.AllocID();
    const values = { overrideRedirect: 1, backgroundPixel: 0 };
    this.#client.CreateWindow(frame, this.root, 0, 0, 1, 1, 0, 0, 0, 0, values);
    this.#client.ChangeWindowAttributes(inner, { eventMask: EVENT_MASK.FocusChange });
    // When this connection ends, the window lives on.
    this.#client.ChangeSaveSet(true, inner);
    this.#client.ReparentWindow(inner, frame, 0, 0);
    return frame;
  }

  /** Gives a window back to the screen, where it shows if it wants to. */
  endFrame(frame: number, inner: number): void {
    this.#client.GetWindowAttributes(inner, (error, attributes) => {
      const isMapped = !error && attributes.mapState !== 0;
      // Mapped anew, so that a window manager takes it.
      this.#client.UnmapWindow(inner);
      this.#client.ReparentWindow(inner, this.root, 0, 0);
      this.#client.ChangeSaveSet(false, inner);
      if (isMapped) this.#client.MapWindow(inner);
      this.#client.DestroyWindow(frame);
    });
  }

  destroy(frame: number): void {
    this.#client.DestroyWindow(frame);
  }

  /** Places a frame, and tells the window in it where it is. */
  place(frame: number, inner: number, x: number, y: number, width: number, height: number): void {
    this.#client.ConfigureWindow(frame, { x, y, width, height });
    this.#client.ConfigureWindow(inner, { x: 0, y: 0, width, height });
    const told = { name: 'ConfigureNotify', seq: 0, wid: inner, wid1: inner, aboveSibling: 0 };
    this.#client.SendEvent(inner, 0, EVENT_MASK.StructureNotify, {
      ...told,
      ...{ x, y, width, height, borderWidth: 0, overrideRedirect: 0 },
    });
  }

  /** Places a window of the browser, also smaller than it wants to be: window managers ask its hints (ICCCM 4.1.2.3). */
  resize(id: number, { x, y, width, height }: ScreenArea): void {
    const [left, top, wide, high] = [x, y, width, height].map(Math.round) as [number, number, number, number];
    this.#client.DeleteProperty(id, WM_NORMAL_HINTS);
    this.#client.ConfigureWindow(id, { x: left, y: top, width: wide, height: high });
  }

  map(id: number): void {
    this.#client.MapWindow(id);
  }

  /** Takes a window off the screen, and from its window manager (ICCCM 4.1.4). */
  withdraw(id: number): void {
    this.#client.UnmapWindow(id);
    const told = { name: 'UnmapNotify', seq: 0, event: this.root, wid: id, fromConfigure: false };
    this.#client.SendEvent(this.root, 0, EVENT_MASK.SubstructureNotify, told);
  }

  unmap(id: number): void {
    this.#client.UnmapWindow(id);
  }

  raise(id: number): void {
    this.#client.ConfigureWindow(id, { stackMode: 0 });
  }

  giveKeys(id: number): void {
    this.#client.SetInputFocus(id, POINTER_ROOT);
  }

  /**
   * Makes the screen black, whatever opens, moves or raises itself, or ends that. By the window of the extension Composite
   * that is above all others; it takes all touches. Only on a bare server: a compositor draws into this window, and
   * what a window manager shows beside the kiosk is not ours.
   */
  async cover(isCovered: boolean): Promise<void> {
    if (isCovered === this.#isCovered || (isCovered && !(await this.#isBare()))) return;
    const client = this.#client;
    const composite = await new Promise<Composite | undefined>((resolve) =>
      client.require('composite', (error, extension) => resolve(error ? undefined : extension)),
    );
    if (composite === undefined) return;
    this.#isCovered = isCovered;
    if (!isCovered) return composite.ReleaseOverlayWindow(this.root);
    composite.GetOverlayWindow(this.root, (error, overlay) => {
      if (error) return;
      client.ChangeWindowAttributes(overlay, { backgroundPixel: 0 });
      client.ClearArea(overlay, 0, 0, 0, 0, 0);
    });
  }

  /** Whether neither a window manager (ICCCM 4.1) nor a compositor (EWMH) runs. */
  async #isBare(): Promise<boolean> {
    const client = this.#client;
    const compositor = await this.#atom('_NET_WM_CM_S0');
    const [masks, owner] = await Promise.all([
      new Promise<number>((resolve) =>
        client.GetWindowAttributes(this.root, (error, answer) => resolve(error ? 0 : answer.allEventMasks)),
      ),
      new Promise<number>((resolve) =>
        client.GetSelectionOwner(compositor, (error, window) => resolve(error ? 0 : window)),
      ),
    ]);
    return (masks & EVENT_MASK.SubstructureRedirect) === 0 && owner === 0;
  }

  /** The names of the program that a window belongs to; empty until it says so. */
  classOf(id: number): Promise<string> {
    return this.#textOf(id, WM_CLASS);
  }

  async #titleOf(id: number): Promise<string> {
    for (const name of this.#titles) {
      const text = await this.#textOf(id, name);
      if (text !== '') return text;
    }
    return '';
  }

  #textOf(id: number, name: number): Promise<string> {
    return new Promise((resolve) =>
      this.#client.GetProperty(0, id, name, ANY, 0, TITLE_WORDS, (error, property) =>
        resolve(error ? '' : property.data.toString('latin1')),
      ),
    );
  }

  #atom(name: string): Promise<number> {
    return new Promise((resolve, reject) =>
      this.#client.InternAtom(false, name, (error, atom) => (error ? reject(error) : resolve(atom))),
    );
  }
}

interface Screen {
  readonly root: number;
  readonly pixel_width: number;
  readonly pixel_height: number;
}
