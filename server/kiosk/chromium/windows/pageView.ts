import type { Rotation } from '../../../parts/display/contract.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { PageSize } from '../../host.ts';
import type { CdpSend } from '../process/cdpProtocol.ts';
import type { OpenedWindow } from './targetTracker.ts';
import { askDocument } from './windowCommands.ts';
import type { WindowPlaces } from './windowPlaces.ts';

/** Size of the screen in pixels of the page, and how many pixels of the screen one of them has. */
const MEASURE = '[screen.width, screen.height, devicePixelRatio]';
/** No screen is wider; a page can say what it likes. */
const MAX_SIZE = 16_384;

interface Measures {
  readonly width: number;
  readonly height: number;
  readonly ratio: number;
}

/**
 * Zoom of the kiosk page, its turn where there is no screen to turn, and the room below a page for the keys. All stay
 * with the window: also a page that loads later, its frames and a new renderer have them. The page sees what it would
 * see of the browser's own zoom: fewer pixels, each larger, and a `devicePixelRatio` that is right.
 */
export class PageView {
  readonly #clock: Clock;
  #zoom = 1;
  #rotation: Rotation = 0;
  /** The page above the keys, and how many pixels of the screen they take. */
  #room: { readonly sessionId: string; readonly height: number } | undefined;
  /** Of the kiosk page: zoom and turn are for it alone. */
  #kiosk: string | undefined;
  /** What windows measured before anything was changed about them, by session. */
  readonly #measured = new Map<string, Measures>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Pixels of the window to one of the page. */
  get scale(): number {
    return this.#zoom;
  }

  /** Pixels of a picture of the page to one of the page: a turned page has the window to itself. */
  get pictureScale(): number {
    return this.#rotation === 0 ? this.#zoom : 1;
  }

  /** @param factor 0.25 to 5 */
  zoom(factor: number): void {
    this.#zoom = factor;
  }

  /** Turns the page itself. */
  turn(rotation: Rotation): void {
    this.#rotation = rotation;
  }

  /** The screen has another size: every page sees it as it is, to be measured, until its next `apply`. @throws CdpError */
  async release(send: CdpSend): Promise<void> {
    const sessions = [...this.#measured.keys()];
    this.#measured.clear();
    await Promise.all(
      sessions.map((sessionId) => send('Emulation.clearDeviceMetricsOverride', {}, sessionId)),
    );
  }

  /** The window of the kiosk page: gives it what is wanted. @throws CdpError */
  async apply(send: CdpSend, sessionId: string): Promise<void> {
    this.#kiosk = sessionId;
    await this.#apply(send, sessionId);
  }

  /** Keeps room below a page that fills the screen. @param height pixels of the screen; 0: none @throws CdpError */
  async makeRoom(send: CdpSend, sessionId: string, height: number): Promise<void> {
    this.#room = height === 0 ? undefined : { sessionId, height };
    await this.#apply(send, sessionId);
  }

  async #apply(send: CdpSend, sessionId: string): Promise<void> {
    const isKiosk = sessionId === this.#kiosk;
    const [zoom, rotation] = isKiosk ? [this.#zoom, this.#rotation] : [1, 0 as const];
    const room = this.#room?.sessionId === sessionId ? this.#room.height : 0;
    const before = this.#measured.get(sessionId);
    if (zoom === 1 && rotation === 0 && room === 0) {
      if (before !== undefined) await send('Emulation.clearDeviceMetricsOverride', {}, sessionId);
      this.#measured.delete(sessionId);
      return;
    }
    const { width, height, ratio } = before ?? (await measure(send, this.#clock, sessionId));
    this.#measured.set(sessionId, { width, height, ratio });
    const [across, down] = rotation % 180 === 0 ? [width, height] : [height, width];
    const params = {
      width: Math.round(across / zoom),
      height: Math.max(1, Math.round((down - room) / zoom)),
      deviceScaleFactor: ratio * zoom,
      scale: zoom,
      mobile: false,
      // Otherwise the browser makes the page's part of the window as small as the page's own pixels are few, and a zoomed
      // page ends in the middle of the screen. A turned page needs the other size, and has no screen.
      dontSetVisibleSize: rotation === 0,
      ...((rotation !== 0 || room > 0) && { screenWidth: across, screenHeight: down }),
      ...(rotation !== 0 && { screenOrientation: orientationOf(rotation) }),
    };
    await send('Emulation.setDeviceMetricsOverride', params, sessionId);
  }

  forget(sessionId: string): void {
    this.#measured.delete(sessionId);
  }
}

async function measure(send: CdpSend, clock: Clock, sessionId: string): Promise<Measures> {
  const question = { expression: MEASURE, returnByValue: true, silent: true };
  const { result } = await askDocument(send, clock, sessionId, question);
  const [width, height, ratio] = (Array.isArray(result.value) ? result.value : []).map(Number);
  const size = (value: number | undefined, other: number) =>
    value !== undefined && value >= 1 && value <= MAX_SIZE ? Math.round(value) : other;
  return {
    width: size(width, 1280),
    height: size(height, 800),
    ratio: ratio !== undefined && ratio > 0 && ratio <= 8 ? ratio : 1,
  };
}

function orientationOf(rotation: Rotation) {
  const types = {
    0: 'landscapePrimary',
    90: 'portraitPrimary',
    180: 'landscapeSecondary',
    270: 'portraitSecondary',
  } as const;
  return { type: types[rotation], angle: rotation };
}

interface PageOnScreenOptions {
  /** The kiosk page; undefined while its window is not open. */
  readonly page: () => OpenedWindow | undefined;
  readonly send: CdpSend;
  readonly places: WindowPlaces;
  readonly view: PageView;
  readonly screenSize: () => PageSize;
  /** The screen was measured, in pixels of the page. */
  readonly onScreen: (size: PageSize) => void;
  readonly clock: Clock;
}

/** How long windows may take to hear that the screen has turned, and the pause between two looks, in milliseconds. */
const TURN_MS = 2_000;
const TURN_EVERY_MS = 50;

/** Fits the kiosk page to the screen: its window, its zoom and its turn. */
export class PageOnScreen {
  readonly #options: PageOnScreenOptions;

  constructor(options: PageOnScreenOptions) {
    this.#options = options;
  }

  /** Lets a new window of the page fill the screen. @throws CdpError */
  async fill(): Promise<void> {
    const { places, onScreen } = this.#options;
    const page = this.#options.page();
    if (page === undefined) return;
    await places.adopt('page', page);
    onScreen(await places.fill(page));
    await this.applyView();
  }

  /** Gives the page the zoom and the turn that are wanted. @throws CdpError */
  async applyView(): Promise<void> {
    const { page, view, send } = this.#options;
    const shown = page();
    if (shown !== undefined) await view.apply(send, shown.sessionId);
  }

  /** @see Browser.screenChanged */
  async changed(lies: boolean): Promise<void> {
    const page = this.#options.page();
    if (page === undefined) return;
    const { places, view, send, screenSize, onScreen, clock } = this.#options;
    const before = screenSize();
    // What is emulated would be measured else.
    await view.release(send);
    const began = clock.now();
    let size = await places.fill(page);
    while (lies && size.width === before.width && clock.now() - began < TURN_MS) {
      await new Promise<void>((resolve) => clock.after(TURN_EVERY_MS, resolve));
      size = await places.fill(page);
    }
    onScreen(size);
    await this.applyView();
  }
}
