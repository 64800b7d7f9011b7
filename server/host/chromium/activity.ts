import { randomBytes } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { CdpEvent, CdpSend } from './cdpProtocol.ts';

/** Touches are told at most this often, in milliseconds. */
const EVERY_MS = 1_000;
/** A world of its own in every frame: same document, but no script of the page can see or change what is in it. */
const WORLD = 'faceplate';

/** Notices that somebody uses the kiosk page, by real input only. */
export class Activity {
  readonly #binding = `_${randomBytes(12).toString('hex')}`;
  readonly #clock: Clock;
  readonly #onActivity: () => void;
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, onActivity: () => void) {
    this.#clock = clock;
    this.#onActivity = onActivity;
  }

  /** Watches the frames of a target; counts from the next document on. */
  async watch(send: CdpSend, sessionId: string): Promise<void> {
    await Promise.all([
      // Without it a context gets no bindings.
      send('Runtime.enable', {}, sessionId),
      send('Runtime.addBinding', { name: this.#binding, executionContextName: WORLD }, sessionId),
      send(
        'Page.addScriptToEvaluateOnNewDocument',
        { source: activityScript(this.#binding), worldName: WORLD },
        sessionId,
      ),
    ]);
  }

  /** @returns whether the event was for us. */
  handle(event: CdpEvent): boolean {
    if (event.method !== 'Runtime.bindingCalled' || event.params.name !== this.#binding) return false;
    const now = this.#clock.now();
    // Each frame keeps the pace for itself; there may be many.
    if (now - this.#toldAt >= EVERY_MS) {
      this.#toldAt = now;
      this.#onActivity();
    }
    return true;
  }
}

/**
 * First of all listeners, so that none of the page can stop the event before. `document.open()` removes the listeners of
 * every world, but not an observer, which puts them back.
 */
function activityScript(binding: string): string {
  return `(() => {
  const tell = globalThis[${JSON.stringify(binding)}];
  if (!tell) return;
  let toldAt = -Infinity;
  const onInput = (event) => {
    if (!event.isTrusted || event.timeStamp - toldAt < ${EVERY_MS}) return;
    toldAt = event.timeStamp;
    tell('');
  };
  const listen = () => {
    for (const type of ['pointerdown', 'keydown', 'wheel'])
      addEventListener(type, onInput, { capture: true, passive: true });
  };
  listen();
  new MutationObserver(listen).observe(document, { childList: true });
})();`;
}
