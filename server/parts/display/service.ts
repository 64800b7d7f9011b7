import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { ParamsOf } from '../../contract/commands.ts';
import { FaceplateError } from '../../contract/errors.ts';
import { CallQueue, inTime } from '../../platform/async.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import { errnoOf, errnoWords } from '../../platform/errno.ts';
import type { EventBus } from '../../platform/eventBus.ts';
import { StateFile } from '../../platform/files/stateFile.ts';
import type { Logger } from '../../platform/log.ts';
import type { CallContext } from '../callContext.ts';
import { type DisplayRecord, type DisplayState, displayRecord, type IdleState } from './contract.ts';
import type { BacklightDriver, DisplayWindow, OutputDriver, VolumeDriver } from './driver.ts';
import { ScreenLight } from './screenLight.ts';

interface DisplayOptions {
  readonly backlight: BacklightDriver;
  readonly volume: VolumeDriver;
  readonly output: OutputDriver;
  readonly window: DisplayWindow;
  /** Zoom, rotation and the brightness that was set are stored in `<dataDir>/display.json`. */
  readonly dataDir: string;
  readonly events: EventBus;
  readonly log: Logger;
  readonly clock?: Clock;
}

const DEFAULTS: DisplayRecord = { brightness: null, zoom: 1, rotation: 0 };

/** The screen and the volume of the panel, as callers see and change them. */
export class DisplayService {
  readonly #options: DisplayOptions;
  readonly #file: StateFile<DisplayRecord>;
  readonly #readings: Readings;
  readonly #light: ScreenLight;
  /** Changes run one after the other. */
  readonly #queue = new CallQueue();
  #idle: IdleState = 'active';
  #announced: DisplayState | undefined;
  #started = false;
  #asked: Promise<unknown> | undefined;

  constructor(options: DisplayOptions) {
    const { dataDir, backlight, volume, log, clock = systemClock } = options;
    this.#options = options;
    this.#file = new StateFile({
      path: join(dataDir, 'display.json'),
      schema: displayRecord,
      defaults: DEFAULTS,
      log,
    });
    this.#readings = new Readings({ backlight, volume, clock, log });
    this.#light = new ScreenLight({
      ...options,
      clock,
      isSet: () => this.#file.value.brightness,
      keep: (brightness) => this.#file.save({ ...this.#file.value, brightness }),
    });
  }

  /**
   * Shows the page as it was shown before, and lights a screen that a killed service has left dark. Waits for no
   * hardware: a mixer may be slow.
   */
  async start(): Promise<void> {
    const { zoom, rotation } = await this.#file.load();
    this.#started = true;
    const { window, output, log } = this.#options;
    output.start?.(rotation);
    const late = (error: unknown) => log.warn({ err: error }, 'display: could not restore the last state');
    if (zoom !== 1) await window.zoom(zoom).catch(late);
    if (rotation !== 0) await this.#turn(rotation).catch(late);
    void this.#light
      .start(this.#file.value.brightness)
      .then(() => this.#refresh())
      .catch(late);
  }

  /** Leaves the light on, as bright as it was set. */
  async stop(): Promise<void> {
    this.#started = false;
    await this.#queue.idle();
    this.#options.output.stop?.();
    await this.#light.stop();
  }

  /** The state for the first event of a listener, as it was last seen. */
  snapshot(): DisplayState {
    return this.#state();
  }

  /** The state once the hardware was asked: before that it is not known what the screen has. */
  async known(): Promise<DisplayState> {
    this.#asked ??= this.state().catch(() => {
      this.#asked = undefined;
    });
    await this.#asked;
    return this.#state();
  }

  /** Asks the hardware, which others change too. */
  async state(): Promise<DisplayState> {
    await this.#refresh();
    return this.#state();
  }

  /**
   * Changes the given fields. A field that the board does not have changes nothing at all.
   * @param switchTo switches the light off until somebody wakes it, or wakes it; resolves once the screen shows it
   * @throws FaceplateError UNSUPPORTED_HARDWARE, HARDWARE_ERROR, STORAGE_FULL
   */
  async set(
    wanted: ParamsOf<'display.set'>,
    { signal }: Pick<CallContext, 'signal'>,
    switchTo: (on: boolean) => Promise<void>,
  ): Promise<DisplayState> {
    await this.#queue.run(signal, () => this.#set(wanted, switchTo));
    return this.#state();
  }

  /** A lower light than the one that is set, or null for the one that is set. */
  dim(percent: number | null): Promise<void> {
    return this.#light.dim(percent);
  }

  /** The light is off until `light`. @param onTouch called at a touch meanwhile, which never reaches the page */
  dark(onTouch: () => void): Promise<void> {
    return this.#light.dark(onTouch);
  }

  light(): Promise<void> {
    return this.#light.light();
  }

  /** What the idle clock makes of the screen. */
  announce(idle: IdleState): void {
    this.#idle = idle;
    this.#tell();
  }

  async #set(
    { on, brightness, volume, muted, zoom, rotation }: ParamsOf<'display.set'>,
    switchTo: (on: boolean) => Promise<void>,
  ): Promise<void> {
    const { volume: mixer, window } = this.#options;
    await this.#mustHave({ brightness, volume, muted });
    // What may be missing comes first: then nothing has changed.
    if (rotation !== undefined && !(await use(() => this.#turn(rotation))))
      throw new FaceplateError('UNSUPPORTED_HARDWARE', 'Nothing here can turn the screen.', {
        field: 'rotation',
      });
    if (zoom !== undefined) await use(() => window.zoom(zoom));
    if (volume !== undefined) await use(() => mixer.write(volume));
    if (muted !== undefined) await use(() => mixer.mute(muted));
    if (volume !== undefined || muted !== undefined) this.#readings.noteVolume({ volume, muted });
    if (brightness !== undefined) await use(() => this.#light.set(brightness));
    if (on !== undefined) await switchTo(on);
    const next = { ...this.#file.value };
    if (brightness !== undefined) next.brightness = brightness;
    if (zoom !== undefined) next.zoom = zoom;
    if (rotation !== undefined) next.rotation = rotation;
    await this.#file.save(next);
    if (brightness !== undefined) this.#readings.noteBrightness(brightness);
    this.#tell();
  }

  async #mustHave({ brightness, volume, muted }: ParamsOf<'display.set'>): Promise<void> {
    if (brightness === undefined && volume === undefined && muted === undefined) return;
    const now = await this.#readings.fresh();
    if (brightness !== undefined && now.brightness === null) throw absent('brightness', 'brightness to set');
    if (volume !== undefined && now.volume === null) throw absent('volume', 'volume to set');
    if (muted !== undefined && now.volume === null) throw absent('muted', 'sound to mute');
  }

  async #turn(rotation: DisplayState['rotation']): Promise<boolean> {
    const isTurned = await this.#options.output.rotate(rotation);
    return (await this.#options.window.turn(rotation, isTurned)) || isTurned;
  }

  async #refresh(): Promise<void> {
    await this.#readings.fresh();
    this.#tell();
  }

  #state(): DisplayState {
    const { brightness, volume, muted }: Reading = this.#readings.last;
    const { zoom, rotation, brightness: set } = this.#file.value;
    return {
      on: this.#idle !== 'off',
      // While it is dimmed, the hardware says less than what was set.
      brightness: brightness === null ? null : this.#light.isDimmed ? (set ?? brightness) : brightness,
      volume,
      muted,
      idle: this.#idle,
      zoom,
      rotation,
    };
  }

  #tell(): void {
    const state = this.#state();
    if (!this.#started || isDeepStrictEqual(state, this.#announced)) return;
    this.#announced = state;
    this.#options.events.emit('display', state);
  }
}

function absent(field: string, what: string): FaceplateError {
  return new FaceplateError('UNSUPPORTED_HARDWARE', `This board has no ${what}.`, { field });
}

async function use<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    throw new FaceplateError('HARDWARE_ERROR', `The screen or sound failed: ${errnoWords(errno)}.`, {
      cause: error,
    });
  }
}

/** How long a caller waits for one part, in milliseconds; then it gets what was read last. */
const LIMIT_MS = 2_000;

interface Reading {
  readonly brightness: number | null;
  readonly volume: number | null;
  readonly muted: boolean;
}

interface ReadingsOptions {
  readonly backlight: BacklightDriver;
  readonly volume: VolumeDriver;
  readonly clock: Clock;
  readonly log: Logger;
}

/** What the hardware said last. However many ask, it is asked once at a time. */
class Readings {
  readonly #options: ReadingsOptions;
  #last: Reading = { brightness: null, volume: null, muted: false };
  #asking: Promise<void> | undefined;
  /** Counts what was set, so that an older answer does not undo it. */
  #changes = 0;
  /** What could not be read, so that a lasting fault makes one line. */
  readonly #failed = new Set<string>();

  constructor(options: ReadingsOptions) {
    this.#options = options;
  }

  get last(): Reading {
    return this.#last;
  }

  /** Asks the hardware; never fails. */
  async fresh(): Promise<Reading> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    await this.#asking;
    return this.#last;
  }

  noteBrightness(brightness: number): void {
    this.#changes++;
    this.#last = { ...this.#last, brightness };
  }

  noteVolume({ volume, muted }: { volume?: number | undefined; muted?: boolean | undefined }): void {
    this.#changes++;
    this.#last = {
      ...this.#last,
      ...(volume !== undefined && { volume }),
      ...(muted !== undefined && { muted }),
    };
  }

  async #ask(): Promise<void> {
    const changes = this.#changes;
    const { backlight, volume } = this.#options;
    const [light, sound] = await Promise.all([
      this.#read('brightness', () => backlight.read()),
      this.#read('volume', () => volume.read()),
    ]);
    if (changes !== this.#changes) return;
    this.#last = {
      brightness: light === undefined ? this.#last.brightness : light,
      volume: sound === undefined ? this.#last.volume : (sound?.percent ?? null),
      muted: sound === undefined ? this.#last.muted : (sound?.muted ?? false),
    };
  }

  /** @returns undefined when it failed, or did not answer in time */
  async #read<T>(name: string, read: () => Promise<T>): Promise<T | undefined> {
    try {
      const value = await inTime(this.#options.clock, LIMIT_MS, read());
      this.#failed.delete(name);
      return value;
    } catch (error) {
      if (!this.#failed.has(name))
        this.#options.log.warn({ err: error, reading: name }, 'display: could not read');
      this.#failed.add(name);
      return undefined;
    }
  }
}
