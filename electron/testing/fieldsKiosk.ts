import type { Debugger, WebContents } from 'electron';
import type { ChromiumHostOptions } from '../../server/kiosk/chromium/chromiumHostOptions.ts';
import type { KioskHost } from '../../server/kiosk/host.ts';
import type { OpenKiosk } from '../../server/kiosk/testing/suite/openKiosk.ts';
import { TestKiosk, until } from '../../server/kiosk/testing/testKiosk.ts';
import { backgroundClock } from '../../server/platform/clock.ts';
import { silentLogger } from '../../server/platform/log.ts';
import type { KioskWindow } from '../kioskWindow.ts';
import { PageFields } from '../pageFields.ts';
import { Targets } from '../targets.ts';
import type { DebuggerEvents } from './electronEvents.ts';
import { eventOf, FakeEmitter } from './fakeEmitter.ts';

/** Electron's `debugger`, by a session with a page of a real Chromium. */
class RealDebugger
  extends FakeEmitter<DebuggerEvents, Debugger>
  implements Pick<Debugger, 'on' | 'attach' | 'isAttached' | 'sendCommand'>
{
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #isAttached = false;
  /** Commands to frames that were answered. */
  readonly framesTold: string[] = [];

  constructor(socket: WebSocket) {
    super();
    this.#socket = socket;
    socket.onmessage = ({ data }) => {
      const { id, method, params, sessionId, result, error } = JSON.parse(String(data));
      if (id === undefined) this.listeners.emit('message', eventOf(), method, params, sessionId ?? '');
      else if (error) this.#waiting.get(id)?.reject(new Error(error.message));
      else this.#waiting.get(id)?.resolve(result);
    };
  }

  attach(): void {
    this.#isAttached = true;
  }

  isAttached(): boolean {
    return this.#isAttached;
  }

  sendCommand(method: string, params?: unknown, sessionId?: string): Promise<unknown> {
    const id = this.#waiting.size + 1;
    const answer = Promise.withResolvers<unknown>();
    this.#waiting.set(id, answer);
    this.#socket.send(JSON.stringify({ id, method, params, sessionId }));
    if (sessionId !== undefined) answer.promise.then(() => this.framesTold.push(method)).catch(() => {});
    return answer.promise;
  }
}

/** A page of a real Chromium, as far as the fields need it. */
class RealPage extends FakeEmitter<{ destroyed: [] }, WebContents> {
  readonly debugger: RealDebugger;

  constructor(socket: WebSocket) {
    super();
    this.debugger = new RealDebugger(socket);
    socket.onclose = () => this.listeners.emit('destroyed');
  }

  get real(): WebContents {
    return this as unknown as WebContents;
  }
}

/** A kiosk in a real Chromium whose fields and keys are those of the Electron host. */
class FieldsKiosk extends TestKiosk {
  readonly #sockets: WebSocket[] = [];
  #fields!: PageFields;
  frameCrashes = 0;
  /** Commands to frames of the kiosk page that were answered. */
  framesTold: readonly string[] = [];

  protected override createHost(options: ChromiumHostOptions): KioskHost {
    const { onField, ...others } = options;
    const host = super.createHost(others);
    const targets = new Targets({
      onEvent: (event) => this.#fields.handle(event),
      onGone: (sessionId) => this.#fields.pageGone(sessionId),
    });
    // What the window of Electron does: it gives the page fewer pixels.
    const shrink = (contents: WebContents | undefined, height: number) =>
      void contents?.debugger.sendCommand('Emulation.setDeviceMetricsOverride', {
        ...{ width: 1280, height: 800 - height, screenWidth: 1280, screenHeight: 800 },
        ...{ deviceScaleFactor: 1, mobile: false, dontSetVisibleSize: true },
      });
    this.#fields = new PageFields({
      targets,
      window: { fills: () => true, makeRoom: shrink } as unknown as KioskWindow,
      onField: (focus) => onField?.(focus),
      onPart: () => {},
      onPartGone: () => {},
      onFrameCrash: () => this.frameCrashes++,
      clock: backgroundClock,
      log: silentLogger(),
    });
    host.pressKey = (key) => this.#fields.press(key);
    host.makeRoom = (height) => this.#fields.makeRoom(height);
    const openBuiltIn = host.openBuiltIn.bind(host);
    host.openBuiltIn = async (page) => {
      const opened = await openBuiltIn(page);
      const { debugger: tools } = await this.watch(page.url, false);
      // In Electron it is watched before its first document.
      await tools.sendCommand('Page.reload');
      return opened;
    };
    return host;
  }

  /** Watches the page at this address, as the Electron host does each that it opens; holds from its next document on. */
  async watch(url: string, frames: boolean): Promise<RealPage> {
    let target: { webSocketDebuggerUrl: string } | undefined;
    await until(async () => {
      target = (await this.windows()).find((window) => window.url === url);
      return target !== undefined;
    }, url);
    const socket = new WebSocket(target!.webSocketDebuggerUrl);
    this.#sockets.push(socket);
    await new Promise((resolve) => {
      socket.onopen = resolve;
    });
    const page = new RealPage(socket);
    await this.#fields.watch(page.real, { parts: frames });
    return page;
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.close();
    await super[Symbol.asyncDispose]();
  }
}

/** Opens such kiosks, for the rows of the host suite. @param onOpened gets each */
export function openWithFields(onOpened: (kiosk: FieldsKiosk) => void): OpenKiosk {
  return async (path, pages, options) => {
    const kiosk = new FieldsKiosk();
    for (const [page, html] of Object.entries(pages)) kiosk.pages.set(page, html);
    await kiosk.serve();
    await kiosk.makeHost(options);
    await kiosk.start(path);
    await kiosk.untilTrue(`document.readyState === 'complete'`);
    kiosk.framesTold = (await kiosk.watch(`${kiosk.origin('p1')}${path}`, true)).debugger.framesTold;
    onOpened(kiosk);
    return kiosk;
  };
}
