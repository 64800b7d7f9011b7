import type { IpcMain, IpcMainEvent, WebContents } from 'electron';
import { channels } from '../preload/electronChannels.ts';
import type { Clock } from '../server/host/clock.ts';
import { SettingsCall } from '../server/host/settingsCall.ts';

export interface SettingsCallPortOptions {
  readonly ipcMain: IpcMain;
  /** The kiosk page, while there is one. */
  readonly page: () => WebContents | undefined;
  readonly clock: Clock;
  readonly onCall: () => void;
}

/** Hears the call for the settings page: keys before the page does, fingers from the preload script of the kiosk page. */
export class SettingsCallPort {
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

  /** The document is gone, and with it what is known of its fingers. */
  forget(): void {
    this.#call.forget();
  }

  readonly #onFingers = ({ sender }: IpcMainEvent, count: unknown): void => {
    if (sender === this.#options.page() && typeof count === 'number') this.#call.fingers('page', count);
  };
}
