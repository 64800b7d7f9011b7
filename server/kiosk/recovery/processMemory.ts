import { readdir, readFile } from 'node:fs/promises';

const KIB = 1024;

/** @returns the process ids of a process and all its descendants (proc_pid_stat(5)); empty when it is gone. */
export async function processTree(root: number): Promise<number[]> {
  const parents = new Map<number, number>();
  for (const entry of await readdir('/proc')) {
    const pid = Number(entry);
    if (!Number.isInteger(pid)) continue;
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    // The name in brackets may itself hold spaces and brackets.
    const parent = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1];
    if (parent !== undefined) parents.set(pid, Number(parent));
  }
  if (!parents.has(root)) return [];
  const tree = new Set([root]);
  // Parents need not come before their children in the list: repeat until nothing is added.
  for (let before = 0; before < tree.size; ) {
    before = tree.size;
    for (const [pid, parent] of parents) if (tree.has(parent)) tree.add(pid);
  }
  return [...tree];
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
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
  const share = /^Pss:\s+(\d+) kB$/m.exec(rollup)?.[1];
  if (share !== undefined) return Number(share) * KIB;
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const own = [...status.matchAll(/^Rss(?:Anon|Shmem):\s+(\d+) kB$/gm)];
  return own.reduce((sum, match) => sum + Number(match[1]) * KIB, 0);
}
