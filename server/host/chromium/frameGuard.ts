import type { Clock } from '../clock.ts';
import { Activity } from './activity.ts';
import { CallWatch } from './callWatch.ts';
import type { CdpCommands, CdpEvent, CdpSend } from './cdpProtocol.ts';
import { frameScript } from './pageScript.ts';

interface FrameGuardOptions {
  readonly send: CdpSend;
  /** Somebody uses page or frame; at most once per second. */
  readonly onActivity: () => void;
  /** Somebody at the panel calls for the settings page. */
  readonly onSettingsCall: () => void;
  readonly clock: Clock;
  /** A command failed because its target is gone already. */
  readonly onLate: (error: Error) => void;
}

/** Watches the kiosk page and the frames in it that have processes of their own: input, and frames that come. */
export class FrameGuard {
  readonly #options: FrameGuardOptions;
  readonly #activity: Activity;
  readonly #call: CallWatch;
  /** Sessions of frames in processes of their own. */
  readonly #frames = new Set<string>();

  constructor(options: FrameGuardOptions) {
    this.#options = options;
    this.#activity = new Activity(options.clock, options.onActivity);
    this.#call = new CallWatch(options.clock, options.onSettingsCall);
  }

  /** @returns whether the event told of input */
  handle(event: CdpEvent): boolean {
    return this.#activity.handle(event) || this.#call.handle(event);
  }

  /** A renderer crashed. @returns whether it is that of a frame */
  crashed(sessionId: string): boolean {
    this.#call.forget(sessionId);
    return this.#frames.has(sessionId);
  }

  forget(sessionId: string): void {
    this.#frames.delete(sessionId);
    this.#call.forget(sessionId);
  }

  /** All windows are gone. */
  forgetAll(): void {
    this.#call.forget();
  }

  /** Watches a page or frame whose guards are in place, or are being put there. */
  watch(sessionId: string): void {
    this.#watchFrames(sessionId);
    this.#watchInput(sessionId);
  }

  /** A frame in a process of its own: it has no binding, and gets the key guard. */
  guard(sessionId: string): void {
    this.#frames.add(sessionId);
    this.#watchFrames(sessionId);
    // Without it, bindings of the first frame of a process tell nothing (measured, Chromium 156).
    this.#do('Runtime.enable', {}, sessionId);
    this.#do('Inspector.enable', {}, sessionId);
    this.#do('Page.enable', {}, sessionId);
    this.#do('Page.addScriptToEvaluateOnNewDocument', { source: frameScript() }, sessionId);
    this.#watchInput(sessionId);
    this.#do('Runtime.runIfWaitingForDebugger', {}, sessionId);
  }

  #watchInput(sessionId: string): void {
    const { send, onLate } = this.#options;
    this.#activity.watch(send, sessionId).catch(onLate);
    this.#call.watch(send, sessionId).catch(onLate);
  }

  #watchFrames(sessionId: string): void {
    const filter = [{ type: 'iframe' }, { exclude: true }];
    const params = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true, filter };
    this.#do('Target.setAutoAttach', params, sessionId);
  }

  #do<M extends keyof CdpCommands>(method: M, params: CdpCommands[M]['params'], sessionId: string): void {
    this.#options.send(method, params, sessionId).catch(this.#options.onLate);
  }
}
