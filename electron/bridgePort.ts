import type { IpcMain, IpcMainEvent, WebContents, WebFrameMain } from 'electron';
import { channels } from '../preload/electronChannels.ts';
import type { ContainerSpec } from '../server/contract/pageBridge.ts';
import type { BridgeSink, HostPolicy, PageCaller } from '../server/kiosk/host.ts';
import type { Logger } from '../server/platform/log.ts';

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
export class BridgePort {
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
    event.returnValue = this.#speaker(event) === undefined ? null : this.#options.spec;
  };

  readonly #onBridge = (event: IpcMainEvent, json: unknown): void => {
    const frame = this.#speaker(event);
    if (frame === undefined || typeof json !== 'string') {
      this.#options.log.warn('bridge call refused');
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
