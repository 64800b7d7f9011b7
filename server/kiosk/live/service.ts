import type { Dialogue, Peer } from '../../contract/command.ts';
import { FaceplateError } from '../../contract/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { LiveWatch, LiveWatcher, PageSize } from '../host.ts';
import { type LiveInput, liveInput } from './contract.ts';

/** The window as the live screen needs it. */
export interface LiveWindow {
  /** One watch at a time. @throws FaceplateError UNSUPPORTED_HARDWARE without a window */
  watch(watcher: LiveWatcher): LiveWatch;
}

const MAX_VIEWERS = 4;

interface LiveScreenOptions {
  readonly window: LiveWindow;
  /** Whether the glass shows a question that only a person at the panel may answer. */
  readonly isAsking?: () => boolean;
  readonly clock: Clock;
}

/**
 * The kiosk page for viewers elsewhere. The window is watched only while there is a viewer. All viewers share one
 * finger: while one holds it down, the touches of the others do nothing.
 */
export class LiveScreen {
  readonly #options: LiveScreenOptions;
  readonly #viewers = new Set<LiveViewer>();
  #watch: LiveWatch | undefined;
  #picture: LivePicture | undefined;
  #fingerOf: LiveViewer | undefined;

  constructor(options: LiveScreenOptions) {
    this.#options = options;
  }

  /**
   * A place for one more viewer, taken until its end.
   * @throws FaceplateError CONFLICT for the fifth, UNSUPPORTED_HARDWARE without a window, HARDWARE_ERROR
   */
  join(): Dialogue {
    if (this.#viewers.size >= MAX_VIEWERS)
      throw new FaceplateError(
        'CONFLICT',
        `At most ${MAX_VIEWERS} viewers can watch the screen at one time.`,
      );
    this.#watch ??= this.#options.window.watch({
      onPicture: (jpeg, size) => {
        this.#picture = { jpeg, size };
        for (const viewer of this.#viewers) viewer.show(this.#picture);
      },
    });
    const viewer = new LiveViewer(this.#options.clock, {
      onOpen: () => this.#picture && viewer.show(this.#picture),
      onInput: (what) => this.#pass(viewer, what),
      onEnd: () => this.#leave(viewer),
    });
    this.#viewers.add(viewer);
    return viewer;
  }

  #pass(viewer: LiveViewer, what: LiveInput): void {
    // Only the page gets input from afar; no host may ever lead it to such a question. A finger is still lifted.
    if (what.type !== 'up' && this.#options.isAsking?.()) return;
    if (what.type !== 'text' && what.type !== 'key') {
      if (!this.#isInside(what)) return;
      if (what.type === 'down' || what.type === 'tap') {
        if (this.#fingerOf !== undefined) return;
        if (what.type === 'down') this.#fingerOf = viewer;
      } else if (this.#fingerOf !== viewer) return;
      if (what.type === 'up') this.#fingerOf = undefined;
    }
    this.#watch?.input(what);
  }

  /** A finger that leaves the page stays at its edge; it can touch down only on the page. */
  #isInside(what: { type: string; x: number; y: number }): boolean {
    const size = this.#picture?.size;
    if (size === undefined) return what.type === 'up';
    if (what.type === 'down' || what.type === 'tap') return what.x < size.width && what.y < size.height;
    what.x = Math.min(what.x, size.width - 1);
    what.y = Math.min(what.y, size.height - 1);
    return true;
  }

  #leave(viewer: LiveViewer): void {
    if (!this.#viewers.delete(viewer)) return;
    if (this.#fingerOf === viewer) {
      this.#fingerOf = undefined;
      this.#watch?.input({ type: 'up', x: viewer.at.x, y: viewer.at.y });
    }
    if (this.#viewers.size > 0) return;
    this.#watch?.stop();
    this.#watch = undefined;
    this.#picture = undefined;
  }
}

interface Listener {
  onOpen(): void;
  onInput(what: LiveInput): void;
  onEnd(): void;
}

/** One viewer, from its place in the list to its end. */
class LiveViewer implements Dialogue {
  readonly #clock: Clock;
  readonly #listener: Listener;
  #viewer: Viewer | undefined;
  /** Where its finger was last. */
  at = { x: 0, y: 0 };

  constructor(clock: Clock, listener: Listener) {
    this.#clock = clock;
    this.#listener = listener;
  }

  open(peer: Peer): void {
    this.#viewer = new Viewer(peer, this.#clock);
    this.#listener.onOpen();
  }

  show(picture: LivePicture): void {
    this.#viewer?.show(picture);
  }

  receive(message: string): void {
    const what = read(message);
    if (what === undefined) return;
    if ('x' in what) this.at = { x: what.x, y: what.y };
    this.#listener.onInput(what);
  }

  end(): void {
    this.#viewer?.stop();
    this.#viewer = undefined;
    this.#listener.onEnd();
  }
}

function read(message: string): LiveInput | undefined {
  try {
    return liveInput.safeParse(JSON.parse(message)).data;
  } catch {
    return undefined;
  }
}

/** Pictures of one viewer are at least this far apart, in milliseconds: ten a second. */
const PICTURE_EVERY_MS = 100;

interface LivePicture {
  readonly jpeg: Uint8Array;
  readonly size: PageSize;
}

/**
 * Sends one viewer its pictures: the newest one whenever it has taken the one before, so that a slow viewer sees fewer
 * pictures instead of late ones.
 */
class Viewer {
  readonly #peer: Peer;
  readonly #clock: Clock;
  #size: PageSize = { width: 0, height: 0 };
  #newest: LivePicture | undefined;
  #isTaking = false;
  #nextAt = Number.NEGATIVE_INFINITY;
  #cancel: (() => void) | undefined;

  constructor(peer: Peer, clock: Clock) {
    this.#peer = peer;
    this.#clock = clock;
  }

  show(picture: LivePicture): void {
    this.#newest = picture;
    this.#send();
  }

  /** Nothing is sent any more. */
  stop(): void {
    this.#newest = undefined;
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #send(): void {
    if (this.#newest === undefined || this.#isTaking || this.#cancel !== undefined) return;
    const wait = this.#nextAt - this.#clock.now();
    if (wait > 0) {
      this.#cancel = this.#clock.after(wait, () => {
        this.#cancel = undefined;
        this.#send();
      });
      return;
    }
    const { jpeg, size } = this.#newest;
    this.#newest = undefined;
    this.#nextAt = this.#clock.now() + PICTURE_EVERY_MS;
    this.#isTaking = true;
    if (size.width !== this.#size.width || size.height !== this.#size.height) {
      this.#size = size;
      const { width, height } = size;
      this.#peer.send(JSON.stringify({ type: 'size', width, height }));
    }
    this.#peer.send(jpeg, () => {
      this.#isTaking = false;
      this.#send();
    });
  }
}
