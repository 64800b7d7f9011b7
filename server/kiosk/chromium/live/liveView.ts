import { withTimeout } from '../../../platform/async.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Logger } from '../../../platform/log.ts';
import type { LiveWatch, LiveWatcher } from '../../host.ts';
import type { LiveInput } from '../../live/contract.ts';
import type { ScreencastFrame } from '../process/cdpProtocol.ts';
import { DRAWN, LiveInputs } from './liveInput.ts';
import { Screencast } from './screencast.ts';
import type { LiveTarget } from './target.ts';

/** How long the first picture waits for the mark, in milliseconds. */
const MARK_MS = 100;

interface LiveViewOptions {
  /** What is shown now: the blank window of a sleeping panel, else the kiosk page; undefined while there is none. */
  readonly target: () => LiveTarget | undefined;
  readonly isAsleep: () => boolean;
  /** As if a person had touched the sleeping panel. */
  readonly wake: () => void;
  readonly clock: Clock;
  readonly log: Logger;
}

/** One target while it is watched. */
interface Watched {
  readonly target: LiveTarget;
  readonly cast: Screencast;
  readonly inputs: LiveInputs;
  readonly mark: LiveMark | undefined;
}

/** The kiosk page for a watcher, over restarts of the browser and the sleep of the panel. Costs nothing unwatched. */
export class LiveView {
  readonly #options: LiveViewOptions;
  #watcher: LiveWatcher | undefined;
  #watched: Watched | undefined;

  constructor(options: LiveViewOptions) {
    this.#options = options;
  }

  /** @see KioskHost.watch */
  watch(watcher: LiveWatcher): LiveWatch {
    this.#watcher = watcher;
    this.follow();
    return {
      input: (what) => this.#watcher === watcher && this.#input(what),
      stop: () => {
        if (this.#watcher !== watcher) return;
        this.#watcher = undefined;
        this.#leave();
      },
    };
  }

  /** Another document, another window, or another run of the browser may be shown now. */
  follow(): void {
    if (this.#watcher === undefined) return;
    const target = this.#options.target();
    if (target?.sessionId === this.#watched?.target.sessionId) {
      this.#watched?.cast.renew();
      return;
    }
    this.#leave();
    if (target !== undefined) this.#enter(target);
  }

  /** A picture of the browser. */
  take(sessionId: string, frame: ScreencastFrame): void {
    if (this.#watched?.target.sessionId === sessionId) this.#watched.cast.take(frame);
  }

  #enter(target: LiveTarget): void {
    const { clock } = this.#options;
    const onLate = this.#onLate;
    const mark = target.kind === 'page' ? new LiveMark(target, onLate) : undefined;
    const cast = new Screencast({
      send: target.send,
      onPicture: (jpeg, { width, height }) => {
        const scale = target.pictureScale?.() ?? 1;
        this.#watcher?.onPicture(jpeg, {
          width: Math.round(width / scale),
          height: Math.round(height / scale),
        });
      },
      onLate,
      clock,
    });
    const watched = { target, cast, mark, inputs: new LiveInputs({ target, clock, onLate }) };
    this.#watched = watched;
    // The first picture has the mark in it; a page that is busy must not delay it much.
    void withTimeout(clock, MARK_MS, mark?.show() ?? Promise.resolve()).then(() => cast.start());
  }

  #leave(): void {
    if (this.#watched === undefined) return;
    const { cast, inputs, mark } = this.#watched;
    this.#watched = undefined;
    inputs.lift();
    cast.stop();
    void mark?.remove();
  }

  #input(what: LiveInput): void {
    if (!this.#options.isAsleep()) this.#watched?.inputs.pass(what);
    else if (what.type !== 'move' && what.type !== 'up') this.#options.wake();
  }

  readonly #onLate = (error: Error) =>
    this.#options.log.debug({ err: error }, 'kiosk: the watched page is already closed');
}

/** An isolated world: same document, but no script of the page can see or change what is in it. */
const WORLD = 'faceplate-live';

/**
 * A mark in the upper right corner of the page while somebody watches from afar. It is in a closed shadow root: the
 * page finds an empty element beside its body, but neither reads nor measures what is in it, and touches pass through.
 */
class LiveMark {
  readonly #target: LiveTarget;
  readonly #onLate: (error: Error) => void;
  #script: Promise<string | undefined> | undefined;

  constructor(target: LiveTarget, onLate: (error: Error) => void) {
    this.#target = target;
    this.#onLate = onLate;
  }

  /** Shows it in this document and in those that follow. Resolves when it is drawn. */
  async show(): Promise<void> {
    this.#script = this.#add(MARK);
    await this.#script;
    await this.#target
      .send('Runtime.evaluate', { expression: DRAWN, awaitPromise: true, silent: true })
      .catch(this.#onLate);
  }

  /** Sent at once, so that a mark that is shown after it stays. */
  async remove(): Promise<void> {
    const scripts = [this.#script, this.#add('globalThis.faceplateLive?.()')];
    for (const identifier of await Promise.all(scripts))
      if (identifier !== undefined)
        this.#target.send('Page.removeScriptToEvaluateOnNewDocument', { identifier }).catch(this.#onLate);
  }

  #add(source: string): Promise<string | undefined> {
    return this.#target
      .send('Page.addScriptToEvaluateOnNewDocument', { source, worldName: WORLD, runImmediately: true })
      .then(
        ({ identifier }) => identifier,
        (error: Error) => {
          this.#onLate(error);
          return undefined;
        },
      );
  }
}

/** Pages that empty their document get the mark again after a second: at once could become an endless quarrel. */
const MARK = `(() => {
  if (window.parent !== window || globalThis.faceplateLive) return;
  const host = document.createElement('div');
  host.style.cssText = 'all:initial!important;position:fixed!important;top:8px!important;right:8px!important;' +
    'z-index:2147483647!important;pointer-events:none!important;display:block!important';
  const mark = document.createElement('div');
  mark.style.cssText = 'font:600 13px sans-serif;color:#fff;background:#b3261e;border-radius:10px;padding:2px 9px;opacity:.85';
  mark.textContent = 'Live';
  mark.role = 'status';
  mark.ariaLabel = 'Somebody watches this screen live';
  host.attachShadow({ mode: 'closed' }).append(mark);
  const put = () => { if (!host.isConnected) document.documentElement?.append(host); };
  const timer = setInterval(put, 1000);
  if (document.documentElement && document.body) put();
  else addEventListener('DOMContentLoaded', put, { once: true });
  globalThis.faceplateLive = () => {
    clearInterval(timer);
    removeEventListener('DOMContentLoaded', put);
    host.remove();
    delete globalThis.faceplateLive;
  };
})()`;
