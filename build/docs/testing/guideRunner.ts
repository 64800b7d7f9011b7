import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdir, readdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freeTcpPort } from '../../../server/testing/freePort.ts';
import { temporaryFolder } from '../../../server/testing/temporaryFolder.ts';
import type { ShellBlock } from './guide.ts';

const root = join(import.meta.dirname, '../../..');

/** Longest time for a block, and for the service to be ready, in milliseconds; generous, because test machines are busy. */
const LIMIT_MS = 60_000;
/** How long a block that does not end by itself is watched, in seconds. */
const WATCH_SECONDS = 2;
/** The same for the command line, which starts first. */
const CLI_SECONDS = 15;

/** curl ends its answers with a line break, says what went wrong and fails when the panel refuses. */
const PRELUDE = `exec 2>&1
set -o pipefail
sudo() { "$@"; }
curl() {
  command curl --silent --show-error --fail-with-body --write-out '\\n' "$@"
}
`;

interface BlockResult {
  readonly status: number;
  readonly output: string;
}

/**
 * Runs the blocks of a guide as a reader would: one shell for all of them, in the folder of the project (links to it, in
 * a scratch folder), with a home of its own. It replaces three things: the usual port by a free one (also for the command line), the data folder of
 * the package by that of this home, and sudo by nothing. curl fails when the panel refuses.
 */
export class GuideRunner implements AsyncDisposable {
  #folder = '';
  #port = 0;
  #service: ChildProcess | undefined;
  #shell: ChildProcess | undefined;
  #printed = '';
  #readLine: ((line: string) => void) | undefined;

  async start(): Promise<void> {
    this.#folder = temporaryFolder('guide');
    // The browser runs as another user, whose profile is below the data folder.
    await chmod(this.#folder, 0o711);
    this.#port = await freeTcpPort();
    await mkdir(this.#project);
    await mkdir(join(this.#home, '.local/state/faceplate'), { recursive: true, mode: 0o711 });
    // A copy: where `npm start` finds linked packages beside itself it does not install them anew.
    await cp(join(root, 'build/setup'), join(this.#project, 'build/setup'), { recursive: true });
    // What makes the app: it finds its own folder.
    await cp(join(root, 'build/bundle'), join(this.#project, 'build/bundle'), { recursive: true });
    const entries = (await readdir(root)).filter((name) => name !== '.git' && name !== 'build');
    for (const name of entries) await symlink(join(root, name), join(this.#project, name));
    this.#shell = spawn('bash', ['--norc', '--noprofile'], this.#options());
    createInterface({ input: this.#shell.stdout! }).on('line', (line) => this.#readLine?.(line));
    this.#shell.stdin!.write(`${PRELUDE}export FACEPLATE_PANEL=127.0.0.1:${this.#port}\n`);
  }

  /** Starts the service by the lines of the block, and waits until it is ready. @throws with its output when it is not */
  async startService(lines: string): Promise<void> {
    // `exec`, so that the signal of the end reaches the program.
    const service = spawn('bash', ['-c', `exec ${this.#adapt(lines)}`], {
      ...this.#options(),
      detached: true,
    });
    this.#service = service;
    const ready = new Promise<void>((resolve, reject) => {
      for (const stream of [service.stdout!, service.stderr!]) {
        createInterface({ input: stream }).on('line', (line) => {
          this.#printed += `${line}\n`;
          if (line.startsWith('faceplate ready ')) resolve();
        });
      }
      service.once('exit', () => reject(new Error(`The service ended:\n${this.#printed}`)));
    });
    await this.#within(ready, 'the service to be ready');
  }

  /** Runs a block in the shell of the guide. */
  async run({ text, endless }: Pick<ShellBlock, 'text' | 'endless'>): Promise<BlockResult> {
    const lines: string[] = [];
    const status = new Promise<number>((resolve) => {
      this.#readLine = (line) => {
        // The output of the block may end without a line break.
        const [, before, code] = /^(.*)::end of block (\d+)$/.exec(line) ?? [undefined, line, undefined];
        lines.push(before!);
        if (code !== undefined) resolve(Number(code));
      };
    });
    const adapted = this.#adapt(text);
    const lasting = endless
      ? adapted
          .replace('curl -N', `curl -N --max-time ${WATCH_SECONDS}`)
          .replace('npx faceplate', `timeout --signal=INT ${CLI_SECONDS} npx faceplate`)
      : adapted;
    // In the shell itself, so that variables stay; the trap keeps the status of what failed.
    const quoted = lasting.replaceAll("'", "'\\''");
    this.#shell!.stdin!.write(
      `status=0; trap 'status=$?' ERR; eval '${quoted}' </dev/null; trap - ERR\nprintf '::end of block %s\\n' "$status"\n`,
    );
    const code = await this.#within(status, `"${text.trim()}" to end`);
    return { status: code, output: lines.join('\n').trim() };
  }

  /** Ends shell and service, as Ctrl+C would. Safe to call twice. @returns the exit status of the service */
  async stop(): Promise<number | null> {
    this.#shell?.stdin?.end();
    const service = this.#service;
    this.#service = undefined;
    if (this.#shell && this.#shell.exitCode === null) await once(this.#shell, 'exit');
    let status: number | null = 0;
    if (service) {
      if (service.exitCode === null) {
        process.kill(-service.pid!, 'SIGINT');
        await once(service, 'exit');
      }
      status = service.exitCode;
    }
    if (this.#folder !== '') await rm(this.#folder, { recursive: true, force: true });
    return status;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  get #home(): string {
    return join(this.#folder, 'home');
  }

  get #project(): string {
    return join(this.#folder, 'faceplate');
  }

  #adapt(lines: string): string {
    return lines
      .replaceAll('127.0.0.1:8080', `127.0.0.1:${this.#port}`)
      .replaceAll('/var/lib/faceplate/', '~/.local/state/faceplate/');
  }

  #options() {
    const settings = {
      HOME: this.#home,
      // npm does not look for newer versions of itself.
      npm_config_update_notifier: 'false',
      FACEPLATE_HTTP_PORT: String(this.#port),
      FACEPLATE_HTTP_HOST: '127.0.0.1',
      FACEPLATE_BOARD: 'simulated',
      FACEPLATE_KIOSK_HEADLESS: 'true',
    };
    const kept = Object.entries(process.env).filter(
      ([name]) => !/^(FACEPLATE_|XDG_STATE_HOME$|NODE_TEST_CONTEXT$|npm_)/.test(name),
    );
    return { cwd: this.#project, env: { ...Object.fromEntries(kept), ...settings } };
  }

  async #within<T>(wanted: Promise<T>, what: string): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () => reject(new Error(`timed out waiting for ${what}:\n${this.#printed}`)),
        LIMIT_MS,
      );
    });
    try {
      return await Promise.race([wanted, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}
