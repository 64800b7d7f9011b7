import type { IpcMain, IpcMainEvent, WebContents } from 'electron';
import { channels } from '../preload/electronChannels.ts';
import { SettingsCall } from '../server/kiosk/settingsCall.ts';
import type { Clock } from '../server/platform/clock.ts';

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

  /** The document is gone, and with it its finger count. */
  forget(): void {
    this.#call.forget();
  }

  readonly #onFingers = ({ sender, processId, frameId }: IpcMainEvent, count: unknown): void => {
    if (sender !== this.#options.page() || typeof count !== 'number') return;
    this.#call.fingers(`${processId}/${frameId}`, count);
  };
}
