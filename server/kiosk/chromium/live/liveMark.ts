import { DRAWN } from './liveInput.ts';
import type { LiveTarget } from './target.ts';

/** An isolated world: same document, but no script of the page can see or change what is in it. */
const WORLD = 'faceplate-live';

/**
 * A mark in the upper right corner of the page while somebody watches from afar. It stands in a closed shadow root: the
 * page finds an empty element beside its body, but neither reads nor measures what is in it, and touches pass through.
 */
export class LiveMark {
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
