import type { Pcm, PcmFormat, SoundDriver, SoundOutput } from './driver.ts';

/** Longest piece that is played, in seconds: a small file may hold days of silence. */
const MAX_SECONDS = 30 * 60;

/** A piece of a sound: opened anew each time it is played. */
export type Piece = (signal: AbortSignal) => Promise<Pcm>;

interface Score {
  readonly pieces: readonly Piece[];
  /** How often the pieces are played, all of them in turn; may be infinite. */
  readonly times: number;
  /** Percent. */
  readonly volume: number;
  readonly signal: AbortSignal;
  /** Called once, when the loudspeaker has the first samples. */
  onBegun(): void;
}

/**
 * Plays pieces one after the other and resolves once all has been heard. Pieces of one format follow each other without
 * a gap. When `signal` aborts, it is silent at once.
 * @throws the reason of `signal`; what a piece or the driver throws
 */
export async function play(driver: SoundDriver, score: Score): Promise<void> {
  const { pieces, times, volume, signal } = score;
  const speaker = new Speaker(driver, volume, signal);
  const cut = () => speaker.cut();
  signal.addEventListener('abort', cut, { once: true });
  try {
    for (let time = 0; time < times; time++) {
      let heard = 0;
      for (const piece of pieces) {
        signal.throwIfAborted();
        heard += await speaker.play(await piece(signal), score.onBegun);
      }
      // A round without a single sample takes no time: repeating it would only keep the machine busy.
      if (heard === 0) break;
    }
    await speaker.end();
    signal.throwIfAborted();
    // Nothing to be heard, such as a text of blanks.
    score.onBegun();
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', cut);
    speaker.cut();
  }
}

/** The output in use, for as long as the format stays. */
class Speaker {
  readonly #driver: SoundDriver;
  readonly #volume: number;
  readonly #signal: AbortSignal;
  #output: SoundOutput | undefined;
  #format: PcmFormat | undefined;

  constructor(driver: SoundDriver, volume: number, signal: AbortSignal) {
    this.#driver = driver;
    this.#volume = volume;
    this.#signal = signal;
  }

  /** @returns the bytes that were played */
  async play({ format, chunks }: Pcm, onBegun: () => void): Promise<number> {
    const gain = new Gain(this.#volume);
    const room = MAX_SECONDS * format.rate * format.channels * 2;
    let played = 0;
    for await (const chunk of chunks) {
      const output = await this.#outputFor(format);
      this.#signal.throwIfAborted();
      await output.write(gain.apply(chunk));
      this.#signal.throwIfAborted();
      onBegun();
      played += chunk.length;
      if (played >= room) break;
    }
    return played;
  }

  async end(): Promise<void> {
    await this.#output?.end();
    this.#output = undefined;
  }

  cut(): void {
    this.#output?.cut();
  }

  async #outputFor(format: PcmFormat): Promise<SoundOutput> {
    if (this.#output && this.#format?.rate === format.rate && this.#format.channels === format.channels)
      return this.#output;
    await this.end();
    this.#format = format;
    this.#output = await this.#driver.open(format);
    return this.#output;
  }
}

/** Makes samples quieter. Chunks may end in the middle of a sample. */
class Gain {
  readonly #factor: number;
  /** The first half of a sample whose second half comes with the next chunk. */
  #half: number | undefined;

  /** @param percent of the amplitude, 0 to 100 */
  constructor(percent: number) {
    this.#factor = percent / 100;
  }

  apply(samples: Uint8Array): Uint8Array {
    if (this.#factor === 1) return samples;
    const held = this.#half === undefined ? [] : [this.#half];
    const bytes = Buffer.concat([Buffer.from(held), samples]);
    const whole = bytes.length - (bytes.length % 2);
    this.#half = bytes.length > whole ? bytes[whole] : undefined;
    for (let at = 0; at < whole; at += 2)
      bytes.writeInt16LE(Math.round(bytes.readInt16LE(at) * this.#factor), at);
    return bytes.subarray(0, whole);
  }
}
