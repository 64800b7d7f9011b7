import { execFile } from 'node:child_process';
import { readdir, readFile, statfs } from 'node:fs/promises';
import { freemem, loadavg, totalmem, uptime } from 'node:os';
import { join } from 'node:path';
import { whyNoRoom } from '../../platform/files/wholeFile.ts';
import { interfacesNow } from '../../platform/net/addresses.ts';
import type { HealthState } from './contract.ts';
import type { HealthDriver, MachineFacts } from './service.ts';

/** A sensor that is not connected reports nonsense beyond these, in °C. */
const PLAUSIBLE = { least: -40, most: 150 } as const;
/** ARPHRD_LOOPBACK of if_arp.h. */
const LOOPBACK = '772';

interface MachineOptions {
  /** Its file system is the one whose room counts. */
  readonly dataDir: string;
  /** Folders of the kernel; tests have their own. */
  readonly sys?: string;
  readonly proc?: string;
}

/** The machine, as the Linux kernel reports it: sysfs, procfs and statfs(2). */
export class Machine implements HealthDriver {
  readonly #dataDir: string;
  readonly #sys: string;
  readonly #proc: string;

  constructor({ dataDir, sys = '/sys', proc = '/proc' }: MachineOptions) {
    this.#dataDir = dataDir;
    this.#sys = sys;
    this.#proc = proc;
  }

  async read(): Promise<MachineFacts> {
    const [temperature, disk, network] = await Promise.all([
      this.#temperature(),
      this.#disk(),
      this.#network(),
    ]);
    const [one = 0, five = 0, fifteen = 0] = loadavg();
    return {
      uptime: Math.floor(uptime()),
      load: [one, five, fifteen],
      temperature,
      // Free is what the kernel calls available: caches that programs can have count.
      memory: { total: totalmem(), free: freemem() },
      disk,
      network,
    };
  }

  /** The hottest of the thermal zones, which report thousandths of a degree. */
  async #temperature(): Promise<number | null> {
    const zones = join(this.#sys, 'class/thermal');
    const names = (await readdir(zones).catch(() => [])).filter((name) => name.startsWith('thermal_zone'));
    const texts = await Promise.all(names.map((name) => readText(join(zones, name, 'temp'))));
    const degrees = texts
      .filter((text) => /^-?\d+$/.test(text))
      .map((text) => Math.round(Number(text) / 100) / 10)
      .filter((value) => value >= PLAUSIBLE.least && value <= PLAUSIBLE.most);
    return degrees.length === 0 ? null : Math.max(...degrees);
  }

  async #disk(): Promise<MachineFacts['disk']> {
    const stats = await statfs(this.#dataDir).catch(() => undefined);
    const problem = (await whyNoRoom(this.#dataDir)) ?? null;
    if (stats === undefined) return { total: 0, free: 0, problem };
    return { total: stats.blocks * stats.bsize, free: stats.bavail * stats.bsize, problem };
  }

  /** All interfaces but loopback, also those that are down. */
  async #network(): Promise<MachineFacts['network']> {
    const folder = join(this.#sys, 'class/net');
    const names = (await readdir(folder).catch(() => [])).sort();
    const known = interfacesNow();
    const wireless = await readText(join(this.#proc, 'net/wireless'));
    const found = await Promise.all(
      names.map(async (name) => {
        const at = join(folder, name);
        const [type, address, state] = await Promise.all(
          ['type', 'address', 'operstate'].map((file) => readText(join(at, file))),
        );
        if (type === LOOPBACK || type === '') return [];
        const addresses = (known[name] ?? []).map((entry) => entry.address);
        // Some drivers, such as those of tunnels, report "unknown" while they work.
        const up = state === 'up' || (state === 'unknown' && addresses.length > 0);
        const mac = /^(?:[0-9a-f]{2}:){5}[0-9a-f]{2}$/.test(address ?? '') ? address! : null;
        const isWifi = (await readdir(at).catch(() => [])).some((file) =>
          /^(?:wireless|phy80211)$/.test(file),
        );
        return [{ name, addresses, mac, up, wifi: isWifi && up ? await readWifi(name, wireless) : null }];
      }),
    );
    return found.flat();
  }
}

async function readText(path: string): Promise<string> {
  return (await readFile(path, 'utf8').catch(() => '')).trim();
}

type Wifi = HealthState['network'][number]['wifi'];

/** Milliseconds until `iw` is given up. */
const IW_MS = 1_000;

/**
 * The network that a Wi-Fi interface is in: as `iw` says, where that program is installed; else its signal alone, from
 * /proc/net/wireless.
 * @param wireless text of /proc/net/wireless
 */
async function readWifi(name: string, wireless: string): Promise<Wifi> {
  const said = await new Promise<string | undefined>((resolve) => {
    execFile('iw', ['dev', name, 'link'], { timeout: IW_MS, maxBuffer: 64 * 1024 }, (error, text) =>
      resolve(error ? undefined : text),
    );
  });
  return wifiOf(name, said, wireless);
}

/** @param said what `iw dev <name> link` printed; undefined without that program */
export function wifiOf(name: string, said: string | undefined, wireless: string): Wifi {
  if (said !== undefined && /^Not connected/m.test(said)) return null;
  const ssid = /^\s*SSID: (.+)$/m.exec(said ?? '')?.[1] ?? null;
  const level = /^\s*signal: (-?\d+) dBm/m.exec(said ?? '')?.[1] ?? levelOf(name, wireless);
  return { ssid, signal: level === undefined ? null : percent(Number(level)) };
}

/** `wlan0: 0000   54.  -56.  -256 …`: status, link, level in dBm (proc_net_wireless of the kernel's wext-proc.c). */
function levelOf(name: string, wireless: string): string | undefined {
  const line = wireless.split('\n').find((text) => text.trim().startsWith(`${name}:`));
  return /:\s*\S+\s+-?\d+\.?\s+(-?\d+)\.?\s/.exec(line ?? '')?.[1];
}

/** -100 dBm is no signal, -50 dBm and more a full one, as in NetworkManager. */
function percent(dbm: number): number {
  return Math.min(100, Math.max(0, 2 * (dbm + 100)));
}
