import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const KIB = 1024;
/**
 * Bytes of what is read of a file of /proc, which has all that is asked for here. Such a file has no size, and `readFile` takes
 * 64 KiB for each: those of a hundred processes let the garbage collector go through the whole heap.
 */
const PROC_BYTES = 2 * KIB;
/** For what is read at once. */
const buffer = Buffer.allocUnsafeSlow(PROC_BYTES);

/** A process as proc_pid_stat(5) describes it. */
interface ListedProcess {
  readonly pid: number;
  /** One letter; an ended process that only waits to be reaped is `Z` or `X`. */
  readonly state: string;
  readonly parent: number;
  readonly group: number;
}

/** All processes of the machine. Read at once: to ask Node's threads for each costs ten times as much. */
export function listProcesses(): ListedProcess[] {
  const found: ListedProcess[] = [];
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const [state = '', parent, group] = statFields(`/proc/${entry}/stat`);
    if (state !== '') found.push({ pid: Number(entry), state, parent: Number(parent), group: Number(group) });
  }
  return found;
}

/** The fields of a stat file after the name (proc_pid_stat(5)): `state`, its third, is the first here. None where it is gone. */
export function statFields(path: string): string[] {
  try {
    const file = openSync(path, 'r');
    try {
      const stat = buffer.toString('utf8', 0, readSync(file, buffer));
      // The name in brackets may itself hold spaces and brackets.
      return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    } finally {
      closeSync(file);
    }
  } catch {
    return [];
  }
}

/** @returns the process ids of a process and all its descendants; empty when it is gone. */
export function processTree(root: number): number[] {
  const parents = new Map(listProcesses().map(({ pid, parent }) => [pid, parent]));
  if (!parents.has(root)) return [];
  const tree = new Set([root]);
  // Parents need not come before their children in the list: repeat until nothing is added.
  for (let before = 0; before < tree.size; ) {
    before = tree.size;
    for (const [pid, parent] of parents) if (tree.has(parent)) tree.add(pid);
  }
  return [...tree];
}

/** By Node's threads: the kernel counts first what it says. @returns nothing where the file is gone */
async function readCounted(path: string): Promise<string> {
  try {
    await using file = await open(path);
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(PROC_BYTES));
    return buffer.toString('utf8', 0, bytesRead);
  } catch {
    return '';
  }
}

/**
 * Memory of these processes in bytes: their proportional share (Pss of proc_pid_smaps_rollup(5)) when the kernel lets
 * us see it, as it lets root; otherwise the memory that belongs to no shared file (RssAnon and RssShmem of
 * proc_pid_status(5)). Processes that are gone count as zero.
 */
export async function memoryOf(pids: readonly number[]): Promise<number> {
  const each = await Promise.all(pids.map(memoryOfOne));
  return each.reduce((sum, bytes) => sum + bytes, 0);
}

async function memoryOfOne(pid: number): Promise<number> {
  const rollup = await readCounted(`/proc/${pid}/smaps_rollup`);
  const share = /^Pss:\s+(\d+) kB$/m.exec(rollup)?.[1];
  if (share !== undefined) return Number(share) * KIB;
  const status = await readCounted(`/proc/${pid}/status`);
  const own = [...status.matchAll(/^Rss(?:Anon|Shmem):\s+(\d+) kB$/gm)];
  return own.reduce((sum, match) => sum + Number(match[1]) * KIB, 0);
}

/** Where the kernel shows its control groups (cgroups(7), version 2). */
const CGROUPS = '/sys/fs/cgroup';
/** A path of units, as systemd makes it; nothing that leads out of the folder. */
const UNITS = /^(?:\/[\w@:-][\w@:.\\-]*)+$/;

/**
 * Memory in bytes of all processes of a control group that belongs to no file: `anon` and `shmem` of its memory.stat
 * (cgroup v2 in the kernel's admin guide). Reading it needs no rights over the processes and starts none.
 * undefined where the group is gone or the kernel does not count the memory of groups.
 * @param root where the groups are, for tests another folder
 */
export async function memoryOfGroup(group: string, root = CGROUPS): Promise<number | undefined> {
  if (!UNITS.test(group)) return undefined;
  const text = await readFile(join(root, group, 'memory.stat'), 'utf8').catch(() => '');
  const parts = [...text.matchAll(/^(?:anon|shmem) (\d+)$/gm)];
  return parts.length === 2 ? parts.reduce((sum, part) => sum + Number(part[1]), 0) : undefined;
}

/** Milliseconds of one clock tick: USER_HZ is 100 on every Linux that runs Chromium (proc_pid_stat(5)). */
const TICK_MS = 10;

/**
 * CPU time of a process's first thread, in milliseconds: in a renderer this thread runs the pages' scripts, while
 * others decode video. Undefined when the process is gone or hidden from us.
 */
export function mainThreadCpu(pid: number): number | undefined {
  const fields = statFields(`/proc/${pid}/task/${pid}/stat`);
  if (fields.length === 0) return undefined;
  // utime and stime are the fields 14 and 15.
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}
