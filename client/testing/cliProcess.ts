import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const MAIN = join(import.meta.dirname, '../cli/main.ts');

interface CliOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly input?: string;
}

/** The command line as a person runs it: its own process. */
export class CliProcess {
  readonly child: ChildProcess;
  readonly #closed: Promise<unknown>;
  stdout = '';
  stderr = '';

  constructor(args: readonly string[], { env = {}, cwd, input }: CliOptions = {}) {
    // Settings of the person who runs the tests must not reach it.
    const clean = Object.entries(process.env).filter(([name]) => !/^(?:FACEPLATE_|NODE_TEST)/.test(name));
    this.child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', MAIN, ...args], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...Object.fromEntries(clean), ...env },
      ...(cwd !== undefined && { cwd }),
    });
    // Not its exit: what it wrote last is read only afterwards.
    this.#closed = once(this.child, 'close');
    this.child.stdin?.end(input ?? '');
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
    });
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
  }

  /** Waits for its end. */
  async ended(): Promise<{ code: number | null; stdout: string; stderr: string }> {
    await this.#closed;
    return { code: this.child.exitCode, stdout: this.stdout, stderr: this.stderr };
  }

  /** Ctrl+C. */
  interrupt(): void {
    this.child.kill('SIGINT');
  }
}
