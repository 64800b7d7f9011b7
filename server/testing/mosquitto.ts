import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freeTcpPort, isListening } from './freePort.ts';
import { temporaryFolder } from './temporaryFolder.ts';
import { until } from './waiting.ts';

const STOP_LIMIT_MS = 5_000;

interface MosquittoOptions {
  /** Lines of mosquitto.conf below the listener: TLS, passwords, an ACL. Without them everybody may do everything. */
  readonly conf?: readonly string[];
  /** A port for a broker that comes back; without it any free one. */
  readonly port?: number;
  /** Files that `conf` names as `<folder>/…`: name and contents. */
  readonly files?: Readonly<Record<string, string>>;
  /** Users with their passwords; nobody else is let in then. */
  readonly users?: Readonly<Record<string, string>>;
}

/** Debian's mosquitto on 127.0.0.1, with a folder of its own. */
export class Mosquitto {
  readonly #options: MosquittoOptions;
  readonly #folder = temporaryFolder('broker');
  #child: ChildProcess | undefined;
  #port = 0;
  #output = '';

  constructor(options: MosquittoOptions = {}) {
    this.#options = options;
  }

  /** Starts a broker and waits until it listens. @throws Error with what it said when it does not */
  static async start(options?: MosquittoOptions): Promise<Mosquitto> {
    const broker = new Mosquitto(options);
    try {
      await broker.start();
    } catch (error) {
      await broker.stop();
      throw error;
    }
    return broker;
  }

  get port(): number {
    return this.#port;
  }

  get url(): string {
    return `mqtt://127.0.0.1:${this.#port}`;
  }

  /** Of its process; 0 before the start. */
  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** Everything it logged. */
  get output(): string {
    return this.#output;
  }

  /** Starts it, also again on the same port after `kill`. What was retained is lost then. */
  async start(): Promise<void> {
    const { conf = [], files = {}, users, port } = this.#options;
    this.#port ||= port ?? (await freeTcpPort());
    this.#write(files);
    const access = users === undefined ? 'allow_anonymous true' : this.#passwords(users);
    const lines = [
      `listener ${this.#port} 127.0.0.1`,
      'persistence false',
      'log_dest stderr',
      'log_type all',
      // Bursts of the tests wait here; 0, which is no limit, ends each client whose message is denied (2.0.11).
      'max_queued_messages 100000',
      // Its own user could not read the files of the test.
      'user root',
      'set_tcp_nodelay true',
      access,
      ...conf.map((line) => line.replaceAll('<folder>', this.#folder)),
    ];
    const path = join(this.#folder, 'mosquitto.conf');
    writeFileSync(path, `${lines.join('\n')}\n`);
    const child = spawn('/usr/sbin/mosquitto', ['-c', path], { stdio: ['ignore', 'ignore', 'pipe'] });
    this.#child = child;
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#output = (this.#output + text).slice(-200_000);
    });
    await until(() => child.exitCode !== null || isListening(this.#port), 'mosquitto', { everyMs: 20 });
    if (child.exitCode !== null) throw new Error(`mosquitto did not start:\n${this.#output}`);
  }

  /** Writes a file of `files` anew and lets the broker read its files again. */
  reload(files: Readonly<Record<string, string>>): void {
    this.#write(files);
    this.#child?.kill('SIGHUP');
  }

  /** Ends the process, its folder and port stay. @param signal SIGKILL as a loss of power, SIGSTOP for one that hangs */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    const giveUp = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
    await ended;
    clearTimeout(giveUp);
  }

  /** Ends it; safe to call twice. */
  async stop(): Promise<void> {
    await this.kill('SIGTERM');
  }

  #write(files: Readonly<Record<string, string>>): void {
    for (const [name, contents] of Object.entries(files))
      writeFileSync(join(this.#folder, name), contents, { mode: 0o600 });
  }

  /** @returns the line of the configuration that names them */
  #passwords(users: Readonly<Record<string, string>>): string {
    const path = join(this.#folder, 'users');
    this.#write({ users: '' });
    for (const [user, password] of Object.entries(users))
      execFileSync('/usr/bin/mosquitto_passwd', ['-b', path, user, password], { stdio: 'ignore' });
    return `password_file ${path}`;
  }
}
