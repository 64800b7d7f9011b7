import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { temporaryFolder } from '../../../testing/temporaryFolder.ts';

const run = promisify(execFile);

export const NETWORK_MANAGER_MISSING =
  'no NetworkManager in a network of its own here (root, apt install network-manager dbus)';

/** How long bus, daemon and interface may take to come up. */
const START_LIMIT_MS = 30_000;

/**
 * Runs in new network and mount namespaces: nothing in it reaches the machine's network or its settings. `/sys`
 * is read-only, so that NetworkManager waits for no udev.
 */
const SCRIPT = `set -e
for folder in /run /var/lib/NetworkManager /etc/NetworkManager; do mount -t tmpfs none $folder; done
mount -t sysfs -o ro none /sys
mkdir -p /etc/NetworkManager/system-connections /run/NetworkManager
cp "$1/NetworkManager.conf" /etc/NetworkManager/
install -m 600 "$1/wire.nmconnection" /etc/NetworkManager/system-connections/
dbus-daemon --config-file="$1/bus.conf" --nofork --nosyslog &
while [ ! -S "$1/bus" ]; do sleep 0.05; done
ip link set lo up
ip link add wire0 type veth peer name far0
ip link set far0 up
ip link set wire0 up
export DBUS_SYSTEM_BUS_ADDRESS="unix:path=$1/bus"
exec NetworkManager --no-daemon
`;

const CONFIGURATION = `[main]
plugins=keyfile
auth-polkit=false
dns=none
rc-manager=unmanaged
no-auto-default=*
[keyfile]
unmanaged-devices=interface-name:far0;interface-name:lo
`;

const WIRE = `[connection]
id=wire
uuid=5c1a3b52-5c6a-4a51-8a3c-7d1f0e6f7b11
type=ethernet
interface-name=wire0
[ipv4]
method=manual
address1=10.9.0.2/24,10.9.0.1
dns=10.9.0.1;
[ipv6]
method=auto
`;

const busConfiguration = (
  socket: string,
) => `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
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

/** The real NetworkManager, on its own bus, with one wire `wire0` in a network of its own. */
export class NetworkManagerHouse {
  /** For DBUS_SYSTEM_BUS_ADDRESS. */
  readonly address: string;
  readonly #child: ChildProcess;

  private constructor(folder: string, child: ChildProcess) {
    this.#child = child;
    this.address = `unix:path=${join(folder, 'bus')}`;
  }

  /** @returns null where it cannot run: skip with NETWORK_MANAGER_MISSING */
  static async start(): Promise<NetworkManagerHouse | null> {
    if (!(await canRun())) return null;
    const folder = temporaryFolder('nm');
    await writeFile(join(folder, 'NetworkManager.conf'), CONFIGURATION);
    await writeFile(join(folder, 'wire.nmconnection'), WIRE);
    await writeFile(join(folder, 'bus.conf'), busConfiguration(join(folder, 'bus')));
    const child = spawn(
      'unshare',
      ['--net', '--mount', 'sh', '-c', SCRIPT, 'sh', folder],
      // A group of its own, so that the bus ends with it. No process namespace: NetworkManager asks who calls.
      { stdio: 'ignore', detached: true },
    );
    const house = new NetworkManagerHouse(folder, child);
    try {
      await house.#ready();
      return house;
    } catch (error) {
      await house.stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const exited = once(this.#child, 'exit');
      process.kill(-(this.#child.pid ?? 0), 'SIGKILL');
      await exited;
    }
  }

  /** What nmcli says of the connection `wire`: another program's view. */
  async addresses(): Promise<string> {
    const { stdout } = await this.#nmcli('-g', 'IP4.ADDRESS', 'device', 'show', 'wire0');
    return stdout.trim();
  }

  #nmcli(...args: readonly string[]) {
    return run('nmcli', [...args], { env: { ...process.env, DBUS_SYSTEM_BUS_ADDRESS: this.address } });
  }

  async #ready(): Promise<void> {
    const end = performance.now() + START_LIMIT_MS;
    for (;;) {
      const shown = await this.addresses().catch(() => '');
      if (shown === '10.9.0.2/24') return;
      if (performance.now() > end) throw new Error(`NetworkManager did not come up: ${shown}`);
      await sleep(100);
    }
  }
}

async function canRun(): Promise<boolean> {
  try {
    await run('unshare', ['--net', '--mount', 'sh', '-c', 'mount -t sysfs -o ro none /sys']);
    for (const program of ['NetworkManager', 'nmcli', 'dbus-daemon']) await run(program, ['--version']);
    return true;
  } catch {
    return false;
  }
}
