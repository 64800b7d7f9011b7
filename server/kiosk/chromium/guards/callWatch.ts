import { randomBytes } from 'node:crypto';
import { watchSettingsCall } from '../../../../preload/settingsCall.ts';
import type { Clock } from '../../../platform/clock.ts';
import { SettingsCall } from '../../settingsCall.ts';
import type { CdpEvent, CdpSend } from '../process/cdpProtocol.ts';

/** An isolated world in every frame: same document, but no script of the page can see or change what is in it. */
const WORLD = 'faceplate';

/** Notices, in every frame of the kiosk page, that a person at the panel asks for the settings page. */
export class CallWatch {
  readonly #binding = `_${randomBytes(12).toString('hex')}`;
  readonly #call: SettingsCall;

  constructor(clock: Clock, onCall: () => void) {
    this.#call = new SettingsCall(clock, onCall);
  }

  /** Watches the frames of a target; takes effect with the next document. */
  async watch(send: CdpSend, sessionId: string): Promise<void> {
    const source = `(() => {
  const tell = globalThis[${JSON.stringify(this.#binding)}];
  if (tell) (${watchSettingsCall.toString()})(null, (what) => tell(String(what)));
})();`;
    await Promise.all([
      send('Runtime.addBinding', { name: this.#binding, executionContextName: WORLD }, sessionId),
      send('Page.addScriptToEvaluateOnNewDocument', { source, worldName: WORLD }, sessionId),
    ]);
  }

  /** @returns whether the event was meant for this guard. */
  handle(event: CdpEvent): boolean {
    if (event.method !== 'Runtime.bindingCalled' || event.params.name !== this.#binding) return false;
    const { payload, executionContextId } = event.params;
    if (payload === 'keys') this.#call.keys();
    else this.#call.fingers(`${event.sessionId}/${executionContextId}`, Number(payload));
    return true;
  }

  /** A target is gone or has crashed; without a session, all of them. */
  forget(sessionId?: string): void {
    this.#call.forget((frame) => sessionId === undefined || frame.startsWith(`${sessionId}/`));
  }
}
