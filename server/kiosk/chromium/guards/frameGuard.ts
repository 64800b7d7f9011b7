import { injectedScript, type PageExtras } from '../../pageExtras.ts';
import type { CdpCommands, CdpEvent } from '../process/cdpProtocol.ts';
import { ConsoleWatch } from './consoleWatch.ts';
import type { FieldWatch } from './fieldWatch.ts';
import { FrameWatches, type FrameWatchesOptions } from './frameWatches.ts';
import type { LoginGuard } from './loginGuard.ts';
import { frameScript } from './pageScript.ts';

interface FrameGuardOptions extends FrameWatchesOptions {
  readonly fields: FieldWatch;
  readonly extras: PageExtras;
  readonly logins: LoginGuard;
  /** A command failed because its target is already gone. */
  readonly onLate: (error: Error) => void;
}

/** Watches the kiosk page and those of its frames that have their own process: input, console, and new frames. */
export class FrameGuard {
  readonly #options: FrameGuardOptions;
  readonly #watches: FrameWatches;
  readonly #console: ConsoleWatch;
  /** Sessions of frames that have their own process. */
  readonly #frames = new Set<string>();
  #page = '';
  /** Sessions of workers. */
  readonly #workers = new Set<string>();

  constructor(options: FrameGuardOptions) {
    this.#options = options;
    this.#watches = new FrameWatches(options);
    this.#console = new ConsoleWatch(options);
  }

  /** @returns whether the event reported input or a refusal */
  handle(event: CdpEvent): boolean {
    this.#console.handle(event);
    this.#options.logins.handle(event);
    return this.#handleRequest(event, event.sessionId ?? '') || this.#watches.handle(event);
  }

  /** A renderer crashed. @returns whether it belonged to a frame */
  crashed(sessionId: string): boolean {
    this.#watches.forget(sessionId);
    return this.#frames.has(sessionId);
  }

  forget(sessionId: string): void {
    this.#frames.delete(sessionId);
    this.#workers.delete(sessionId);
    this.#watches.forget(sessionId);
    this.#console.forget(sessionId);
    this.#options.logins.forget(sessionId);
  }

  /** All windows are gone. */
  forgetAll(): void {
    this.#watches.forget();
    this.#console.forget();
  }

  /** Watches the page, whose guards are being set. */
  watch(sessionId: string, topFrame: string): void {
    this.#page = sessionId;
    this.#watchFrames(sessionId);
    this.#console.watch(sessionId, topFrame);
    this.#watchInput(sessionId, true);
  }

  /** A frame with its own process: it has no binding, and gets the key guard. */
  guard(sessionId: string): void {
    this.#frames.add(sessionId);
    this.#watchFrames(sessionId);
    // With its Runtime.enable bindings in the first frame of a process report too (measured, Chromium 156).
    this.#console.watch(sessionId);
    this.#do('Inspector.enable', {}, sessionId);
    this.#do('Page.enable', {}, sessionId);
    const source = frameScript() + injectedScript(this.#options.extras.inject());
    this.#do('Page.addScriptToEvaluateOnNewDocument', { source }, sessionId);
    this.#options.logins.watch(sessionId);
    this.#watchInput(sessionId, false);
    this.#do('Runtime.runIfWaitingForDebugger', {}, sessionId);
  }

  /** Hears the console of a worker, whose script is at `url`, and of the workers that it starts, and lets it run. */
  hear(sessionId: string, url: string): void {
    this.#workers.add(sessionId);
    this.#options.logins.watch(sessionId, url);
    this.#watchFrames(sessionId);
    this.#console.watch(sessionId);
    this.#do('Runtime.runIfWaitingForDebugger', {}, sessionId);
  }

  /**
   * Lets a service worker or worklet run, and detaches from it: a service worker would never end while we are attached. Every worker that starts while we auto-attach to frames is
   * paused, and stays paused unless an attached client lets it run (measured, Chromium 156).
   * @param parent session of the page or frame that it belongs to
   */
  release(sessionId: string, parent: string | undefined): void {
    const { send, onLate } = this.#options;
    send('Runtime.runIfWaitingForDebugger', {}, sessionId)
      .then(() => send('Target.detachFromTarget', { sessionId }, parent))
      .catch(onLate);
  }

  /** Requests are intercepted here only for their logins. */
  #handleRequest(event: CdpEvent, sessionId: string): boolean {
    if (!this.#frames.has(sessionId) && !this.#workers.has(sessionId)) return false;
    const { logins } = this.#options;
    if (event.method === 'Fetch.requestPaused') logins.pass(sessionId, event.params);
    else if (event.method === 'Fetch.authRequired') logins.answer(sessionId, event.params, false);
    else return false;
    return true;
  }

  #watchInput(sessionId: string, isPage: boolean): void {
    this.#watches.watch(sessionId, isPage).catch(this.#options.onLate);
    this.#options.fields.watch(sessionId, this.#page);
  }

  #watchFrames(sessionId: string): void {
    const filter = [...['browser', 'tab', 'page'].map((type) => ({ type, exclude: true })), {}];
    const params = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true, filter };
    this.#do('Target.setAutoAttach', params, sessionId);
  }

  #do<M extends keyof CdpCommands>(method: M, params: CdpCommands[M]['params'], sessionId: string): void {
    this.#options.send(method, params, sessionId).catch(this.#options.onLate);
  }
}
