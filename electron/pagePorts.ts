import type { IpcMain, IpcMainEvent, WebContents, WebFrameMain } from 'electron';
import { channels } from '../preload/electronChannels.ts';
import type { ContainerSpec } from '../server/contract/pageBridge.ts';
import type { BridgeSink, HostPolicy, PageCaller } from '../server/kiosk/host.ts';
import { type OpenDialogs, readQuestion } from '../server/kiosk/openDialogs.ts';
import { type Refusals, tellWindowRefusal } from '../server/kiosk/recovery/pageEntries.ts';
import { SettingsCall } from '../server/kiosk/settingsCall.ts';
import type { Clock } from '../server/platform/clock.ts';
import type { Logger } from '../server/platform/log.ts';
import type { ElectronHostOptions } from './electronApi.ts';

interface PagePortsOptions {
  readonly host: ElectronHostOptions;
  readonly ipcMain: IpcMain;
  /** The kiosk page, while there is one. */
  readonly page: () => WebContents | undefined;
  readonly dialogs: OpenDialogs;
  readonly refusals: Refusals;
  /** A script of the page's own origin did not load. */
  readonly onMissingScript: (url: string) => void;
  readonly clock: Clock;
}

/** All that the main process hears from the kiosk page's preload script. */
export class PagePorts {
  readonly #bridge: BridgePort;
  readonly #call: SettingsCallPort;
  readonly #awake: KeepAwakePort;
  readonly #guard: WindowGuardPort;

  constructor({ host, ...port }: PagePortsOptions) {
    this.#bridge = new BridgePort({ ...host, ...port });
    this.#call = new SettingsCallPort({ ...port, onCall: () => host.onSettingsCall?.() });
    this.#awake = new KeepAwakePort({ ...port, onKeepAwake: () => host.onKeepAwake?.() });
    this.#guard = new WindowGuardPort(port);
  }

  open(sink: BridgeSink): void {
    this.#bridge.open(sink);
    this.#call.open();
    this.#awake.open();
    this.#guard.open();
  }

  close(): void {
    this.#bridge.close();
    this.#call.close();
    this.#awake.close();
    this.#guard.close();
  }

  /** Listens to the keys of a new page. */
  watch(page: WebContents): void {
    this.#call.watch(page);
  }

  /** The document is gone. */
  documentGone(): void {
    this.#bridge.dropPage();
    this.#call.forget();
  }
}

interface BridgePortOptions {
  readonly ipcMain: IpcMain;
  /** The kiosk page, while there is one: messages of all others are ignored. */
  readonly page: () => WebContents | undefined;
  readonly policy: HostPolicy;
  readonly spec: ContainerSpec;
  readonly log: Logger;
}

/**
 * The bridge's end in the main process: takes messages from the top frame of the kiosk page while its origin holds the
 * bridge.
 */
class BridgePort {
  readonly #options: BridgePortOptions;
  #sink: BridgeSink | undefined;
  /** The document that speaks through the bridge. */
  #caller: { frame: WebFrameMain; page: PageCaller } | undefined;

  constructor(options: BridgePortOptions) {
    this.#options = options;
  }

  open(sink: BridgeSink): void {
    this.#sink = sink;
    this.#options.ipcMain.on(channels.spec, this.#onSpec);
    this.#options.ipcMain.on(channels.bridge, this.#onBridge);
  }

  close(): void {
    this.#options.ipcMain.off(channels.spec, this.#onSpec);
    this.#options.ipcMain.off(channels.bridge, this.#onBridge);
    this.dropPage();
  }

  /** The document that used the bridge is gone. */
  dropPage(): void {
    if (this.#caller === undefined) return;
    this.#caller = undefined;
    this.#sink?.onPageGone();
  }

  readonly #onSpec = (event: IpcMainEvent): void => {
    const { spec, policy } = this.#options;
    const origin = this.#speaker(event)?.origin;
    const joins = origin !== undefined && (policy.joinOrigins?.().includes(origin) ?? false);
    event.returnValue = origin === undefined ? null : { ...spec, joins };
  };

  readonly #onBridge = (event: IpcMainEvent, json: unknown): void => {
    const frame = this.#speaker(event);
    if (frame === undefined || typeof json !== 'string') {
      this.#options.log.warn('bridge: call refused');
      return;
    }
    if (this.#caller?.frame !== frame) this.#caller = { frame, page: this.#callerOf(frame) };
    this.#sink?.onMessage(this.#caller.page, json);
  };

  /** @returns the main frame of the kiosk page when it sent the message and its origin holds the bridge. */
  #speaker({ sender, senderFrame }: IpcMainEvent): WebFrameMain | undefined {
    const page = this.#options.page();
    if (senderFrame === null || sender !== page || senderFrame !== page.mainFrame) return undefined;
    return this.#isListed(senderFrame.origin) ? senderFrame : undefined;
  }

  #callerOf(frame: WebFrameMain): PageCaller {
    const { origin } = frame;
    const page: PageCaller = {
      origin,
      reply: (json) => {
        // The frame object may outlive its document; the answer must not reach the next one.
        const isCurrent = this.#caller?.page === page && !frame.isDestroyed();
        if (isCurrent && this.#isListed(origin)) frame.send(channels.bridge, json);
      },
    };
    return page;
  }

  #isListed(origin: string): boolean {
    return this.#options.policy.bridgeOrigins().includes(origin);
  }
}

interface SettingsCallPortOptions {
  readonly ipcMain: IpcMain;
  /** The kiosk page, while there is one. */
  readonly page: () => WebContents | undefined;
  readonly clock: Clock;
  readonly onCall: () => void;
}

/**
 * Recognises the gestures that open the settings page: keys before the page gets them, fingers from the kiosk page's
 * preload script.
 */
class SettingsCallPort {
  readonly #options: SettingsCallPortOptions;
  readonly #call: SettingsCall;

  constructor(options: SettingsCallPortOptions) {
    this.#options = options;
    this.#call = new SettingsCall(options.clock, options.onCall);
  }

  open(): void {
    this.#options.ipcMain.on(channels.fingers, this.#onFingers);
  }

  close(): void {
    this.#options.ipcMain.off(channels.fingers, this.#onFingers);
    this.#call.forget();
  }

  /** Listens to the keys of a page. */
  watch(page: WebContents): void {
    page.on('before-input-event', (_event, input) => {
      const { type, code, control, alt, shift, meta, isAutoRepeat } = input;
      const isCall = code === 'KeyS' && control && alt && !shift && !meta;
      if (type === 'keyDown' && isCall && !isAutoRepeat) this.#call.keys();
    });
  }

  /** The document is gone, and with it its finger count. */
  forget(): void {
    this.#call.forget();
  }

  readonly #onFingers = ({ sender, processId, frameId }: IpcMainEvent, count: unknown): void => {
    if (sender !== this.#options.page() || typeof count !== 'number') return;
    this.#call.fingers(`${processId}/${frameId}`, count);
  };
}

/** The least time between two words of a page, in milliseconds. */
const EVERY_MS = 500;

interface KeepAwakePortOptions {
  readonly ipcMain: IpcMain;
  /** The kiosk page, while there is one. */
  readonly page: () => WebContents | undefined;
  readonly clock: Clock;
  /** A video or wake lock of the page keeps the panel awake; about once a second while it does. */
  readonly onKeepAwake: () => void;
}

/** Hears from the kiosk page's preload script what keeps the panel awake. */
class KeepAwakePort {
  readonly #options: KeepAwakePortOptions;
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(options: KeepAwakePortOptions) {
    this.#options = options;
  }

  open(): void {
    this.#options.ipcMain.on(channels.keepAwake, this.#onWord);
  }

  close(): void {
    this.#options.ipcMain.off(channels.keepAwake, this.#onWord);
  }

  readonly #onWord = ({ sender }: IpcMainEvent): void => {
    const now = this.#options.clock.now();
    if (sender !== this.#options.page() || now - this.#toldAt < EVERY_MS) return;
    this.#toldAt = now;
    this.#options.onKeepAwake();
  };
}

interface WindowGuardPortOptions {
  readonly ipcMain: IpcMain;
  /** The kiosk page, while there is one. */
  readonly page: () => WebContents | undefined;
  readonly dialogs: OpenDialogs;
  readonly refusals: Refusals;
  /** A script of the page's own origin did not load. */
  readonly onMissingScript: (url: string) => void;
}

/** Of an address, in characters. */
const LONGEST_URL = 2_048;

/** Hears from the kiosk page's preload script what the window guard refuses, what the page asks a person, and what it lacks. */
class WindowGuardPort {
  readonly #options: WindowGuardPortOptions;

  constructor(options: WindowGuardPortOptions) {
    this.#options = options;
  }

  open(): void {
    this.#options.ipcMain.on(channels.refused, this.#onRefused);
    this.#options.ipcMain.on(channels.question, this.#onQuestion);
    this.#options.ipcMain.on(channels.missingScript, this.#onMissing);
  }

  close(): void {
    this.#options.ipcMain.off(channels.refused, this.#onRefused);
    this.#options.ipcMain.off(channels.question, this.#onQuestion);
    this.#options.ipcMain.off(channels.missingScript, this.#onMissing);
  }

  readonly #onRefused = ({ sender }: IpcMainEvent, refusal: unknown): void => {
    if (sender === this.#options.page()) tellWindowRefusal(this.#options.refusals, refusal);
  };

  readonly #onMissing = ({ sender, senderFrame }: IpcMainEvent, url: unknown): void => {
    const page = this.#options.page();
    if (sender !== page || senderFrame !== page.mainFrame || typeof url !== 'string') return;
    this.#options.onMissingScript(url.slice(0, LONGEST_URL));
  };

  /** A frame that asks is blocked until its answer comes, so every frame gets one. */
  readonly #onQuestion = (event: IpcMainEvent, question: unknown): void => {
    const { sender, senderFrame } = event;
    const page = this.#options.page();
    // Frames of other origins may not ask, as in any browser.
    const mayAsk = sender === page && senderFrame !== null && senderFrame.origin === page.mainFrame.origin;
    const dialog =
      mayAsk && typeof question === 'string' ? readQuestion(question, senderFrame.origin) : undefined;
    if (dialog === undefined) {
      event.returnValue = null;
      return;
    }
    this.#options.dialogs.ask(dialog, ({ accepted, value }) => {
      // Electron answers whenever this is set (lib/browser/ipc-dispatch.ts).
      event.returnValue = JSON.stringify({ accepted, value });
    });
  };
}
