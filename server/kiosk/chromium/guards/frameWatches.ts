import { randomBytes } from 'node:crypto';
import type { Clock } from '../../../platform/clock.ts';
import type { CdpEvent, CdpSend } from '../process/cdpProtocol.ts';

/** Touches are reported at most this often, in milliseconds. */
const EVERY_MS = 1_000;
/** An isolated world in every frame: same document, but no script of the page can see or change what is in it. */
const WORLD = 'faceplate';

/** Notices that a person uses the kiosk page; counts real input only. */
export class Activity {
  readonly #binding = `_${randomBytes(12).toString('hex')}`;
  readonly #clock: Clock;
  readonly #onActivity: () => void;
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, onActivity: () => void) {
    this.#clock = clock;
    this.#onActivity = onActivity;
  }

  /** Watches the frames of a target; takes effect with the next document. */
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

  /** @returns whether the event was meant for this guard. */
  handle(event: CdpEvent): boolean {
    if (event.method !== 'Runtime.bindingCalled' || event.params.name !== this.#binding) return false;
    const now = this.#clock.now();
    // Each frame limits its own rate, and there may be many frames.
    if (now - this.#toldAt >= EVERY_MS) {
      this.#toldAt = now;
      this.#onActivity();
    }
    return true;
  }
}

/**
 * Registers before all other listeners, so that no page listener can stop the event first. `document.open()` removes
 * the listeners of every world, but not an observer, and the observer adds them again.
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
