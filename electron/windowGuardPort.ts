import type { IpcMain, IpcMainEvent, WebContents } from 'electron';
import { channels } from '../preload/electronChannels.ts';
import type { OpenDialogs } from '../server/kiosk/openDialogs.ts';
import { readQuestion } from '../server/kiosk/pageQuestion.ts';
import type { Refusals } from '../server/kiosk/refusals.ts';
import { tellWindowRefusal } from '../server/kiosk/windowRefusals.ts';

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
export class WindowGuardPort {
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

  /** The frame that asks stands still until it has its answer, whoever it is: each gets one. */
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
