import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { until } from '../../testing/waiting.ts';

const run = promisify(execFile);

/** Debian's own: another Python that comes first in PATH does not see the modules of Debian's packages. */
const PYTHON = '/usr/bin/python3';

export const MOCKED_BUS_MISSING = 'no private system bus here (apt install dbus python3-dbusmock systemd)';

const configuration = (
  socket: string,
) => `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
  "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <listen>unix:path=${socket}</listen>
  <policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy>
</busconfig>
`;

/** A private system bus with one service of the system on it, played by python3-dbusmock. */
export class MockedBus {
  /** For DBUS_SYSTEM_BUS_ADDRESS. */
  readonly address: string;
  readonly #children: ChildProcess[] = [];

  private constructor(folder: string) {
    this.address = `unix:path=${join(folder, 'bus')}`;
  }

  /**
   * @param template of dbusmock, such as `timedated`; null for an empty bus
   * @param name on the bus
   * @returns null where the programs are not installed: skip with MOCKED_BUS_MISSING
   */
  static async start(template: string | null, name: string): Promise<MockedBus | null> {
    const isThere = await run(PYTHON, ['-c', 'import dbusmock']).then(
      () => true,
      () => false,
    );
    if (!isThere) return null;
    const folder = temporaryFolder('bus');
    const bus = new MockedBus(folder);
    await writeFile(join(folder, 'bus.conf'), configuration(join(folder, 'bus')));
    const daemon = spawn('dbus-daemon', [`--config-file=${folder}/bus.conf`, '--nofork', '--print-address'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    bus.#children.push(daemon);
    await once(daemon.stdout, 'data');
    if (template === null) return bus;
    const env = { ...process.env, DBUS_SYSTEM_BUS_ADDRESS: bus.address };
    const args = ['-m', 'dbusmock', '--system', '--template', template];
    bus.#children.push(spawn(PYTHON, args, { env, stdio: 'ignore' }));
    await until(() => bus.#owns(name), name, { everyMs: 50 });
    return bus;
  }

  /** Adds or replaces a method. @param code Python; the arguments are in `args` */
  async method(
    target: readonly [string, string, string],
    name: string,
    signatures: readonly [string, string],
    code: string,
  ) {
    const [bus, path, face] = target;
    const mock = ['org.freedesktop.DBus.Mock', 'AddMethod', 'sssss'];
    await this.#busctl('call', bus, path, ...mock, face, name, ...signatures, code);
  }

  /** Calls a method as another program; the arguments begin with their signature. */
  async call(
    target: readonly [string, string, string],
    name: string,
    ...args: readonly string[]
  ): Promise<string> {
    return this.#busctl('call', ...target, name, ...args);
  }

  async stop(): Promise<void> {
    for (const child of this.#children.reverse()) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    }
  }

  async #owns(name: string): Promise<boolean> {
    const face = ['org.freedesktop.DBus', '/org/freedesktop/DBus', 'org.freedesktop.DBus'];
    return (await this.#busctl('call', ...face, 'NameHasOwner', 's', name)).includes('true');
  }

  async #busctl(...args: readonly string[]): Promise<string> {
    const env = { ...process.env, DBUS_SYSTEM_BUS_ADDRESS: this.address };
    return (await run('busctl', ['--system', ...args], { env })).stdout;
  }
}
