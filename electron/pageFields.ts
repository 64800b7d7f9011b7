import type { WebContents } from 'electron';
import { FieldWatch } from '../server/kiosk/chromium/guards/fieldWatch.ts';
import { Typing } from '../server/kiosk/chromium/live/typing.ts';
import type { CdpCommands, CdpEvent } from '../server/kiosk/chromium/process/cdpProtocol.ts';
import type { FieldFocus } from '../server/kiosk/host.ts';
import type { Clock } from '../server/platform/clock.ts';
import type { Logger } from '../server/platform/log.ts';
import type { KioskWindow } from './kioskWindow.ts';
import { frameOf, pageOf, type Targets } from './targets.ts';

/** How long a page may take to hear of its new size, in milliseconds. */
const RESIZE_MS = 300;
const RESIZED = `new Promise((done) => {
  addEventListener('resize', () => done(), { once: true });
  setTimeout(done, ${RESIZE_MS});
})`;

interface PageFieldsOptions {
  readonly targets: Targets;
  readonly window: KioskWindow;
  readonly onField: (focus: FieldFocus | undefined) => void;
  /** A frame of another site, or a worker, has a session of its own. */
  readonly onPart: (sessionId: string) => void;
  readonly onPartGone: (sessionId: string) => void;
  /** A frame of another site crashed in this page. */
  readonly onFrameCrash: (page: WebContents) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Knows which field of the pages has the focus, presses keys in it and keeps room for the keyboard: with the code of the
 * Chromium host, by Chromium's protocol. For that it attaches to the frames of other sites, and so hears when one
 * crashes; and to workers, for their console.
 */
export class PageFields {
  readonly #options: PageFieldsOptions;
  readonly #fields: FieldWatch;
  readonly #typing: Typing;
  /** Sessions of frames that have their own process. */
  readonly #frames = new Set<string>();
  /** Those of them that have no document yet. */
  readonly #starting = new Set<string>();

  constructor(options: PageFieldsOptions) {
    const { targets, window, clock } = options;
    this.#options = options;
    const tools = { send: targets.send, clock, onLate: this.#onLate };
    this.#fields = new FieldWatch({
      ...tools,
      onField: (focus) => {
        void this.#typing.follow();
        options.onField(focus);
      },
    });
    this.#typing = new Typing({
      ...tools,
      fields: this.#fields,
      fillsScreen: (sessionId) => window.fills(targets.contentsOf(sessionId)),
      makeRoom: (sessionId, height) => this.#shrink(sessionId, height),
    });
  }

  /**
   * Watches a new page with an empty document; resolves when it does. Never rejects.
   * @param parts whether it may have frames of other sites, and workers
   */
  async watch(contents: WebContents, { parts }: { readonly parts: boolean }): Promise<void> {
    const { sessionId } = this.#options.targets.of(contents, 'page');
    this.#fields.watch(sessionId, sessionId);
    if (parts) this.#watchParts(sessionId);
    // Commands of a page are answered in their order: the last answer covers all.
    await this.#do('Runtime.enable', {}, sessionId);
  }

  handle(event: CdpEvent): void {
    const { sessionId = '' } = event;
    if (event.method === 'Target.attachedToTarget') {
      const part = frameOf(sessionId, event.params.sessionId);
      if (event.params.targetInfo.type === 'iframe') this.#begin(part);
      else void this.#do('Runtime.enable', {}, part);
      this.#options.onPart(part);
    } else if (event.method === 'Target.detachedFromTarget')
      this.#end(frameOf(sessionId, event.params.sessionId));
    else {
      if (event.method === 'Runtime.executionContextCreated') this.#hasDocument(sessionId);
      this.#fields.handle(event);
      if (event.method !== 'Inspector.targetCrashed' || !this.#frames.has(sessionId)) return;
      const page = this.#options.targets.contentsOf(sessionId);
      if (page !== undefined) this.#options.onFrameCrash(page);
    }
  }

  /** A page has ended. */
  pageGone(sessionId: string): void {
    for (const frame of [...this.#frames]) if (pageOf(frame) === sessionId) this.#end(frame);
    this.#end(sessionId);
  }

  /** @see KioskHost.pressKey */
  press(key: string): Promise<void> {
    return this.#typing.press(key);
  }

  /** @see KioskHost.makeRoom */
  makeRoom(height: number): Promise<void> {
    return this.#typing.makeRoom(height);
  }

  #watchParts(sessionId: string): void {
    // Nothing waits for us: a part may have begun.
    const filter = [{ type: 'iframe' }, { type: 'worker' }, { exclude: true }];
    const params = { autoAttach: true, waitForDebuggerOnStart: false, flatten: true, filter };
    void this.#do('Target.setAutoAttach', params, sessionId);
  }

  #begin(frame: string): void {
    this.#frames.add(frame);
    this.#starting.add(frame);
    void this.#do('Runtime.enable', {}, frame);
    void this.#do('Inspector.enable', {}, frame);
    void this.#do('Page.enable', {}, frame);
    this.#watchParts(frame);
  }

  /** Before it has one, a frame may belong to a process that it leaves: a script that runs there at once would end it. */
  #hasDocument(frame: string): void {
    if (this.#starting.delete(frame)) this.#fields.watch(frame, pageOf(frame), true);
  }

  #end(sessionId: string): void {
    this.#frames.delete(sessionId);
    this.#starting.delete(sessionId);
    this.#options.onPartGone(sessionId);
    this.#fields.forget(sessionId);
    this.#typing.forget(sessionId);
  }

  /** Gives a page a smaller part of the window; resolves when it knows. */
  async #shrink(sessionId: string, height: number): Promise<void> {
    const { targets, window } = this.#options;
    const question = { expression: RESIZED, awaitPromise: true, silent: true };
    const resized = targets.send('Runtime.evaluate', question, sessionId);
    window.makeRoom(targets.contentsOf(sessionId), height);
    await resized;
  }

  /** Never rejects. */
  async #do<M extends keyof CdpCommands>(
    method: M,
    params: CdpCommands[M]['params'],
    sessionId: string,
  ): Promise<void> {
    await this.#options.targets.send(method, params, sessionId).catch(this.#onLate);
  }

  readonly #onLate = (error: Error) =>
    this.#options.log.debug({ err: error }, 'kiosk: the page is already closed');
}
