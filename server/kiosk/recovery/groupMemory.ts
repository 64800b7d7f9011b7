import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

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
