import { randomBytes } from 'node:crypto';
import type { Clock } from '../../../platform/clock.ts';
import type { Logger } from '../../../platform/log.ts';
import type { PictureFormat } from '../../host.ts';
import type { BrowserLimits } from '../chromiumHostOptions.ts';
import type { LiveTarget, SendTo } from '../live/target.ts';
import type { CdpCommands, CdpEvent, CdpSend } from '../process/cdpProtocol.ts';
import { askDocument, BLACK, captureOf, closeWindow, RaiseLimit } from './windowCommands.ts';

interface BlankWindowOptions {
  readonly targetId: string;
  readonly sessionId: string;
  readonly send: CdpSend;
  /** A real touch, click or key. */
  readonly onTouch: () => void;
  /** Makes it fill the screen. */
  readonly fill: () => Promise<void>;
  /** The window was closed by anyone. */
  readonly onGone: () => void;
  readonly log: Logger;
  readonly clock: Clock;
  readonly limits: BrowserLimits;
}

/** How long a finger may rest on the screen before the window closes anyway, in milliseconds. */
const HELD_MS = 5_000;

/** Pause between two checks whether the page of the window has loaded, in milliseconds. */
const LOAD_EVERY_MS = 20;

/** How long the window may take to be drawn once it is on the screen, in milliseconds; on a dark one it never is. */
const DRAWN_MS = 3_000;

/** What the blank window shows. It is part of the address, so the window is black from its first frame. */
export const BLANK_PAGE = 'data:text/html,<body style="background:black;cursor:none">';

/**
 * The black window of a sleeping panel: the host's own window, in which no script of a project runs. Whatever the kiosk
 * page does to itself, this window gets the waking touch, both the press and the release.
 */
export class BlankWindow {
  readonly targetId: string;
  readonly sessionId: string;
  readonly #options: BlankWindowOptions;
  readonly #binding = `_${randomBytes(12).toString('hex')}`;
  #held = false;
  #onReleased: () => void = () => {};
  readonly #end = Promise.withResolvers<void>();
  readonly #raising: RaiseLimit;
  #gone = false;

  constructor(options: BlankWindowOptions) {
    this.#options = options;
    this.targetId = options.targetId;
    this.sessionId = options.sessionId;
    this.#raising = new RaiseLimit(options.clock, () => void this.raise().catch(this.#onLate));
  }

  /** The window as it can be watched. */
  get live(): LiveTarget {
    const { sessionId } = this;
    const send: SendTo = (method, params) => this.#options.send(method, params, sessionId);
    return { sessionId, send, kind: 'blank', isDeaf: () => false };
  }

  /**
   * Lets the window run; resolves when it fills the screen and was drawn, or is gone (a window that crashes answers nothing).
   * @throws Error when the browser fails to do it
   */
  async setUp(): Promise<void> {
    await Promise.race([this.#setUp(), this.#end.promise]).catch((error: Error) => {
      if (!this.#gone) throw error;
    });
  }

  async #setUp(): Promise<void> {
    await Promise.all([
      this.#send('Emulation.setDefaultBackgroundColorOverride', BLACK),
      this.#send('Page.enable', {}),
      this.#send('Runtime.enable', {}),
      this.#send('Inspector.enable', {}),
      this.#send('Runtime.addBinding', { name: this.#binding }),
      this.#send('Runtime.runIfWaitingForDebugger', {}),
    ]);
    await this.#watchInput();
    await this.#options.fill();
    await this.raise();
    await this.#ask({ expression: DRAWN, awaitPromise: true });
  }

  handle(event: CdpEvent): void {
    if (event.method === 'Inspector.targetCrashed')
      this.#do('Target.closeTarget', { targetId: this.targetId });
    if (event.method !== 'Runtime.bindingCalled' || event.params.name !== this.#binding) return;
    switch (event.params.payload) {
      case 'touch':
        this.#held = true;
        this.#options.onTouch();
        break;
      case 'released':
        this.#held = false;
        this.#onReleased();
        break;
      case 'covered':
        if (!this.#gone) this.#raising.soon();
        break;
    }
  }

  /** Puts the window above all others. */
  async raise(): Promise<void> {
    this.#raising.raised();
    await this.#send('Page.bringToFront', {});
  }

  /** Resolves when nothing is pressed any more: what was pressed here must not be released over the page. */
  async released(): Promise<void> {
    if (!this.#held || this.#gone) return;
    await new Promise<void>((resolve) => {
      const cancel = this.#options.clock.after(HELD_MS, resolve);
      this.#onReleased = () => {
        cancel();
        resolve();
      };
    });
  }

  /** Closes the window; resolves when it is gone. */
  async close(): Promise<void> {
    if (this.#gone) return;
    await closeWindow({ ...this.#options, gone: this.#end.promise, onLate: this.#onLate });
  }

  /** The window is gone. */
  dropped(): void {
    if (this.#gone) return;
    this.#gone = true;
    this.#raising.cancel();
    this.#onReleased();
    this.#end.resolve();
    this.#options.onGone();
  }

  async screenshot(format?: PictureFormat): Promise<Uint8Array> {
    const { data } = await this.#send('Page.captureScreenshot', captureOf(format));
    return Buffer.from(data, 'base64');
  }

  /**
   * A script for new documents would sometimes come too late for this first one, so it is added once the document is
   * there.
   */
  async #watchInput(): Promise<void> {
    const expression = darkScript(this.#binding);
    const { clock, limits } = this.#options;
    const began = clock.now();
    while (clock.now() - began < limits.blankPage.ms) {
      const { result } = await this.#ask({ expression, returnByValue: true });
      if (result.value === true) {
        limits.blankPage.met(clock.now() - began);
        return;
      }
      await new Promise<void>((resolve) => clock.after(LOAD_EVERY_MS, resolve));
    }
    limits.blankPage.missed();
    throw new Error('The blank window does not load.');
  }

  #ask(question: CdpCommands['Runtime.evaluate']['params']) {
    const { send, clock } = this.#options;
    return askDocument(send, clock, this.sessionId, question);
  }

  #send<M extends keyof CdpCommands>(method: M, params: CdpCommands[M]['params']) {
    return this.#options.send(method, params, this.sessionId);
  }

  #do<M extends keyof CdpCommands>(method: M, params: CdpCommands[M]['params']): void {
    this.#options.send(method, params).catch(this.#onLate);
  }

  readonly #onLate = (error: Error) =>
    this.#options.log.debug({ err: error }, 'kiosk: the blank window is already closed');
}

/** Chromium drops all input of a page before it was drawn for the first time (crrev.com/687220). */
const DRAWN = `new Promise((resolve) => {
  requestAnimationFrame(() => requestAnimationFrame(resolve));
  setTimeout(resolve, ${DRAWN_MS});
})`;

/** Reports real input only to the host, and when everything that was pressed is released. */
function darkScript(binding: string): string {
  return `(() => {
  if (location.protocol !== 'data:' || document.readyState === 'loading') return false;
  const report = globalThis[${JSON.stringify(binding)}];
  const pressed = new Set();
  const on = (types, act) => {
    for (const type of types)
      addEventListener(type, (event) => {
        event.preventDefault();
        if (event.isTrusted) act(event);
      }, { capture: true, passive: false });
  };
  const press = (what) => { pressed.add(what); report('touch'); };
  const release = (what) => { if (pressed.delete(what) && pressed.size === 0) report('released'); };
  on(['pointerdown'], (event) => press(event.pointerId));
  on(['pointerup', 'pointercancel'], (event) => release(event.pointerId));
  on(['keydown'], (event) => press(event.code));
  on(['keyup'], (event) => release(event.code));
  on(['contextmenu', 'touchstart', 'wheel'], () => {});
  // The window that has the focus by then gets the key's release.
  on(['blur'], () => { for (const what of [...pressed]) if (typeof what === 'string') release(what); report('covered'); });
  document.addEventListener('visibilitychange', () => { if (document.hidden) report('covered'); });
  return true;
})();`;
}
