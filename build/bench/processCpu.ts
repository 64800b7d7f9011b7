import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Clock ticks of /proc/<pid>/stat per second (getconf CLK_TCK). */
const TICKS_PER_SECOND = 100;

/** Share of one core that a process uses during some milliseconds, in percent. */
export async function cpuOf(pid: number, milliseconds: number): Promise<number> {
  const startedAt = performance.now();
  const before = ticksOf(pid);
  await sleep(milliseconds);
  const seconds = (performance.now() - startedAt) / 1000;
  return ((ticksOf(pid) - before) / TICKS_PER_SECOND / seconds) * 100;
}

/** The same of several processes together. One that ends meanwhile counts with nothing. */
export async function cpuOfAll(pids: readonly number[], milliseconds: number): Promise<number> {
  const all = await Promise.all(pids.map((pid) => cpuOf(pid, milliseconds).catch(() => 0)));
  return all.reduce((sum, cpu) => sum + cpu, 0);
}

/** utime and stime (proc_pid_stat(5)). */
export function ticksOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

/** CPU time of a process with all its threads, in milliseconds; finer than the clock ticks (sched-stats of the kernel). */
export function cpuTimeOf(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const of = (thread: string) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]);
  return threads.reduce((sum, thread) => sum + of(thread), 0) / 1e6;
}
