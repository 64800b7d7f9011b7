import type { WebContents } from 'electron';
import type { Clock } from '../server/platform/clock.ts';
import type { KioskWindow, PlacedView } from './kioskWindow.ts';

/** How long a finger may rest on the screen before the view goes anyway, in milliseconds. */
const HELD_MS = 5_000;
const PRESSES = ['mouseDown', 'touchStart', 'pointerDown', 'rawKeyDown', 'keyDown'];
const RELEASES = ['mouseUp', 'touchEnd', 'touchCancel', 'pointerUp', 'pointerCancel', 'keyUp'];

/** The black of a sleeping panel, above all else: input goes to it instead of the kiosk page, which runs on below. */
export class BlankView {
  readonly #window: KioskWindow;
  readonly #clock: Clock;
  #view: PlacedView | undefined;
  #onTouch: (() => void) | undefined;
  #held = false;
  #onReleased: () => void = () => {};

  constructor(window: KioskWindow, clock: Clock) {
    this.#window = window;
    this.#clock = clock;
  }

  /** What is shown, while there is something. */
  get contents(): WebContents | undefined {
    return this.#view?.contents;
  }

  /** Whether the screen should be dark. */
  get isClosed(): boolean {
    return this.#onTouch !== undefined;
  }

  /** Darkens the screen; `onTouch` is called once, at the first touch, click or key. */
  close(onTouch: () => void): void {
    this.#onTouch = onTouch;
    if (this.#view === undefined) this.#show();
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
    const view = this.#view;
    if (view === undefined) return;
    if (this.#held) await this.#released();
    // The panel sleeps again meanwhile, or another call has lit the screen.
    if (this.#onTouch !== undefined || this.#view !== view) return;
    this.stop();
  }

  stop(): void {
    const view = this.#view;
    this.#view = undefined;
    this.#onTouch = undefined;
    this.#held = false;
    this.#onReleased();
    view?.remove();
  }

  #show(): void {
    const view = this.#window.add({
      place: 'blank',
      webPreferences: {
        partition: 'dark',
        sandbox: true,
        contextIsolation: true,
        nodeIntegration: false,
        javascript: false,
        devTools: false,
      },
      onGone: () => {
        this.#view = undefined;
        if (this.#onTouch !== undefined) this.#show();
      },
    });
    this.#view = view;
    view.contents.on('input-event', (_event, { type }) => this.#onInput(type));
    view.contents.on('render-process-gone', () => this.#load(view));
    this.#load(view);
    view.show('screen', true);
  }

  #load({ contents }: PlacedView): void {
    void contents.loadURL('data:text/html,<body style="background:black;cursor:none">').catch(() => {});
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
