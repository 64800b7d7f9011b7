import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { temporaryFolder } from '../../../testing/temporaryFolder.ts';
import { until } from '../../../testing/waiting.ts';

const run = promisify(execFile);

/** Debian's own: another Python that comes first in PATH does not see the modules of Debian's packages. */
const PYTHON = '/usr/bin/python3';
const LOGIND = ['org.freedesktop.login1', '/org/freedesktop/login1'] as const;
const MANAGER = 'org.freedesktop.login1.Manager';
/** How long the bus and the mock may take to start. */
const START_LIMIT_MS = 20_000;

export const LOGIND_MISSING =
  'no private system bus here (apt install dbus python3-dbusmock systemd): nothing to play logind';

/** A private bus in one folder, without access rules. */
function busConfiguration(socket: string): string {
  return `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
  "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <listen>unix:path=${socket}</listen>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
`;
}

/**
 * A logind that restarts nothing (python3-dbusmock), on its own bus.
 * A test that uses it sets DBUS_SYSTEM_BUS_ADDRESS to `address` before anything can speak to the machine's own logind.
 */
export class LogindDouble {
  readonly address: string;
  readonly #children: ChildProcess[];
  /** Method calls so far, with their arguments, such as `Reboot False`. */
  readonly #calls: string[] = [];

  private constructor(address: string, children: ChildProcess[]) {
    this.address = address;
    this.#children = children;
  }

  /**
   * @param answers of CanReboot and CanSuspend; `yes` when not given
   * @returns null where the programs are not installed: skip with LOGIND_MISSING
   */
  static async start(answers: Readonly<Record<string, string>> = {}): Promise<LogindDouble | null> {
    if (!(await installed())) return null;
    const folder = temporaryFolder('logind');
    const socket = join(folder, 'bus');
    await writeFile(join(folder, 'bus.conf'), busConfiguration(socket));
    const double = new LogindDouble(`unix:path=${socket}`, []);
    try {
      const bus = spawn('dbus-daemon', [`--config-file=${folder}/bus.conf`, '--nofork', '--print-address'], {
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      double.#children.push(bus);
      await Promise.race([once(bus.stdout, 'data'), once(bus, 'exit').then(() => assert.fail('no bus'))]);
      double.#play(answers);
      await double.#ready();
      return double;
    } catch (error) {
      await double.stop();
      throw error;
    }
  }

  /** The commands since the last call, without the Can… questions. */
  async takeActions(): Promise<string[]> {
    // Its log arrives separately from its answers: once this call is in it, all earlier ones are too.
    const marker = 'CanHybridSleep';
    await this.#busctl(MANAGER, marker);
    await until(() => this.#calls.includes(marker), `${marker} in its log`);
    return this.#calls.splice(0).filter((call) => !/^(Can|AddMethod)/.test(call));
  }

  /** The next calls of a method fail with this D-Bus error. */
  async fail(method: string, signature: string, name: string, text: string): Promise<void> {
    const code = `raise dbus.exceptions.DBusException(${JSON.stringify(text)}, name=${JSON.stringify(name)})`;
    await this.#busctl(
      'org.freedesktop.DBus.Mock',
      'AddMethod',
      'sssss',
      MANAGER,
      method,
      signature,
      '',
      code,
    );
  }

  /** It accepts calls but does not answer until `resume`. */
  hang(): void {
    this.#mock.kill('SIGSTOP');
  }

  resume(): void {
    this.#mock.kill('SIGCONT');
  }

  /** logind ends, the bus stays. */
  async leave(): Promise<void> {
    await end(this.#mock);
  }

  async stop(): Promise<void> {
    for (const child of this.#children.reverse()) await end(child);
  }

  get #mock(): ChildProcess {
    return this.#children[1] ?? this.#children[0]!;
  }

  #play(answers: Readonly<Record<string, string>>): void {
    const parameters = JSON.stringify(answers);
    const mock = spawn(
      PYTHON,
      ['-u', '-m', 'dbusmock', '--system', '--template', 'logind', '--parameters', parameters],
      {
        env: { ...process.env, DBUS_SYSTEM_BUS_ADDRESS: this.address },
        stdio: ['ignore', 'pipe', 'ignore'],
      },
    );
    this.#children.push(mock);
    createInterface({ input: mock.stdout }).on('line', (line) => {
      const call = /^[\d.]+ (\S+(?: \S+)*)$/.exec(line)?.[1];
      if (call !== undefined && !call.includes(' raised: ')) this.#calls.push(call);
    });
  }

  async #ready(): Promise<void> {
    const end = performance.now() + START_LIMIT_MS;
    for (;;) {
      try {
        await this.#busctl(MANAGER, 'CanReboot');
        return;
      } catch (error) {
        if (performance.now() > end) throw error;
        await sleep(50);
      }
    }
  }

  async #busctl(face: string, ...method: readonly string[]): Promise<void> {
    await run('busctl', ['--system', 'call', ...LOGIND, face, ...method], {
      env: { ...process.env, DBUS_SYSTEM_BUS_ADDRESS: this.address },
    });
  }
}

async function installed(): Promise<boolean> {
  try {
    await run('busctl', ['--version']);
    await run('dbus-daemon', ['--version']);
    await run(PYTHON, ['-c', 'import dbusmock']);
    return true;
  } catch {
    return false;
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}
