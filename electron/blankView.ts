import type { WebContents } from 'electron';
import type { Clock } from '../server/platform/clock.ts';
import type { KioskWindow, PlacedView } from './kioskWindow.ts';

/** The black of a sleeping panel, above all else: it gets the input instead of the kiosk page, which keeps running below. */
export class BlankView {
  readonly #window: KioskWindow;
  readonly #held: HeldInput;
  #view: PlacedView | undefined;
  #onTouch: (() => void) | undefined;

  constructor(window: KioskWindow, clock: Clock) {
    this.#window = window;
    this.#held = new HeldInput(clock);
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
    await this.#held.released();
    // The panel sleeps again meanwhile, or another call has lit the screen.
    if (this.#onTouch !== undefined || this.#view !== view) return;
    this.stop();
  }

  stop(): void {
    const view = this.#view;
    this.#view = undefined;
    this.#onTouch = undefined;
    this.#held.forget();
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
    this.#held.watch(view.contents, () => this.touch());
    view.contents.on('render-process-gone', () => this.#load(view));
    this.#load(view);
    view.show('screen', true);
  }

  #load({ contents }: PlacedView): void {
    void contents.loadURL('data:text/html,<body style="background:black;cursor:none">').catch(() => {});
  }
}

/** How long a finger may rest on a page before the page is removed anyway, in milliseconds. */
const HELD_MS = 5_000;
const PRESSES = ['mouseDown', 'touchStart', 'pointerDown', 'rawKeyDown', 'keyDown'];
const RELEASES = ['mouseUp', 'touchEnd', 'touchCancel', 'pointerUp', 'pointerCancel', 'keyUp'];

/** Knows whether something is pressed on a page: its release must not hit what is below. */
export class HeldInput {
  readonly #clock: Clock;
  #isHeld = false;
  #onReleased: () => void = () => {};

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Listens to a page; nothing is pressed on it so far. @param onPress called at each press */
  watch(contents: WebContents, onPress: () => void): void {
    this.forget();
    contents.on('input-event', (_event, { type }) => {
      if (PRESSES.includes(type)) {
        this.#isHeld = true;
        onPress();
      } else if (RELEASES.includes(type)) this.forget();
    });
  }

  /** Whatever was pressed is not any more. */
  forget(): void {
    this.#isHeld = false;
    this.#onReleased();
  }

  /** Resolves once what is pressed is released, after 5 s at most; undefined when nothing is. */
  released(): Promise<void> | undefined {
    if (!this.#isHeld) return undefined;
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#clock.after(HELD_MS, resolve);
    const before = this.#onReleased;
    this.#onReleased = () => {
      this.#onReleased = () => {};
      before();
      cancel();
      resolve();
    };
    return promise;
  }
}
