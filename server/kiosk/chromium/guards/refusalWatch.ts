import { randomBytes } from 'node:crypto';
import { watchMissingScripts } from '../../../../preload/missingScripts.ts';
import { hearWindowGuard } from '../../../../preload/windowReports.ts';
import type { PageReport } from '../../recovery/pageReport.ts';
import { tellWindowRefusal } from '../../windowRefusals.ts';
import type { CdpEvent, CdpSend } from '../process/cdpProtocol.ts';
import { REFUSED } from './pageScript.ts';
import { ASK_SCRIPT } from './questions.ts';

/** An isolated world in every frame: same document, but no script of the page can see or change what is in it. */
const WORLD = 'faceplate';

/** How the page's own script that did not load is reported: the word, and its address. */
const SCRIPT = 'script ';

/**
 * Takes from every frame what the window guard (preload/windowGuard.ts) reports as refused, and from the page itself
 * which of its own scripts did not load.
 */
export class RefusalWatch {
  readonly #binding = `_${randomBytes(12).toString('hex')}`;
  readonly #report: PageReport;

  constructor(report: PageReport) {
    this.#report = report;
  }

  /**
   * Watches the frames of a target; takes effect with the next document.
   * @param mayAsk whether its documents may ask a person something: those of other processes may not, as in any browser
   */
  async watch(send: CdpSend, sessionId: string, mayAsk: boolean): Promise<void> {
    const source = `(() => {
  const tell = globalThis[${JSON.stringify(this.#binding)}];
  if (!tell) return;
  (${hearWindowGuard.toString()})(null, ${JSON.stringify(REFUSED)}, tell, ${mayAsk ? ASK_SCRIPT : 'null'});
  if (window !== window.top) return;
  (${watchMissingScripts.toString()})(null, (url) => tell('${SCRIPT}' + url));
})();`;
    await Promise.all([
      send('Runtime.addBinding', { name: this.#binding, executionContextName: WORLD }, sessionId),
      send('Page.addScriptToEvaluateOnNewDocument', { source, worldName: WORLD }, sessionId),
    ]);
  }

  /** @returns whether the event was meant for this guard */
  handle(event: CdpEvent): boolean {
    if (event.method !== 'Runtime.bindingCalled' || event.params.name !== this.#binding) return false;
    const { payload } = event.params;
    if (payload.startsWith(SCRIPT)) this.#report.scriptMissing(payload.slice(SCRIPT.length));
    else tellWindowRefusal(this.#report.refusals, payload);
    return true;
  }
}
