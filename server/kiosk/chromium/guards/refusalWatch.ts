import { randomBytes } from 'node:crypto';
import type { Refusals } from '../../refusals.ts';
import type { CdpEvent, CdpSend } from '../process/cdpProtocol.ts';
import { REFUSED } from './pageScript.ts';

/** An isolated world in every frame: same document, but no script of the page can see or change what is in it. */
const WORLD = 'faceplate';

/** Takes from every frame what the window guard (preload/windowGuard.ts) reports as refused. */
export class RefusalWatch {
  readonly #binding = `_${randomBytes(12).toString('hex')}`;
  readonly #refusals: Refusals;

  constructor(refusals: Refusals) {
    this.#refusals = refusals;
  }

  /** Watches the frames of a target; takes effect with the next document. */
  async watch(send: CdpSend, sessionId: string): Promise<void> {
    const source = `(() => {
  const tell = globalThis[${JSON.stringify(this.#binding)}];
  if (!tell) return;
  const on = (what) => document.addEventListener('${REFUSED}-' + what, () => tell(what));
  ['scheme', 'window', 'dialog', 'pointer-lock', 'security-key'].forEach(on);
})();`;
    await Promise.all([
      send('Runtime.addBinding', { name: this.#binding, executionContextName: WORLD }, sessionId),
      send('Page.addScriptToEvaluateOnNewDocument', { source, worldName: WORLD }, sessionId),
    ]);
  }

  /** @returns whether the event was meant for this guard */
  handle(event: CdpEvent): boolean {
    if (event.method !== 'Runtime.bindingCalled' || event.params.name !== this.#binding) return false;
    switch (event.params.payload) {
      case 'scheme':
        this.#refusals.tell('navigation refused', { why: 'a page may not use its scheme' });
        break;
      case 'window':
        this.#refusals.tell('window refused', { instead: 'the page itself shows its address' });
        break;
      case 'dialog':
        this.#refusals.tell('dialog refused');
        break;
      case 'pointer-lock':
        this.#refusals.tell('pointer lock refused');
        break;
      case 'security-key':
        this.#refusals.tell('security key refused');
        break;
    }
    return true;
  }
}
