import { randomBytes } from 'node:crypto';
import { watchKeepAwake } from '../../../../preload/keepAwake.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { CdpEvent, CdpSend } from '../process/cdpProtocol.ts';
import { AWAKE } from './pageScript.ts';

/** An isolated world in every frame: same document, but no script of the page can see or change what is in it. */
const WORLD = 'faceplate';

/** Notices that the page plays a video with `data-keep-awake`, or holds a wake lock. */
export class KeepAwake {
  readonly #binding = `_${randomBytes(12).toString('hex')}`;
  readonly #clock: Clock;
  readonly #onKeepAwake: () => void;
  readonly #everyMs: number;
  #toldAt = Number.NEGATIVE_INFINITY;

  /** @param onKeepAwake called about every `everyMs` milliseconds while it does */
  constructor(clock: Clock, onKeepAwake: () => void, everyMs = 1_000) {
    this.#clock = clock;
    this.#onKeepAwake = onKeepAwake;
    this.#everyMs = everyMs;
  }

  /** Watches the frames of a target; takes effect with the next document. */
  async watch(send: CdpSend, sessionId: string): Promise<void> {
    await Promise.all([
      send('Runtime.addBinding', { name: this.#binding, executionContextName: WORLD }, sessionId),
      send('Page.addScriptToEvaluateOnNewDocument', { source: this.#script(), worldName: WORLD }, sessionId),
    ]);
  }

  /** @returns whether the event was meant for this guard */
  handle(event: CdpEvent): boolean {
    if (event.method !== 'Runtime.bindingCalled' || event.params.name !== this.#binding) return false;
    const now = this.#clock.now();
    // Frames tell for themselves, and there may be many.
    if (now - this.#toldAt < this.#everyMs / 2) return true;
    this.#toldAt = now;
    this.#onKeepAwake();
    return true;
  }

  #script(): string {
    return `(() => {
  const tell = globalThis[${JSON.stringify(this.#binding)}];
  if (tell) (${watchKeepAwake.toString()})(null, ${JSON.stringify(AWAKE)}, () => tell(''), ${this.#everyMs});
})();`;
  }
}
