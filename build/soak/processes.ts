import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** PSS of a process in MiB (proc_pid_smaps(5)); 0 for one that is gone. */
export function pssOf(pid: number): number {
  try {
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
    return Number(/^Pss: +(\d+) kB$/m.exec(rollup)?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/** Open file descriptors of a process; 0 for one that is gone. */
export function filesOf(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return 0;
  }
}

/** Open sockets of a process; 0 for one that is gone. */
export function socketsOf(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).filter((file) => isSocket(`/proc/${pid}/fd/${file}`)).length;
  } catch {
    return 0;
  }
}

function isSocket(link: string): boolean {
  try {
    return readlinkSync(link).startsWith('socket:');
  } catch {
    // It was closed in between.
    return false;
  }
}

/** Seconds since the start of the machine in which a program waited for a core; undefined where the kernel does not count it. */
export function waitedForCores(): number | undefined {
  try {
    const total = /^some .*total=(\d+)$/m.exec(readFileSync('/proc/pressure/cpu', 'utf8'))?.[1];
    return total === undefined ? undefined : Number(total) / 1e6;
  } catch {
    return undefined;
  }
}

/** MiB that a folder takes on the disk, as du counts. Files that go meanwhile count with nothing. */
export async function diskOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  let blocks = 0;
  for (const entry of entries) {
    const stat = await lstat(join(entry.parentPath, entry.name)).catch(() => undefined);
    blocks += stat?.blocks ?? 0;
  }
  return (blocks * 512) / 2 ** 20;
}
