import { once } from 'node:events';
import { errnoError } from '../../platform/errno.ts';
import type { PcmFormat, SoundDriver, SoundOutput } from './driver.ts';
import { Program, soundEnvironment } from './program.ts';

/** Microseconds of sound that the device holds: little enough to begin at once, enough for a busy machine. */
const BUFFER_US = 300_000;
/** Milliseconds that an opened device may take for what it was given; a stuck one never asks for more. */
const PATIENCE_MS = 10_000;

/**
 * The system's default output, by `aplay` (alsa-utils). ALSA's `default` leads to PipeWire or PulseAudio where they
 * run, and to the card itself elsewhere; there its `dmix` lets others play at the same time.
 */
export class AlsaSound implements SoundDriver {
  readonly name = 'alsa';
  readonly path = null;
  readonly simulated = false;
  readonly #env: NodeJS.ProcessEnv;
  readonly #outputs = new Set<AlsaOutput>();

  /** @param env in which ALSA looks for its configuration */
  constructor(env: NodeJS.ProcessEnv = process.env) {
    this.#env = soundEnvironment(env);
  }

  /** Opens the device for a moment. @throws ENOENT without a device or without aplay; EBUSY, EACCES */
  async start(): Promise<void> {
    const output = await this.open({ rate: 48_000, channels: 2 });
    await output.end();
  }

  async stop(): Promise<void> {
    for (const output of this.#outputs) output.cut();
  }

  async open({ rate, channels }: PcmFormat): Promise<SoundOutput> {
    const format = ['-t', 'raw', '-f', 'S16_LE', '-r', String(rate), '-c', String(channels)];
    const program = new Program('aplay', [...format, `--buffer-time=${BUFFER_US}`, '-'], {
      input: 'pipe',
      env: this.#env,
    });
    const output = new AlsaOutput(program);
    this.#outputs.add(output);
    const forget = () => this.#outputs.delete(output);
    program.ended.then(forget, forget);
    await output.opened();
    return output;
  }
}

class AlsaOutput implements SoundOutput {
  readonly #program: Program;

  constructor(program: Program) {
    this.#program = program;
  }

  /** aplay says what it plays as soon as the device is open. */
  async opened(): Promise<void> {
    const heard = new AbortController();
    const said = (async () => {
      while (!this.#program.said.includes('Playing ')) await once(this.#program.messages, 'data', heard);
    })();
    await this.#before(Promise.race([said, this.#failure()])).finally(() => {
      heard.abort();
      said.catch(() => {});
    });
  }

  async write(samples: Uint8Array): Promise<void> {
    if (this.#program.hasEnded) throw failureOf(this.#program.said);
    if (this.#program.input.write(samples)) return;
    const drained = new AbortController();
    const room = once(this.#program.input, 'drain', drained);
    await this.#before(Promise.race([room, this.#failure()])).finally(() => {
      drained.abort();
      room.catch(() => {});
    });
  }

  async end(): Promise<void> {
    this.#program.input.end();
    const code = await this.#before(this.#program.ended);
    if (code !== 0) throw failureOf(this.#program.said);
  }

  cut(): void {
    this.#program.kill();
  }

  /** Rejects when aplay ends. */
  async #failure(): Promise<never> {
    await this.#program.ended;
    throw failureOf(this.#program.said);
  }

  async #before<T>(work: Promise<T>): Promise<T> {
    let limit: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_resolve, reject) => {
      limit = setTimeout(() => {
        this.cut();
        reject(errnoError('ETIMEDOUT', 'the sound device takes no samples'));
      }, PATIENCE_MS);
    });
    return Promise.race([work, late]).finally(() => clearTimeout(limit));
  }
}

/** What aplay's words mean, by the last line that names a system error. */
const FAILURES: readonly [RegExp, string][] = [
  [/Device or resource busy/, 'EBUSY'],
  [/Permission denied/, 'EACCES'],
  [/No such device/, 'ENODEV'],
  [/No such file or directory|Connection refused|Host is down|Connection terminated/, 'ENOENT'],
];

function failureOf(said: string): Error {
  const last = said.trim().split('\n').at(-1) ?? '';
  const [, errno] = FAILURES.find(([words]) => words.test(last)) ?? [undefined, 'EIO'];
  return errnoError(errno, `aplay failed: ${last}`);
}
