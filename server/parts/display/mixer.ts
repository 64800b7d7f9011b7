import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { errnoError } from '../../platform/errno.ts';
import type { Volume, VolumeDriver } from './driver.ts';

const run = promisify(execFile);
/** A mixer that takes longer is taken for one that does not answer, in milliseconds. */
const LIMIT_MS = 1_500;
/** What a mixer may say, in bytes. */
const MAX_BYTES = 64 * 1024;
/** The output that nothing more special is chosen for (ALSA), from the usual to the rare. */
const CONTROLS = ['Master', 'Speaker', 'Headphone', 'PCM', 'Playback', 'Digital', 'Line Out'];

interface MixerProgram {
  readonly program: string;
  /** The control that is read and set; the programs that need none have one of their own. */
  readonly controls: readonly string[];
  read(control: string): string[];
  volume(text: string): Volume;
  write(control: string, percent: number): string[];
  mute(control: string, muted: boolean): string[];
}

/** The programs that can read and set the volume of the default output, in the order of the attempts. */
const MIXERS: readonly MixerProgram[] = [
  {
    program: 'wpctl',
    controls: ['@DEFAULT_AUDIO_SINK@'],
    read: (control) => ['get-volume', control],
    // "Volume: 0.40 [MUTED]"
    volume: (text) => ({
      percent: 100 * Number(/Volume: ([\d.]+)/.exec(text)?.[1]),
      muted: text.includes('[MUTED]'),
    }),
    write: (control, percent) => ['set-volume', control, `${percent}%`],
    mute: (control, muted) => ['set-mute', control, muted ? '1' : '0'],
  },
  {
    program: 'amixer',
    controls: CONTROLS,
    read: (control) => ['sget', control],
    // "Front Left: Playback 26214 [40%] [on]"
    volume: (text) => ({ percent: Number(/\[(\d+)%\]/.exec(text)?.[1]), muted: text.includes('[off]') }),
    write: (control, percent) => ['sset', control, `${percent}%`],
    mute: (control, muted) => ['sset', control, muted ? 'mute' : 'unmute'],
  },
];

interface Found {
  readonly mixer: MixerProgram;
  readonly control: string;
}

/**
 * The volume of the system's mixer, where one of its programs is installed and answers.
 * @param env whose PATH the programs are looked for in
 */
export class Mixer implements VolumeDriver {
  readonly #env: NodeJS.ProcessEnv;
  #found: Found | undefined;

  constructor(env: NodeJS.ProcessEnv = process.env) {
    // Numbers with a dot, whatever the language of the system.
    this.#env = { ...env, LC_ALL: 'C' };
  }

  async read(): Promise<Volume | null> {
    const known = this.#found;
    const volume = known && (await this.#ask(known).catch(() => undefined));
    return volume ?? (await this.#look());
  }

  async write(percent: number): Promise<void> {
    await this.#change(({ mixer, control }) => mixer.write(control, percent));
  }

  async mute(muted: boolean): Promise<void> {
    await this.#change(({ mixer, control }) => mixer.mute(control, muted));
  }

  /** Takes the first mixer and control that answers. */
  async #look(): Promise<Volume | null> {
    this.#found = undefined;
    for (const mixer of MIXERS)
      for (const control of mixer.controls) {
        try {
          const volume = await this.#ask({ mixer, control });
          this.#found = { mixer, control };
          return volume;
        } catch (error) {
          // Any other answer holds for its other controls as well: no card, no program, no time.
          if (!/simple control/.test(String((error as { stderr?: unknown }).stderr))) break;
        }
      }
    return null;
  }

  async #ask({ mixer, control }: Found): Promise<Volume> {
    const { percent, muted } = mixer.volume(await this.#run(mixer.program, mixer.read(control)));
    if (Number.isNaN(percent)) throw new Error(`${mixer.program} reports no volume`);
    return { percent: Math.min(100, Math.round(percent)), muted };
  }

  async #change(args: (found: Found) => string[]): Promise<void> {
    const found = this.#found;
    if (found === undefined) throw errnoError('ENODEV', 'no mixer');
    const { program } = found.mixer;
    await this.#run(program, args(found)).catch((cause: unknown) => {
      throw errnoError('EIO', `${program} failed`, cause);
    });
  }

  async #run(program: string, args: string[]): Promise<string> {
    const limits = { timeout: LIMIT_MS, killSignal: 'SIGKILL', maxBuffer: MAX_BYTES } as const;
    return (await run(program, args, { ...limits, env: this.#env })).stdout;
  }
}
