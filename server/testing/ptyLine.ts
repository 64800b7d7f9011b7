import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from './temporaryFolder.ts';
import { until } from './waiting.ts';

/** Reason to skip a test that needs ptys, or false. */
export const skipWithoutSocat: string | false =
  spawnSync('socat', ['-V']).status === 0 ? false : 'needs socat (Debian package socat)';

/** A tty at its own path, with a device at the other end that can be unplugged and plugged in. It echoes unless told otherwise. */
export class PtyLine {
  readonly #folder = temporaryFolder('pty');
  readonly path = join(this.#folder, 'tty');
  readonly #received: Buffer[] = [];
  readonly #hear: ((bytes: Buffer) => void) | undefined;
  #socat: ChildProcess | undefined;

  /** @param hear what the device does with what it gets, instead of echoing it */
  constructor(hear?: (bytes: Buffer) => void) {
    this.#hear = hear;
  }

  async plug(): Promise<void> {
    const socat = spawn('socat', ['-dd', `pty,raw,echo=0,link=${this.path}`, 'STDIO'], {
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let said = '';
    socat.stderr.on('data', (words) => {
      said += words;
    });
    this.#socat = socat;
    socat.stdin.on('error', () => undefined);
    socat.stdout.on('data', (bytes: Buffer) => this.#received.push(bytes));
    if (this.#hear) socat.stdout.on('data', this.#hear);
    else socat.stdout.pipe(socat.stdin, { end: false });
    // Not its path alone: socat sets the line after it has made the link, and would undo what a test has set.
    await until(() => said.includes('starting data transfer loop'), "socat's pty");
  }

  /** What has arrived at the device so far. */
  get received(): Buffer {
    return Buffer.concat(this.#received);
  }

  async unplug(): Promise<void> {
    const socat = this.#socat;
    this.#socat = undefined;
    if (!socat || socat.exitCode !== null || socat.signalCode !== null) return;
    const ended = once(socat, 'exit');
    socat.kill('SIGTERM');
    await ended;
  }

  /** Unplugs while the event loop of the test stands still; `unplug` must follow. */
  cut(): void {
    this.#socat?.kill('SIGTERM');
    while (existsSync(this.path));
  }

  /** The device takes nothing more, until `takeAgain`. */
  takeNothing(): void {
    this.#socat?.stdout?.pause();
  }

  takeAgain(): void {
    this.#socat?.stdout?.resume();
  }

  /** The device sends unasked. */
  async peerSends(bytes: Uint8Array): Promise<void> {
    this.#socat?.stdin?.write(bytes);
  }

  async close(): Promise<void> {
    await this.unplug();
  }
}

/** Two ttys with a line between them, by socat. */
export class PtyPair {
  readonly #folder = temporaryFolder('ptys');
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
  }
}
