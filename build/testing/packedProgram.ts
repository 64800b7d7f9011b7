import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { FaceplateProcess } from '../../server/testing/faceplateProcess.ts';
import { until } from '../../server/testing/waiting.ts';

/** Three times what a stop may take, in milliseconds: test machines are busy. */
const STOP_MS = 3 * 4_500;
/** For a start that fails, in milliseconds. */
const REFUSAL_MS = 60_000;

interface Options {
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** The data folder of a service that runs. */
  readonly dataDir?: string;
}

/** Starts programs that lie below a folder of the test, on a screen of the test. */
export class PackedPrograms {
  readonly #work: string;
  readonly #display: string;

  constructor(work: string, display: string) {
    this.#work = work;
    this.#display = display;
  }

  /** A service with this program, not started yet. */
  service(program: string, { env, ...options }: Options = {}): FaceplateProcess {
    return new FaceplateProcess({
      ...options,
      env: {
        FACEPLATE_HOST: 'electron',
        FACEPLATE_BOARD: 'simulated',
        DISPLAY: this.#display,
        WAYLAND_DISPLAY: '',
        // A program that was killed leaves files there.
        TMPDIR: this.#work,
        ...env,
      },
      spawn: async (args, env) => spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] }),
    });
  }

  /** Starts a service for `use`, then stops it in order: nothing of it is left. */
  async whileRunning(
    service: FaceplateProcess,
    use: () => Promise<void>,
    signal: NodeJS.Signals = 'SIGTERM',
  ): Promise<void> {
    try {
      await service.start();
      await use();
    } catch (error) {
      await service.stop('SIGKILL');
      throw error;
    }
    const { code, signal: killedBy, ms } = await service.stop(signal);
    assert.deepEqual({ code, killedBy }, { code: 0, killedBy: null }, service.output);
    assert.ok(ms < STOP_MS, `${ms} ms`);
    await this.nothingRuns();
  }

  /** Starts a program that ends by itself, and leaves nothing. @returns its words and its status */
  async ended(program: string, options: Options = {}): Promise<{ code: number | null; output: string }> {
    const service = this.service(program, options);
    const cutOff = setTimeout(() => void service.stop('SIGKILL'), REFUSAL_MS);
    try {
      await service.launch();
      const { code } = await service.ended();
      return { code, output: service.output };
    } finally {
      clearTimeout(cutOff);
      await service.stop();
      // The service whose data folder it was to share still runs.
      if (options.dataDir === undefined) await this.nothingRuns();
    }
  }

  /** Resolves when no process of any program below the folder is left. */
  async nothingRuns(): Promise<void> {
    const running = () =>
      readdirSync('/proc').some((pid) => /^\d+$/.test(pid) && commandLine(pid).includes(`${this.#work}/`));
    await until(() => !running(), 'the end of every process');
  }
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
