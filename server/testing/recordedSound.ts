import { chmodSync, writeFileSync } from 'node:fs';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from './temporaryFolder.ts';

/** Strength of a frequency in samples, 0 to 1 for a full sine (Goertzel's algorithm). */
export function strengthOf(hertz: number, samples: Int16Array, rate: number): number {
  const coefficient = 2 * Math.cos((2 * Math.PI * hertz) / rate);
  let [before, last] = [0, 0];
  for (const sample of samples) [before, last] = [last, sample / 32_768 + coefficient * last - before];
  const power = last ** 2 + before ** 2 - coefficient * last * before;
  return (2 * Math.sqrt(power)) / samples.length;
}

/** Root mean square of samples, 0 to 1. */
export function loudness(samples: Int16Array): number {
  let sum = 0;
  for (const sample of samples) sum += (sample / 32_768) ** 2;
  return Math.sqrt(sum / Math.max(1, samples.length));
}

/** Bytes as samples. */
export function samplesIn(bytes: Uint8Array): Int16Array {
  const copy = new Uint8Array(bytes.length - (bytes.length % 2));
  copy.set(bytes.subarray(0, copy.length));
  return new Int16Array(copy.buffer);
}

/** All samples of a source, as they come. */
export async function samplesOf(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<Int16Array> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return samplesIn(Buffer.concat(all));
}

/** A WAV file of one channel. @param sample its value, -1 to 1, at a time in seconds */
export function wavFile(seconds: number, sample: (time: number) => number, rate = 48_000): Buffer {
  const count = Math.round(seconds * rate);
  const file = Buffer.alloc(44 + 2 * count);
  file.write('RIFF', 0);
  file.writeUInt32LE(36 + 2 * count, 4);
  file.write('WAVEfmt ', 8);
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(rate, 24);
  file.writeUInt32LE(2 * rate, 28);
  file.writeUInt16LE(2, 32);
  file.writeUInt16LE(16, 34);
  file.write('data', 36);
  file.writeUInt32LE(2 * count, 40);
  for (let i = 0; i < count; i++) file.writeInt16LE(Math.round(32_767 * sample(i / rate)), 44 + 2 * i);
  return file;
}

/** A sine of half the full level. */
export function sine(hertz: number): (time: number) => number {
  return (time) => 0.5 * Math.sin(2 * Math.PI * hertz * time);
}

/** A configuration of ALSA in which nothing can be opened. */
export class NoCard {
  readonly #folder = temporaryFolder('no-card');

  constructor() {
    chmodSync(this.#folder, 0o755);
    writeFileSync(this.#config, '</usr/share/alsa/alsa.conf>\npcm.!default { type hw card 31 }\n');
  }

  get env(): Record<'ALSA_CONFIG_PATH', string> {
    return { ALSA_CONFIG_PATH: this.#config };
  }

  get #config(): string {
    return join(this.#folder, 'asound.conf');
  }
}

/** A sound card of ALSA that writes what it plays into a file, faster than it could be heard. */
export class RecordingCard {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async make(): Promise<RecordingCard> {
    const card = new RecordingCard(temporaryFolder('card'));
    const slave = `type file slave.pcm "null" file "${card.#file}" format "wav"`;
    const text = `</usr/share/alsa/alsa.conf>\npcm.!default { type plug slave.pcm { ${slave} } }\n`;
    await writeFile(card.#config, text);
    // A service of the tests may run as another user.
    await chmod(card.#folder, 0o777);
    return card;
  }

  /** The environment in which this card is the default. */
  get env(): Record<'ALSA_CONFIG_PATH', string> {
    return { ALSA_CONFIG_PATH: this.#config };
  }

  /** What was played last, of all channels. */
  async samples(): Promise<Int16Array> {
    return samplesIn((await readFile(this.#file)).subarray(44));
  }

  get #config(): string {
    return join(this.#folder, 'asound.conf');
  }

  get #file(): string {
    return join(this.#folder, 'played.wav');
  }
}
