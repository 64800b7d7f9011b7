import { readdir, readFile, statfs } from 'node:fs/promises';
import { freemem, loadavg, totalmem, uptime } from 'node:os';
import { join } from 'node:path';
import { interfacesNow } from '../../platform/networks.ts';
import type { HealthDriver, MachineFacts } from './driver.ts';
import { readWifi } from './wifi.ts';

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
    if (stats === undefined) return { total: 0, free: 0 };
    return { total: stats.blocks * stats.bsize, free: stats.bavail * stats.bsize };
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
