import type { BrowserWindow } from 'electron';
import type { Clock } from '../server/platform/clock.ts';
import type { ElectronApi } from './electronApi.ts';

/** How long a finger may rest on the screen before the window closes anyway, in milliseconds. */
const HELD_MS = 5_000;
const PRESSES = ['mouseDown', 'touchStart', 'pointerDown', 'rawKeyDown', 'keyDown'];
const RELEASES = ['mouseUp', 'touchEnd', 'touchCancel', 'pointerUp', 'pointerCancel', 'keyUp'];

/** The black window of a sleeping panel: input goes to it instead of the kiosk page, which runs on below. */
export class BlankWindow {
  readonly #BrowserWindow: ElectronApi['BrowserWindow'];
  readonly #clock: Clock;
  #window: BrowserWindow | undefined;
  #onTouch: (() => void) | undefined;
  #held = false;
  #onReleased: () => void = () => {};

  constructor(BrowserWindow: ElectronApi['BrowserWindow'], clock: Clock) {
    this.#BrowserWindow = BrowserWindow;
    this.#clock = clock;
  }

  /** The window, while there is one. */
  get window(): BrowserWindow | undefined {
    return this.#window;
  }

  /** Whether the screen should be dark. */
  get isClosed(): boolean {
    return this.#onTouch !== undefined;
  }

  /** Darkens the screen; `onTouch` is called once, at the first touch, click or key. */
  close(onTouch: () => void): void {
    this.#onTouch = onTouch;
    if (this.#window === undefined) this.#show();
    else this.raise();
  }

  /** As if a person had touched the dark screen. */
  touch(): void {
    const onTouch = this.#onTouch;
    this.#onTouch = onTouch && (() => {});
    onTouch?.();
  }

  /** Lights the screen once what is pressed here is released: the release must not happen over the page. */
  async open(): Promise<void> {
    this.#onTouch = undefined;
    const window = this.#window;
    if (window === undefined) return;
    if (this.#held) await this.#released();
    // The panel sleeps again meanwhile, or another call has lit the screen.
    if (this.#onTouch !== undefined || this.#window !== window) return;
    this.stop();
  }

  /** Puts the window above all others. */
  raise(): void {
    this.#window?.moveTop();
    this.#window?.focus();
  }

  stop(): void {
    const window = this.#window;
    this.#window = undefined;
    this.#onTouch = undefined;
    this.#held = false;
    this.#onReleased();
    window?.destroy();
  }

  #show(): void {
    const window = new this.#BrowserWindow({
      kiosk: true,
      frame: false,
      backgroundColor: '#000',
      skipTaskbar: true,
      webPreferences: {
        partition: 'dark',
        sandbox: true,
        contextIsolation: true,
        nodeIntegration: false,
        javascript: false,
        devTools: false,
      },
    });
    this.#window = window;
    window.setAlwaysOnTop(true, 'screen-saver');
    window.on('blur', () => this.raise());
    window.on('close', (event) => event.preventDefault());
    window.on('closed', () => {
      if (this.#window !== window) return;
      this.#window = undefined;
      if (this.#onTouch !== undefined) this.#show();
    });
    window.webContents.on('input-event', (_event, { type }) => this.#onInput(type));
    void window.loadURL('data:text/html,<body style="background:black;cursor:none">');
    this.raise();
  }

  #onInput(type: string): void {
    if (PRESSES.includes(type)) {
      this.#held = true;
      this.touch();
    } else if (RELEASES.includes(type)) {
      this.#held = false;
      this.#onReleased();
    }
  }

  #released(): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#clock.after(HELD_MS, resolve);
      this.#onReleased = () => {
        cancel();
        resolve();
      };
    });
  }
}
