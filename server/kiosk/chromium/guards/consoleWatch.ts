import { LEFT_OUT } from '../../../../preload/consoleLimit.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { ConsoleLevel } from '../../contract.ts';
import type { PageSays } from '../../recovery/pageEntries.ts';
import type { PageReport } from '../../recovery/pageReport.ts';
import type {
  CdpEvent,
  CdpSend,
  ConsoleCall,
  ExceptionDetails,
  LogEntry,
  RemoteValue,
} from '../process/cdpProtocol.ts';

/** How long console entries of a page may be held back, in milliseconds. */
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
   * Hears a target. The stack of an error is in its text, so each entry needs only the one place it was made at, which
   * costs a page that writes much the least.
   * @param topFrame of the page itself: exceptions there are the page's
   */
  watch(sessionId: string, topFrame?: string): void {
    const { send, onLate } = this.#options;
    this.#heard.set(sessionId, topFrame === undefined ? null : { frame: topFrame, contexts: new Set() });
    // Before it Chromium takes no size.
    send('Runtime.enable', {}, sessionId).catch(onLate);
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
        if (isHeard) this.#hearCall(event.params);
        break;
      case 'Runtime.exceptionThrown': {
        this.#discardSoon(sessionId);
        if (!isHeard) break;
        const { exceptionDetails } = event.params;
        report.threw(() => wordsOfException(exceptionDetails));
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

  #hearCall(call: ConsoleCall): void {
    const { report } = this.#options;
    const left = leftOutIn(call);
    if (left !== undefined) report.leftOut(left);
    else if (saysSomething(call)) report.say(() => wordsOfCall(call));
  }

  /** Only exceptions of the top frame are the page's own. */
  #judge(sessionId: string, details: ExceptionDetails): void {
    const { watch } = this.#options.report;
    const { executionContextId: context } = details;
    if (context === undefined || !this.#heard.get(sessionId)?.contexts.has(context)) return;
    if (isRejection(details)) watch.rejected(isImportOf(watch.state.url, details));
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

/** As many as a page can leave out in a second: it can write any number. */
const MOST_LEFT_OUT = 1e9;

/** How many lines a frame has left out by itself (preload/consoleLimit.ts); undefined when the call does not say this. */
export function leftOutIn({ type, args }: ConsoleCall): number | undefined {
  if (type !== 'warning' || args[1]?.value !== LEFT_OUT) return undefined;
  const count = args[2]?.value;
  return typeof count === 'number' && count > 0 ? Math.min(count, MOST_LEFT_OUT) : undefined;
}

/** Methods of `console` that say nothing: they end or begin something. */
const SILENT = ['clear', 'endGroup', 'profile', 'profileEnd'];
const LEVELS: Readonly<Record<string, ConsoleLevel>> = {
  debug: 'debug',
  info: 'info',
  warning: 'warning',
  error: 'error',
  assert: 'error',
};
const LOG_LEVELS = { verbose: 'debug', info: 'info', warning: 'warning', error: 'error' } as const;
/** How each place begins that an error came through. */
const FRAME = '\n    at ';

/** Whether the page wrote something, and did not only tidy its console. */
export function saysSomething({ type }: ConsoleCall): boolean {
  return !SILENT.includes(type);
}

/** A call of `console`: its values as the browser's own console shows them in one line. */
export function wordsOfCall({ type, args, stackTrace }: ConsoleCall): PageSays {
  const error = args.find(({ subtype }) => subtype === 'error')?.description;
  return {
    level: LEVELS[type] ?? 'log',
    text: formatted(args),
    stack: error?.includes(FRAME) ? error : undefined,
    ...placeOf(stackTrace?.callFrames[0]),
  };
}

/** An exception that nothing caught, also of a promise. */
export function wordsOfException({ text, exception, stackTrace, ...place }: ExceptionDetails): PageSays {
  const words = exception === undefined ? '' : wordsOf(exception);
  const frame =
    placeInStack(words) ??
    stackTrace?.callFrames[0] ??
    (place.url ? { ...place, url: place.url } : undefined);
  return {
    level: 'exception',
    text: `${text} ${words.split(FRAME, 1)[0]}`.trim(),
    stack: words.includes(FRAME) ? words : undefined,
    ...placeOf(frame),
  };
}

/** Whether it is a rejected promise that nothing caught. */
export function isRejection({ text }: ExceptionDetails): boolean {
  return text.includes('(in promise)');
}

/** Whether it says that a script of the page's own origin could not be imported (`import()`). */
export function isImportOf(page: string, { exception }: ExceptionDetails): boolean {
  const [, url] =
    /^TypeError: Failed to fetch dynamically imported module: (\S+)/.exec(exception?.description ?? '') ?? [];
  return url !== undefined && URL.canParse(url) && new URL(url).origin === new URL(page).origin;
}

/** What the browser itself writes to the console: failed requests, refusals, advice. */
export function wordsOfEntry({ source, level, text, url, lineNumber, stackTrace }: LogEntry): PageSays {
  const kind = source === 'network' || source === 'security' ? source : LOG_LEVELS[level];
  const place = stackTrace?.callFrames[0];
  if (source === 'network' || place === undefined)
    return { level: kind, text, url, line: source === 'network' ? undefined : lineFrom(lineNumber) };
  return { level: kind, text, ...placeOf(place) };
}

/** The first place that an error's own text names: a rejected call of the bridge is made in the page, not in our script. */
function placeInStack(words: string): Place | undefined {
  const begin = words.indexOf(FRAME);
  if (begin < 0) return undefined;
  const [frame = ''] = words.slice(begin + FRAME.length, begin + 3_000).split('\n', 1);
  const [, url, line, column] = /(?:^|\()([^\s()]+):(\d{1,9}):(\d{1,9})\)?$/.exec(frame) ?? [];
  if (url === undefined) return undefined;
  return { url, lineNumber: Number(line) - 1, columnNumber: Number(column) - 1 };
}

interface Place {
  readonly url: string;
  /** From 0. */
  readonly lineNumber: number;
  readonly columnNumber: number;
}

function placeOf(place: Place | undefined): Pick<PageSays, 'url' | 'line' | 'column'> {
  if (place === undefined) return {};
  return { url: place.url, line: place.lineNumber + 1, column: place.columnNumber + 1 };
}

function lineFrom(lineNumber: number | undefined): number | undefined {
  return lineNumber === undefined ? undefined : lineNumber + 1;
}

/** Values with the placeholders of the first one filled in (WHATWG Console, section 2.2). */
function formatted(args: readonly RemoteValue[]): string {
  const [first, ...others] = args;
  if (typeof first?.value !== 'string') return args.map(wordsOf).join(' ');
  const rest = [...others];
  const text = first.value.replaceAll(/%[sdifoOc%]/g, (mark) => {
    if (mark === '%%') return '%';
    const value = rest.shift();
    if (value === undefined) return mark;
    return mark === '%c' ? '' : wordsOf(value);
  });
  return [text, ...rest.map(wordsOf)].join(' ');
}

/** A value that a page wrote to its console. */
function wordsOf({ type, value, description, preview }: RemoteValue): string {
  if (type === 'string') return String(value);
  if (preview === undefined || (preview.subtype !== undefined && preview.subtype !== 'array'))
    return description ?? (value === undefined ? 'undefined' : JSON.stringify(value));
  const isList = preview.subtype === 'array';
  const items = preview.properties.map(({ name, type, value = type }) => {
    const shown = type === 'string' ? JSON.stringify(value) : value;
    return isList ? shown : `${name}: ${shown}`;
  });
  if (preview.overflow) items.push('…');
  const name = isList || preview.description === 'Object' ? '' : `${preview.description} `;
  return isList ? `[${items.join(', ')}]` : `${name}{${items.join(', ')}}`;
}
