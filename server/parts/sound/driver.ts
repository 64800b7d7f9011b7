import type { FileHandle } from 'node:fs/promises';
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
   * The samples of a sound file, as they are decoded. Ends its work when nobody reads on.
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
