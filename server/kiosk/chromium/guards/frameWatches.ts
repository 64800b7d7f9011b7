import { randomBytes } from 'node:crypto';
import { watchKeepAwake } from '../../../../preload/keepAwake.ts';
import { watchSettingsCall } from '../../../../preload/settingsCall.ts';
import { hearWindowGuard, watchFirstPaint, watchMissingScripts } from '../../../../preload/windowReports.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { PageDialog } from '../../host.ts';
import { readQuestion } from '../../openDialogs.ts';
import { tellWindowRefusal } from '../../recovery/pageEntries.ts';
import type { PageReport } from '../../recovery/pageReport.ts';
import { SettingsCall } from '../../settingsCall.ts';
import type { CdpEvent, CdpSend } from '../process/cdpProtocol.ts';
import { AWAKE, REFUSED } from './pageScript.ts';

// What a script in every frame of the kiosk page reports: input, the call for the settings page, what keeps the panel
// awake, and what the window guard refuses.

/** An isolated world in every frame: same document, but no script of the page can see or change what is in it. */
const WORLD = 'faceplate';

/** What a watch runs in that world of every frame, and who reads what it reports. */
interface Watch {
  /** Statements that report by `tell(text)`. @param isPage false: of frames that have their own process */
  script(isPage: boolean): string;
  /** @param frame a name for the frame that reports */
  take(text: string, frame: string): void;
}

export interface FrameWatchesOptions {
  readonly send: CdpSend;
  /** A person uses the page or a frame; at most once per second. */
  readonly onActivity: () => void;
  /** A video or wake lock of the page keeps the panel awake; about once a second while it does. */
  readonly onKeepAwake: () => void;
  readonly keepAwakeEveryMs: number | undefined;
  /** A person at the panel asks for the settings page. */
  readonly onSettingsCall: () => void;
  readonly report: PageReport;
  readonly clock: Clock;
}

/** All that is watched in the frames of the kiosk page, by one script and one binding. */
export class FrameWatches {
  readonly #binding = `_${randomBytes(12).toString('hex')}`;
  readonly #send: CdpSend;
  readonly #call: CallWatch;
  readonly #watches: ReadonlyMap<string, Watch>;

  constructor(options: FrameWatchesOptions) {
    const { send, clock, report, onActivity, onKeepAwake, keepAwakeEveryMs, onSettingsCall } = options;
    this.#send = send;
    this.#call = new CallWatch(clock, onSettingsCall);
    this.#watches = new Map<string, Watch>([
      ['activity', new Activity(clock, onActivity)],
      ['awake', new KeepAwake(clock, onKeepAwake, keepAwakeEveryMs)],
      ['call', this.#call],
      ['refusals', new RefusalWatch(report)],
    ]);
  }

  /** Watches the frames of a target, on which Runtime is enabled; takes effect with the next document. @throws CdpError */
  async watch(sessionId: string, isPage: boolean): Promise<void> {
    const scripts = [...this.#watches].map(
      ([name, watch]) => `((tell) => {
  ${watch.script(isPage)}
})((text) => report('${name} ' + text));`,
    );
    const source = `(() => {
const report = globalThis[${JSON.stringify(this.#binding)}];
if (!report) return;
${scripts.join('\n')}
})();`;
    await Promise.all([
      this.#send('Runtime.addBinding', { name: this.#binding, executionContextName: WORLD }, sessionId),
      this.#send('Page.addScriptToEvaluateOnNewDocument', { source, worldName: WORLD }, sessionId),
    ]);
  }

  /** @returns whether the event was meant for a watch */
  handle(event: CdpEvent): boolean {
    if (event.method !== 'Runtime.bindingCalled' || event.params.name !== this.#binding) return false;
    const { payload, executionContextId } = event.params;
    const end = payload.indexOf(' ');
    const watch = this.#watches.get(payload.slice(0, end));
    watch?.take(payload.slice(end + 1), `${event.sessionId}/${executionContextId}`);
    return true;
  }

  /** A target is gone or has crashed; without a session, all of them. */
  forget(sessionId?: string): void {
    this.#call.forget((frame) => sessionId === undefined || frame.startsWith(`${sessionId}/`));
  }
}

/** Touches are reported at most this often, in milliseconds. */
const EVERY_MS = 1_000;

/**
 * Registers before all other listeners, so that no page listener can stop the event first. `document.open()` removes
 * the listeners of every world, but not an observer, and the observer adds them again.
 */
const ACTIVITY_SCRIPT = `let toldAt = -Infinity;
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
  new MutationObserver(listen).observe(document, { childList: true });`;

/** Notices that a person uses the kiosk page; counts real input only. */
class Activity implements Watch {
  readonly #clock: Clock;
  readonly #onActivity: () => void;
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, onActivity: () => void) {
    this.#clock = clock;
    this.#onActivity = onActivity;
  }

  script(): string {
    return ACTIVITY_SCRIPT;
  }

  take(): void {
    const now = this.#clock.now();
    // Each frame limits its own rate, and there may be many frames.
    if (now - this.#toldAt >= EVERY_MS) {
      this.#toldAt = now;
      this.#onActivity();
    }
  }
}

/** Notices, in every frame of the kiosk page, that a person at the panel asks for the settings page. */
class CallWatch implements Watch {
  readonly #call: SettingsCall;

  constructor(clock: Clock, onCall: () => void) {
    this.#call = new SettingsCall(clock, onCall);
  }

  script(): string {
    return `(${watchSettingsCall.toString()})(null, (what) => tell(String(what)));`;
  }

  take(text: string, frame: string): void {
    if (text === 'keys') this.#call.keys();
    else this.#call.fingers(frame, Number(text));
  }

  /** Frames are gone. */
  forget(isGone: (frame: string) => boolean): void {
    this.#call.forget(isGone);
  }
}

/** Notices that the page plays a video with `data-keep-awake`, or holds a wake lock. */
class KeepAwake implements Watch {
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

  script(): string {
    return `(${watchKeepAwake.toString()})(null, ${JSON.stringify(AWAKE)}, () => tell(''), ${this.#everyMs});`;
  }

  take(): void {
    const now = this.#clock.now();
    // Frames tell for themselves, and there may be many.
    if (now - this.#toldAt < this.#everyMs / 2) return;
    this.#toldAt = now;
    this.#onKeepAwake();
  }
}

/** How the page's own script that did not load is reported: the word, and its address. */
const SCRIPT = 'script ';
/** How the page reports that it has drawn. */
const DRAWN = 'drawn';

/**
 * Takes from every frame what the window guard (preload/windowGuard.ts) reports as refused, and from the page itself
 * which of its own scripts did not load, and that it has drawn.
 */
class RefusalWatch implements Watch {
  readonly #report: PageReport;

  constructor(report: PageReport) {
    this.#report = report;
  }

  /** Only the documents of the page's own process may ask a person something, as in any browser. */
  script(isPage: boolean): string {
    const ask = isPage ? ASK_SCRIPT : 'null';
    return `(${hearWindowGuard.toString()})(null, ${JSON.stringify(REFUSED)}, tell, ${ask});
  if (window !== window.top) return;
  (${watchMissingScripts.toString()})(null, (url) => tell('${SCRIPT}' + url));
  (${watchFirstPaint.toString()})(null, () => tell('${DRAWN}'));`;
  }

  take(text: string): void {
    if (text === DRAWN) this.#report.watch.drawn();
    else if (text.startsWith(SCRIPT)) this.#report.scriptMissing(text.slice(SCRIPT.length));
    else tellWindowRefusal(this.#report.refusals, text);
  }
}

/**
 * Where the window guard (preload/windowGuard.ts) sends a question of the page, on the page's own origin. The request
 * waits at the browser, never leaves it, and the page is blocked meanwhile, as it is below a dialog of the
 * browser's. No page can know the path beforehand; one that learns it can ask what `confirm` asks.
 */
export const DIALOG_PATH = `/_${randomBytes(12).toString('hex')}`;

interface PausedRequest {
  readonly url: string;
  readonly method?: string;
  readonly postData?: string;
}

export function isQuestion({ url }: PausedRequest): boolean {
  return url.endsWith(DIALOG_PATH);
}

/** The question of such a request; undefined when it is none. */
export function questionOf({ url, method, postData = '' }: PausedRequest): PageDialog | undefined {
  return method === 'POST' ? readQuestion(postData, new URL(url).origin) : undefined;
}

/**
 * The function that sends them (`ask` of preload/windowReports.ts), as text for the isolated world: there no script of
 * the page can see, and no service worker of the page answers.
 */
const ASK_SCRIPT = `(question) => (${sendQuestion.toString()})(question, ${JSON.stringify(DIALOG_PATH)})`;

/** Copied into the page as text, so it must not use anything outside itself. */
function sendQuestion(question: string, path: string): string | null {
  const { XMLHttpRequest, origin } = globalThis as unknown as {
    readonly XMLHttpRequest: new () => {
      readonly status: number;
      readonly responseText: string;
      open(method: string, url: string, isAsync: boolean): void;
      send(body: string): void;
    };
    readonly origin: string;
  };
  try {
    const request = new XMLHttpRequest();
    request.open('POST', origin + path, false);
    request.send(question);
    return request.status === 200 ? request.responseText : null;
  } catch {
    // The page may connect nowhere: it gets the answer of a person who cancelled.
    return null;
  }
}
