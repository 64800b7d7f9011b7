import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

/** The units of the starter, by the control groups that systemd makes for them (cgroups(7)). */
const OUR_UNIT = /\/faceplate-kiosk@[^/]+\.service$/m;
const POLL_MS = 20;
/** Longest wait for processes that were killed, in milliseconds. */
const GONE_MS = 1_500;

/**
 * The processes of the starter's unit that a process is in; none for a process outside these units.
 * @param proc where proc(5) is, for tests another folder
 */
export async function processesOfUnit(pid: number, proc = '/proc'): Promise<number[]> {
  const unit = await unitOf(String(pid), proc);
  if (unit === undefined) return [];
  const entries = (await readdir(proc)).filter((name) => /^\d+$/.test(name));
  const units = await Promise.all(entries.map((name) => unitOf(name, proc)));
  return entries.filter((_, index) => units[index] === unit).map(Number);
}

/** Ends all processes of the unit that a process is in; resolves when they are gone. */
export async function endUnit(pid: number): Promise<void> {
  for (let waited = 0; waited < GONE_MS; waited += POLL_MS) {
    const pids = await processesOfUnit(pid);
    if (pids.length === 0) return;
    for (const each of pids) {
      try {
        process.kill(each, 'SIGKILL');
      } catch {
        // It has ended by now.
      }
    }
    await pause(POLL_MS);
  }
}

/** Ends the units in which a process has this argument, such as a browser without a service. */
export async function endUnitsWith(argument: string): Promise<void> {
  for (const name of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const words = await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '');
    if (Number(name) !== process.pid && words.split('\0').includes(argument)) await endUnit(Number(name));
  }
}

/**
 * The control group of the starter's unit that this process runs in, such as `/faceplate.slice/faceplate-kiosk@1.service`;
 * undefined outside such a unit, and where the kernel has no groups of version 2.
 */
export async function ownGroup(proc = '/proc'): Promise<string | undefined> {
  return /^0::(\/.+)$/m.exec((await unitOf('self', proc)) ?? '')?.[1];
}

async function unitOf(name: string, proc: string): Promise<string | undefined> {
  const text = await readFile(`${proc}/${name}/cgroup`, 'utf8').catch(() => '');
  return OUR_UNIT.test(text) ? text : undefined;
}
