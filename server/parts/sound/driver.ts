import type { FileHandle } from 'node:fs/promises';
import type { Clock } from '../../platform/clock.ts';
import { errnoOf } from '../../platform/errno.ts';
import type { DeviceDriver } from '../device.ts';

/** Signed 16 bit samples, little-endian, the channels in turns. */
export interface PcmFormat {
  /** Samples per second and channel. */
  readonly rate: number;
  readonly channels: 1 | 2;
}

/** Samples of one format as they come. */
export interface Pcm {
  readonly format: PcmFormat;
  readonly chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/** An opened loudspeaker. Its failures are exceptions with a `code` such as EIO. */
export interface SoundOutput {
  /** Resolves once there is room for more: about as fast as the samples are heard. */
  write(samples: Uint8Array): Promise<void>;
  /** Resolves once everything has been heard. */
  end(): Promise<void>;
  /** Is silent at once, whatever was written. */
  cut(): void;
}

/** The loudspeaker of the panel. Others, such as the browser, may use it at the same time. */
export interface SoundDriver extends DeviceDriver {
  /** Opens it for samples of a format. */
  open(format: PcmFormat): Promise<SoundOutput>;
}

/** Turns files of strangers into samples, outside our own process. */
export interface SoundDecoder {
  /**
   * The samples of a sound file, as they are decoded. Ends its work when no one reads on.
   * @throws FaceplateError MEDIA_UNREACHABLE when it is no sound that can be played, UNSUPPORTED_HARDWARE without the
   * program
   */
  decode(file: FileHandle, signal: AbortSignal): Promise<Pcm>;
}

/** Reads text aloud, without a network. */
export interface Voice {
  /**
   * The name of its voice for a language such as `de` or `pt-BR`; undefined when it has none.
   * @throws FaceplateError UNSUPPORTED_HARDWARE without the program
   */
  find(language: string): Promise<string | undefined>;
  /** The samples of a text, as they are made. @param voice from `find` */
  speak(text: string, voice: string, signal: AbortSignal): Promise<Pcm>;
}

/** Milliseconds of sound that the silent device holds. */
const BUFFER_MS = 300;

/**
 * The loudspeaker of a simulated board: that of this machine where it has one, so that one hears at the desk what the
 * panel does; elsewhere a silent one that takes exactly as long.
 */
export class SimulatedSound implements SoundDriver {
  readonly name = 'simulated';
  readonly path = null;
  readonly simulated = true;
  readonly #real: SoundDriver;
  readonly #clock: Clock;
  #isHeard = false;

  constructor(real: SoundDriver, clock: Clock) {
    this.#real = real;
    this.#clock = clock;
  }

  async start(): Promise<void> {
    this.#isHeard = await this.#real.start().then(
      () => true,
      (error: unknown) => {
        if (errnoOf(error) === undefined) throw error;
        return false;
      },
    );
  }

  stop(): Promise<void> {
    return this.#real.stop();
  }

  async open(format: PcmFormat): Promise<SoundOutput> {
    return this.#isHeard ? this.#real.open(format) : new SilentOutput(format, this.#clock);
  }
}

/** Takes samples as fast as a loudspeaker does. */
class SilentOutput implements SoundOutput {
  readonly #bytesPerMs: number;
  readonly #clock: Clock;
  /** When the last sample will have been heard. */
  #until: number;
  #wake: (() => void) | undefined;
  #isCut = false;

  constructor({ rate, channels }: PcmFormat, clock: Clock) {
    this.#bytesPerMs = (rate * channels * 2) / 1_000;
    this.#clock = clock;
    this.#until = clock.now();
  }

  async write(samples: Uint8Array): Promise<void> {
    this.#until = Math.max(this.#until, this.#clock.now()) + samples.length / this.#bytesPerMs;
    await this.#wait(this.#until - this.#clock.now() - BUFFER_MS);
  }

  async end(): Promise<void> {
    await this.#wait(this.#until - this.#clock.now());
  }

  cut(): void {
    this.#isCut = true;
    this.#wake?.();
  }

  #wait(milliseconds: number): Promise<void> {
    if (this.#isCut || milliseconds <= 0) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = this.#clock.after(milliseconds, resolve);
      this.#wake = () => {
        cancel();
        resolve();
      };
    });
  }
}
