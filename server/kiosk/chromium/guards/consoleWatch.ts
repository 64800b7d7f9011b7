import type { Clock } from '../../../platform/clock.ts';
import type { PageReport } from '../../recovery/pageReport.ts';
import type { CdpEvent, CdpSend, ExceptionDetails } from '../process/cdpProtocol.ts';
import { isRejection, saysSomething, wordsOfCall, wordsOfEntry, wordsOfException } from './consoleLines.ts';

/** How long console entries of a page may be kept, in milliseconds. */
const KEPT_MS = 500;

interface ConsoleWatchOptions {
  readonly send: CdpSend;
  readonly report: PageReport;
  readonly clock: Clock;
  /** A command failed because its target is already gone. */
  readonly onLate: (error: Error) => void;
}

/**
 * Hears what the kiosk page, its frames and its workers write to their console. While a client listens to the console,
 * the browser keeps the last 1,000 entries with every object in them, for as long as the document lives (measured,
 * Chromium 156): they are discarded.
 */
export class ConsoleWatch {
  readonly #options: ConsoleWatchOptions;
  /** Sessions that are heard. For the page itself, the contexts of its top frame; null for frames and workers. */
  readonly #heard = new Map<string, { frame: string; contexts: Set<number> } | null>();
  /** Sessions whose entries will be discarded soon. */
  readonly #due = new Map<string, () => void>();

  constructor(options: ConsoleWatchOptions) {
    this.#options = options;
  }

  /**
   * Hears a target; send Runtime.enable as well. The stack of an error is in its text, so each entry needs only the one
   * place it was made at, which costs a page that writes much the least.
   * @param topFrame of the page itself: exceptions there are the page's
   */
  watch(sessionId: string, topFrame?: string): void {
    const { send, onLate } = this.#options;
    this.#heard.set(sessionId, topFrame === undefined ? null : { frame: topFrame, contexts: new Set() });
    send('Runtime.setMaxCallStackSizeToCapture', { size: 1 }, sessionId).catch(onLate);
    send('Log.enable', {}, sessionId).catch(onLate);
  }

  /** Takes the events of all targets. */
  handle(event: CdpEvent): void {
    const { sessionId } = event;
    if (sessionId === undefined) return;
    const { report } = this.#options;
    const isHeard = this.#heard.has(sessionId);
    switch (event.method) {
      case 'Runtime.consoleAPICalled':
        this.#discardSoon(sessionId);
        if (isHeard && saysSomething(event.params)) report.say(() => wordsOfCall(event.params));
        break;
      case 'Runtime.exceptionThrown': {
        this.#discardSoon(sessionId);
        if (!isHeard) break;
        const { exceptionDetails } = event.params;
        report.say(() => wordsOfException(exceptionDetails));
        this.#judge(sessionId, exceptionDetails);
        break;
      }
      case 'Log.entryAdded':
        // What a worker writes comes from its own session, with its place.
        if (isHeard && event.params.entry.source !== 'worker')
          report.say(() => wordsOfEntry(event.params.entry));
        break;
      case 'Runtime.executionContextCreated': {
        const { id, auxData } = event.params.context;
        const top = this.#heard.get(sessionId);
        if (top && auxData?.frameId === top.frame) top.contexts.add(id);
        break;
      }
      case 'Runtime.executionContextsCleared':
        this.#heard.get(sessionId)?.contexts.clear();
        break;
    }
  }

  /** A target is gone; without a session, all of them. */
  forget(sessionId?: string): void {
    if (sessionId === undefined) this.#heard.clear();
    else this.#heard.delete(sessionId);
    for (const [session, cancel] of this.#due) {
      if (sessionId !== undefined && sessionId !== session) continue;
      cancel();
      this.#due.delete(session);
    }
  }

  /** Only exceptions of the top frame are the page's own. */
  #judge(sessionId: string, details: ExceptionDetails): void {
    const { watch } = this.#options.report;
    const { executionContextId: context } = details;
    if (context === undefined || !this.#heard.get(sessionId)?.contexts.has(context)) return;
    if (isRejection(details)) watch.rejected();
    else watch.threw();
  }

  #discardSoon(sessionId: string): void {
    if (this.#due.has(sessionId)) return;
    const { send, clock, onLate } = this.#options;
    const discard = () => {
      this.#due.delete(sessionId);
      send('Runtime.discardConsoleEntries', {}, sessionId).catch(onLate);
    };
    this.#due.set(sessionId, clock.after(KEPT_MS, discard));
  }
}
