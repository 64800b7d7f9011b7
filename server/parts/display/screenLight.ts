import { InTurn, inTime } from '../../platform/async.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger, LogLine } from '../../platform/log.ts';
import type { BacklightDriver, DisplayWindow, OutputDriver } from './driver.ts';

/** How long a part may take to answer, in milliseconds; then the panel continues without it. */
const LIMIT_MS = 3_000;
/** The same for the window that covers the page, which a slow panel has to start first. */
const COVER_MS = 8_000;

interface ScreenLightOptions {
  readonly backlight: BacklightDriver;
  readonly output: OutputDriver;
  readonly window: Pick<DisplayWindow, 'sleep' | 'wake'>;
  /** The brightness that was set, in percent; null before anybody has. */
  readonly isSet: () => number | null;
  /** Keeps a brightness as the one that was set. */
  readonly keep: (percent: number) => Promise<void>;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * The light of the screen: the backlight, else the signal to the screen, and over the page always the black window,
 * which also takes the touch that wakes. A part that fails is logged, and the others go on without it.
 */
export class ScreenLight {
  readonly #options: ScreenLightOptions;
  #isDark = false;
  #onTouch = () => {};
  #dimTo: number | null = null;
  /** Whether the signal to the screen is off, or may be since an earlier run. */
  #isCut = true;
  /** One change of the hardware at a time, in their order. */
  readonly #work = new InTurn();

  constructor(options: ScreenLightOptions) {
    this.#options = options;
  }

  get isDimmed(): boolean {
    return this.#dimTo !== null;
  }

  /** Undoes what a killed service has left. @param brightness as it was set; null before anybody has */
  start(brightness: number | null): Promise<void> {
    return this.#inTurn(async () => {
      if (brightness !== null && this.#dimTo === null) await this.#options.backlight.write(brightness);
      await this.#switch();
    });
  }

  /** Leaves the light on, as bright as it was set. */
  async stop(): Promise<void> {
    if (!this.#isDark && this.#dimTo === null) return this.#work.idle();
    await this.dim(null);
    await this.light();
  }

  /**
   * The window first: without a signal nothing is drawn, and a window that was never drawn hears no touch.
   * @param onTouch called at a touch until `light`, which never reaches the page
   */
  async dark(onTouch: () => void): Promise<void> {
    const { window } = this.#options;
    this.#isDark = true;
    this.#onTouch = onTouch;
    await this.#safely(() => window.sleep(onTouch), 'display: could not cover the page', COVER_MS);
    await this.#inTurn(() => this.#switch());
  }

  async light(): Promise<void> {
    const { window } = this.#options;
    this.#isDark = false;
    await Promise.all([
      this.#safely(() => window.wake(), 'display: could not uncover the page'),
      this.#inTurn(() => this.#switch()),
    ]);
  }

  /** A light that is no brighter than the one that is set, or null for the one that is set. */
  async dim(percent: number | null): Promise<void> {
    if (percent === this.#dimTo) return;
    const was = this.#dimTo;
    this.#dimTo = percent;
    await this.#inTurn(async () => {
      if (was === null) await this.#keepSet();
      await this.#bring();
    });
  }

  /**
   * Sets the brightness; while it is dimmed, the light stays no brighter than that.
   * @throws an errno exception
   */
  async set(percent: number): Promise<void> {
    await this.#options.backlight.write(Math.min(percent, this.#dimTo ?? percent));
  }

  /** Another program may have set it since: that one comes back after a dimmed time, also after kill -9. */
  async #keepSet(): Promise<void> {
    const now = await this.#options.backlight.read();
    if (now !== null && now !== this.#options.isSet()) await this.#options.keep(now);
  }

  async #bring(): Promise<void> {
    const set = this.#options.isSet();
    if (set !== null) await this.#options.backlight.write(Math.min(set, this.#dimTo ?? set));
  }

  /** Brings the hardware to what is wanted by now, which a later call may have changed. */
  async #switch(): Promise<void> {
    const { backlight, output } = this.#options;
    if (this.#isDark) {
      const isOff = await backlight.light(false).catch((error: unknown) => this.#failed(error));
      if (isOff) return;
      this.#isCut = true;
      await output.power(false, () => this.#isDark && this.#onTouch());
    } else {
      const cut = this.#isCut;
      this.#isCut = false;
      await Promise.all([backlight.light(true), cut && output.power(true)]);
    }
  }

  #failed(error: unknown): false {
    this.#options.log.warn({ err: error }, 'display: could not switch the backlight off');
    return false;
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    return this.#work.run(() => this.#safely(work, 'display: could not change the backlight'));
  }

  async #safely(work: () => Promise<void>, line: LogLine, limit = LIMIT_MS): Promise<void> {
    const { clock, log } = this.#options;
    try {
      await inTime(clock, limit, work());
    } catch (error) {
      log.error({ err: error }, line);
    }
  }
}
