import type { Clock } from '../../../platform/clock.ts';
import type { PageSize } from '../../host.ts';
import type { ScreencastFrame } from '../process/cdpProtocol.ts';
import type { SendTo } from './target.ts';

/** Pictures are at least this far apart, in milliseconds: ten a second. */
const PICTURE_EVERY_MS = 100;
/** After so much silence the browser is asked for the current picture, in milliseconds. */
const SETTLED_MS = 100;
/** Pause before a cast that the browser refused is asked for again, in milliseconds. */
const RETRY_MS = 200;
/** Wide enough to read the text of a panel; larger pages are made smaller. */
const CAST = { format: 'jpeg', quality: 70, maxWidth: 1280, maxHeight: 1280 } as const;

interface ScreencastOptions {
  readonly send: SendTo;
  readonly onPicture: (jpeg: Uint8Array, size: PageSize) => void;
  /** A command failed because its target is gone. */
  readonly onLate: (error: Error) => void;
  readonly clock: Clock;
}

/**
 * The pictures of one target while it is watched (Page.startScreencast).
 *
 * The browser sends a picture whenever something was drawn, until a few of them (3, Chromium 156) are not acknowledged;
 * what is drawn then is lost, the last picture too. So only one is acknowledged each tenth of a second: soon there is
 * room for just one, and the browser makes no more pictures than viewers get. And once nothing comes any more, the cast
 * begins anew: its first picture is the current one. It is dropped if it is known already.
 */
export class Screencast {
  readonly #options: ScreencastOptions;
  #last = '';
  #held: ScreencastFrame | undefined;
  #session = -1;
  #isAnew = false;
  #nextAt = Number.NEGATIVE_INFINITY;
  #cancelTick: (() => void) | undefined;
  #cancelSettle: (() => void) | undefined;
  #cancelRetry: (() => void) | undefined;
  #isStopped = false;

  constructor(options: ScreencastOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#isStopped) return;
    this.#isAnew = true;
    const { send, clock, onLate } = this.#options;
    this.#cancelRetry?.();
    send('Page.startScreencast', CAST).catch((error: Error) => {
      onLate(error);
      // While one document replaces another, the browser refuses. A target that is gone will be stopped.
      if (!this.#isStopped) this.#cancelRetry = clock.after(RETRY_MS, () => this.start());
    });
  }

  /** Asks for the current picture, for example when another document has come. */
  renew(): void {
    this.#cancelSettle?.();
    this.#options.send('Page.stopScreencast', {}).catch(this.#options.onLate);
    this.start();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelTick?.();
    this.#cancelSettle?.();
    this.#cancelRetry?.();
    this.#options.send('Page.stopScreencast', {}).catch(this.#options.onLate);
  }

  take(frame: ScreencastFrame): void {
    if (this.#isStopped) return;
    const isFirst = this.#isAnew && frame.sessionId !== this.#session;
    this.#session = frame.sessionId;
    if (isFirst) this.#isAnew = false;
    this.#cancelSettle?.();
    this.#cancelSettle = undefined;
    const isKnown = frame.data === this.#last;
    if (isKnown) this.#held = undefined;
    else if (this.#options.clock.now() >= this.#nextAt) this.#show(frame);
    else this.#held = frame;
    this.#tickLater(isFirst && isKnown);
  }

  #show({ data, metadata }: ScreencastFrame): void {
    this.#held = undefined;
    this.#last = data;
    this.#nextAt = this.#options.clock.now() + PICTURE_EVERY_MS;
    const size = { width: Math.round(metadata.deviceWidth), height: Math.round(metadata.deviceHeight) };
    this.#options.onPicture(Buffer.from(data, 'base64'), size);
  }

  /** @param isStanding the picture was only asked for to see that it is the last one */
  #tickLater(isStanding: boolean): void {
    if (this.#cancelTick !== undefined) return;
    const { clock, send, onLate } = this.#options;
    const wait = Math.max(this.#nextAt - clock.now(), isStanding ? 0 : PICTURE_EVERY_MS);
    this.#cancelTick = clock.after(wait, () => {
      this.#cancelTick = undefined;
      if (this.#held !== undefined) this.#show(this.#held);
      send('Page.screencastFrameAck', { sessionId: this.#session }).catch(onLate);
      if (!isStanding) this.#cancelSettle = clock.after(SETTLED_MS, () => this.renew());
    });
  }
}
