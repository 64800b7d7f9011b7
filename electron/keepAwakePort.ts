import type { IpcMain, IpcMainEvent, WebContents } from 'electron';
import { channels } from '../preload/electronChannels.ts';
import type { Clock } from '../server/platform/clock.ts';

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
export class KeepAwakePort {
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
