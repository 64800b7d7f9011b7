import { execFile } from 'node:child_process';
import type { HealthState } from './contract.ts';

type Wifi = HealthState['network'][number]['wifi'];

/** Milliseconds until `iw` is given up. */
const IW_MS = 1_000;

/**
 * The network that a Wi-Fi interface is in: as `iw` says, where that program is installed; else its signal alone, from
 * /proc/net/wireless.
 * @param wireless text of /proc/net/wireless
 */
export async function readWifi(name: string, wireless: string): Promise<Wifi> {
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
