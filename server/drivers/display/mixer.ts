import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { errnoError } from '../../platform/errno.ts';
import type { LevelDriver } from '../../services/display/driver.ts';

const run = promisify(execFile);
const LIMIT_MS = 2_000;

/** The programs that can read and set the volume of the default output, in the order of the attempts. */
const MIXERS = [
  {
    program: 'wpctl',
    read: ['get-volume', '@DEFAULT_AUDIO_SINK@'],
    // "Volume: 0.40"
    percent: (text: string) => 100 * Number(/Volume: ([\d.]+)/.exec(text)?.[1]),
    write: (percent: number) => ['set-volume', '@DEFAULT_AUDIO_SINK@', `${percent}%`],
  },
  {
    program: 'amixer',
    read: ['sget', 'Master'],
    // "Front Left: Playback 26214 [40%] [on]"
    percent: (text: string) => Number(/\[(\d+)%\]/.exec(text)?.[1]),
    write: (percent: number) => ['sset', 'Master', `${percent}%`],
  },
];

/**
 * The volume of the system's mixer, where one of its programs is installed and answers.
 * @param env whose PATH the programs are looked for in
 */
export class Mixer implements LevelDriver {
  readonly #env: NodeJS.ProcessEnv;
  #mixer: (typeof MIXERS)[number] | undefined;

  constructor(env: NodeJS.ProcessEnv = process.env) {
    // Numbers with a dot, whatever the language of the system.
    this.#env = { ...env, LC_ALL: 'C' };
  }

  async read(): Promise<number | null> {
    for (const mixer of this.#mixer ? [this.#mixer] : MIXERS) {
      const percent = await this.#run(mixer.program, mixer.read).then(
        (told) => Math.round(mixer.percent(told)),
        () => Number.NaN,
      );
      if (Number.isNaN(percent)) continue;
      this.#mixer = mixer;
      return Math.min(100, percent);
    }
    return null;
  }

  async write(percent: number): Promise<void> {
    if (this.#mixer === undefined) return;
    const { program, write } = this.#mixer;
    await this.#run(program, write(percent)).catch((cause: unknown) => {
      throw errnoError('EIO', `${program} failed`, cause);
    });
  }

  async #run(program: string, args: string[]): Promise<string> {
    return (await run(program, args, { timeout: LIMIT_MS, env: this.#env })).stdout;
  }
}
