import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Share of one core that a process uses during some milliseconds, in percent. Threads that end meanwhile count with nothing. */
export async function cpuOf(pid: number, milliseconds: number): Promise<number> {
  const startedAt = performance.now();
  const before = cpuOfThreads(pid);
  await sleep(milliseconds);
  const used = [...cpuOfThreads(pid)].reduce((sum, [id, time]) => sum + time - (before.get(id) ?? 0), 0);
  return (used / (performance.now() - startedAt)) * 100;
}

/** The same of several processes together. One that ends meanwhile counts with nothing. */
export async function cpuOfAll(pids: readonly number[], milliseconds: number): Promise<number> {
  const all = await Promise.all(pids.map((pid) => cpuOf(pid, milliseconds).catch(() => 0)));
  return all.reduce((sum, cpu) => sum + cpu, 0);
}

/** CPU time of a process with all its threads, in milliseconds. Threads that have ended do not count. */
export function cpuTimeOf(pid: number): number {
  return [...cpuOfThreads(pid).values()].reduce((sum, time) => sum + time, 0);
}

/** CPU time of each thread, in milliseconds; finer than the clock ticks (sched-stats in the kernel's scheduler documents). */
function cpuOfThreads(pid: number): Map<string, number> {
  const of = (id: string) => {
    try {
      return Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8').split(' ')[0]);
    } catch {
      // It has ended since.
      return 0;
    }
  };
  return new Map(readdirSync(`/proc/${pid}/task`).map((id) => [id, of(id) / 1e6]));
}
