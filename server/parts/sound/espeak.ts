import { FaceplateError } from '../../contract/errors.ts';
import { errnoOf } from '../../platform/errno.ts';
import type { Pcm, PcmFormat, Voice } from './driver.ts';
import { Program, soundEnvironment } from './program.ts';

/** Words per minute: calmer than eSpeak's own 175, to be understood across a room. */
const SPEED = 155;
/** Bytes of the header of a WAV file as eSpeak writes it. */
const HEADER_BYTES = 44;
/** Rate of all voices of eSpeak NG, used where a text gives not even a header. */
const SILENCE: PcmFormat = { rate: 22_050, channels: 1 };

/** Languages that are looked for at a time, and that are remembered: a caller can name thousands. */
const MAX_LOOKING = 4;
const MAX_KNOWN = 200;

/** Reads aloud with eSpeak NG, which has its voices within itself. It makes samples much faster than they are heard. */
export class EspeakVoice implements Voice {
  /** Whether there is a voice for what was asked for: asking again would take a process each time. */
  readonly #known = new Map<string, Promise<boolean>>();
  #looking = 0;

  async find(language: string): Promise<string | undefined> {
    const wanted = language.toLowerCase();
    const [base] = wanted.split('-', 1);
    for (const name of new Set([wanted, base!])) if (await this.#has(name)) return name;
    return undefined;
  }

  /** @throws FaceplateError CONFLICT when too many languages are looked for at a time */
  #has(language: string): Promise<boolean> {
    const known = this.#known.get(language);
    if (known) return known;
    if (this.#looking >= MAX_LOOKING)
      throw new FaceplateError('CONFLICT', 'Too many languages are looked for at a time. Try again.');
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#looking++;
    const found = hasVoice(language).finally(() => this.#looking--);
    this.#known.set(language, found);
    // Without the program it may be installed meanwhile.
    found.catch(() => this.#known.delete(language));
    return found;
  }

  async speak(text: string, voice: string, signal: AbortSignal): Promise<Pcm> {
    const args = ['--stdin', '--stdout', '-b', '1', '-s', String(SPEED), '-v', voice];
    const program = new Program('espeak-ng', args, { input: 'pipe', env: soundEnvironment(), signal });
    // The text comes by the pipe: a command line is seen by every user of the machine.
    program.input.end(text);
    const chunks = program.output();
    let head: Buffer = Buffer.alloc(0);
    while (head.length < HEADER_BYTES) {
      const { done, value } = await chunks.next();
      if (done) break;
      head = Buffer.concat([head, value]);
    }
    signal.throwIfAborted();
    if (head.length < HEADER_BYTES) {
      if ((await program.ended.catch(missing)) !== 0)
        throw new FaceplateError('HARDWARE_ERROR', 'The speech engine failed.');
      return { format: SILENCE, chunks: [] };
    }
    const format: PcmFormat = { rate: head.readUInt32LE(24), channels: 1 };
    return { format, chunks: withFirst(head.subarray(HEADER_BYTES), chunks) };
  }
}

async function* withFirst(first: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<Uint8Array> {
  try {
    if (first.length > 0) yield first;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

/** Whether eSpeak takes it as a voice: it then reads an empty text and says nothing. */
async function hasVoice(language: string): Promise<boolean> {
  const args = ['--stdin', '-q', '-b', '1', '-v', language];
  const program = new Program('espeak-ng', args, { input: 'pipe', env: soundEnvironment() });
  program.input.end();
  return (await program.ended.catch(missing)) === 0;
}

function missing(error: unknown): never {
  if (errnoOf(error) === undefined) throw error;
  throw new FaceplateError(
    'UNSUPPORTED_HARDWARE',
    'This panel has no speech engine: install the Debian package espeak-ng.',
    { cause: error },
  );
}
