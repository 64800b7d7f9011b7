import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from './waiting.ts';

/** Two ttys with a line between them, by socat. */
export class PtyPair {
  readonly #folder = mkdtempSync(join(tmpdir(), 'faceplate-ptys-'));
  readonly ours = join(this.#folder, 'ours');
  readonly theirs = join(this.#folder, 'theirs');
  #socat: ChildProcess | undefined;

  async plug(): Promise<void> {
    const pty = (link: string) => `pty,raw,echo=0,link=${link}`;
    this.#socat = spawn('socat', [pty(this.ours), pty(this.theirs)], { stdio: 'ignore' });
    await until(() => existsSync(this.ours) && existsSync(this.theirs), "socat's ptys");
  }

  async close(): Promise<void> {
    const socat = this.#socat;
    if (socat && socat.exitCode === null && socat.signalCode === null) {
      const ended = once(socat, 'exit');
      socat.kill('SIGTERM');
      await ended;
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
