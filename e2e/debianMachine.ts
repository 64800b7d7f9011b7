import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

const exec = promisify(execFile);
const LIMITS = { maxBuffer: 32 * 1024 * 1024 };
/** Longest time a machine may take to boot or to go down, in milliseconds; generous, because test machines are busy. */
const BOOT_MS = 120_000;
const STOP_MS = 60_000;

/** Why this machine cannot boot one, or false. */
export function noDebianMachine(): string | false {
  if (process.getuid?.() !== 0) return 'needs root: only root can boot a Debian in a folder';
  const missing = ['debootstrap', 'systemd-nspawn'].filter(
    (program) => !['/usr/bin', '/usr/sbin'].some((folder) => existsSync(join(folder, program))),
  );
  return missing.length > 0 && `needs ${missing.join(' and ')}`;
}

/** What a command on the machine did. */
interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A fresh Debian in a folder, with systemd as its first process and no network. */
export class DebianMachine {
  readonly folder: string;
  #nspawn: ChildProcess | undefined;
  #output = '';

  constructor(folder: string) {
    this.folder = folder;
  }

  /**
   * Installs a bare Debian from where this machine gets its own packages. Takes minutes. It is of this machine's own
   * version, or of the one that DEBIAN_RELEASE names, as `trixie`.
   */
  async create(): Promise<void> {
    const own = /^VERSION_CODENAME=(.+)$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1];
    if (own === undefined) throw new Error('This machine is not a Debian release.');
    const release = process.env.DEBIAN_RELEASE ?? own;
    const { stdout } = await exec('apt-get', ['indextargets', '--format', '$(RELEASE) $(REPO_URI)']);
    const source = stdout.split('\n').find((line) => line.startsWith(`${own} `));
    const mirror = source?.slice(own.length + 1) ?? 'http://deb.debian.org/debian';
    const include = '--include=systemd,systemd-sysv,dbus,ca-certificates';
    await exec('debootstrap', ['--variant=minbase', include, release, this.folder, mirror], LIMITS);
    // debootstrap has named the mirror; this machine's own list is of another release.
    if (release !== own) return;
    for (const path of ['etc/apt', 'usr/share/keyrings']) {
      cpSync(join('/', path), join(this.folder, path), { recursive: true, force: true });
    }
  }

  /** Runs a command in the folder while the machine is down, with the network of this machine. */
  async prepare(...command: readonly string[]): Promise<Outcome> {
    return run('systemd-nspawn', [...NSPAWN, '--directory', this.folder, '--pipe', '--', ...command]);
  }

  async boot(): Promise<void> {
    const args = [...NSPAWN, '--private-network', '--boot', '--directory', this.folder];
    const child = spawn('systemd-nspawn', args, { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#nspawn = child;
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.#output = (this.#output + text).slice(-8_000);
      });
    }
    const deadline = Date.now() + BOOT_MS;
    while (
      !['running', 'degraded'].includes((await this.run('systemctl', 'is-system-running')).stdout.trim())
    ) {
      if (child.exitCode !== null || Date.now() > deadline)
        throw new Error(`The machine did not boot:\n${this.#output}`);
      await pause(500);
    }
  }

  /** Runs a command on the booted machine, as root. */
  async run(...command: readonly string[]): Promise<Outcome> {
    const init = this.#init();
    if (init === undefined) return { code: 255, stdout: '', stderr: 'The machine is not up.' };
    const enter = ['--target', String(init), '--mount', '--pid', '--uts', '--ipc', '--net', '--wdns=/', '--'];
    return run('nsenter', [...enter, ...command]);
  }

  /** Runs a command as one of the machine's users, with that user's groups. */
  async runAs(user: string, ...command: readonly string[]): Promise<Outcome> {
    return this.run('setpriv', `--reuid=${user}`, `--regid=${user}`, '--init-groups', '--', ...command);
  }

  /** Shuts down in order, or is killed. Safe to call twice. */
  async stop(): Promise<void> {
    const child = this.#nspawn;
    this.#nspawn = undefined;
    if (child === undefined || child.exitCode !== null) return;
    // nspawn passes it on to the machine's systemd as a request to power off.
    child.kill('SIGTERM');
    const cutOff = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    await once(child, 'close');
    clearTimeout(cutOff);
  }

  /** The machine's first process, by its id here: a child of nspawn that is number 1 in its own namespace. */
  #init(): number | undefined {
    const parent = this.#nspawn?.pid;
    return readdirSync('/proc')
      .map(Number)
      .filter(Number.isInteger)
      .find((pid) => {
        const status = statusOf(pid);
        return /^PPid:\t(\d+)$/m.exec(status)?.[1] === String(parent) && /^NSpid:\t\d+\t1$/m.test(status);
      });
  }
}

/** This machine's own systemd, if any, does not know it. */
const NSPAWN = ['--quiet', '--register=no', '--keep-unit'];

function statusOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return '';
  }
}

async function run(program: string, args: readonly string[]): Promise<Outcome> {
  try {
    return {
      code: 0,
      ...(await exec(program, args, { ...LIMITS, env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8' } })),
    };
  } catch (error) {
    const { code, stdout = '', stderr = '', message } = error as Error & Partial<Outcome>;
    if (typeof code !== 'number') throw error;
    return { code, stdout, stderr: stderr || message };
  }
}
