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

/** Runs one script in that world of every frame, and reads what it reports. */
class FrameChannel {
  readonly #binding = `_${randomBytes(12).toString('hex')}`;

  /**
   * Runs the script in the frames of a target; takes effect with the next document.
   * @param body statements that report by `tell(text)`
   */
  async open(send: CdpSend, sessionId: string, body: string): Promise<void> {
    const source = `(() => {
  const tell = globalThis[${JSON.stringify(this.#binding)}];
  if (!tell) return;
  ${body}
})();`;
    await Promise.all([
      send('Runtime.addBinding', { name: this.#binding, executionContextName: WORLD }, sessionId),
      send('Page.addScriptToEvaluateOnNewDocument', { source, worldName: WORLD }, sessionId),
    ]);
  }

  /** What a frame reports, with a name for the frame; undefined when the event is not for this channel. */
  read(event: CdpEvent): { readonly text: string; readonly frame: string } | undefined {
    if (event.method !== 'Runtime.bindingCalled' || event.params.name !== this.#binding) return undefined;
    const { payload, executionContextId } = event.params;
    return { text: payload, frame: `${event.sessionId}/${executionContextId}` };
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
export class Activity {
  readonly #channel = new FrameChannel();
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
      this.#channel.open(send, sessionId, ACTIVITY_SCRIPT),
    ]);
  }

  /** @returns whether the event was meant for this guard. */
  handle(event: CdpEvent): boolean {
    if (this.#channel.read(event) === undefined) return false;
    const now = this.#clock.now();
    // Each frame limits its own rate, and there may be many frames.
    if (now - this.#toldAt >= EVERY_MS) {
      this.#toldAt = now;
      this.#onActivity();
    }
    return true;
  }
}

/** Notices, in every frame of the kiosk page, that a person at the panel asks for the settings page. */
export class CallWatch {
  readonly #channel = new FrameChannel();
  readonly #call: SettingsCall;

  constructor(clock: Clock, onCall: () => void) {
    this.#call = new SettingsCall(clock, onCall);
  }

  /** Watches the frames of a target; takes effect with the next document. */
  watch(send: CdpSend, sessionId: string): Promise<void> {
    const script = `(${watchSettingsCall.toString()})(null, (what) => tell(String(what)));`;
    return this.#channel.open(send, sessionId, script);
  }

  /** @returns whether the event was meant for this guard. */
  handle(event: CdpEvent): boolean {
    const report = this.#channel.read(event);
    if (report === undefined) return false;
    if (report.text === 'keys') this.#call.keys();
    else this.#call.fingers(report.frame, Number(report.text));
    return true;
  }

  /** A target is gone or has crashed; without a session, all of them. */
  forget(sessionId?: string): void {
    this.#call.forget((frame) => sessionId === undefined || frame.startsWith(`${sessionId}/`));
  }
}

/** Notices that the page plays a video with `data-keep-awake`, or holds a wake lock. */
export class KeepAwake {
  readonly #channel = new FrameChannel();
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
  watch(send: CdpSend, sessionId: string): Promise<void> {
    const script = `(${watchKeepAwake.toString()})(null, ${JSON.stringify(AWAKE)}, () => tell(''), ${this.#everyMs});`;
    return this.#channel.open(send, sessionId, script);
  }

  /** @returns whether the event was meant for this guard */
  handle(event: CdpEvent): boolean {
    if (this.#channel.read(event) === undefined) return false;
    const now = this.#clock.now();
    // Frames tell for themselves, and there may be many.
    if (now - this.#toldAt < this.#everyMs / 2) return true;
    this.#toldAt = now;
    this.#onKeepAwake();
    return true;
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
export class RefusalWatch {
  readonly #channel = new FrameChannel();
  readonly #report: PageReport;

  constructor(report: PageReport) {
    this.#report = report;
  }

  /**
   * Watches the frames of a target; takes effect with the next document.
   * @param mayAsk whether its documents may ask a person something: those of other processes may not, as in any browser
   */
  watch(send: CdpSend, sessionId: string, mayAsk: boolean): Promise<void> {
    const script = `(${hearWindowGuard.toString()})(null, ${JSON.stringify(REFUSED)}, tell, ${mayAsk ? ASK_SCRIPT : 'null'});
  if (window !== window.top) return;
  (${watchMissingScripts.toString()})(null, (url) => tell('${SCRIPT}' + url));
  (${watchFirstPaint.toString()})(null, () => tell('${DRAWN}'));`;
    return this.#channel.open(send, sessionId, script);
  }

  /** @returns whether the event was meant for this guard */
  handle(event: CdpEvent): boolean {
    const text = this.#channel.read(event)?.text;
    if (text === undefined) return false;
    if (text === DRAWN) this.#report.watch.drawn();
    else if (text.startsWith(SCRIPT)) this.#report.scriptMissing(text.slice(SCRIPT.length));
    else tellWindowRefusal(this.#report.refusals, text);
    return true;
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
