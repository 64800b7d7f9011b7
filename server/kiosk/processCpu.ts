import { readFile } from 'node:fs/promises';

/** Milliseconds of one clock tick: USER_HZ is 100 on every Linux that runs Chromium (proc_pid_stat(5)). */
const TICK_MS = 10;

/**
 * CPU time of a process's first thread, in milliseconds: in a renderer this thread runs the pages' scripts, while
 * others decode video. Undefined when the process is gone or hidden from us.
 */
export async function mainThreadCpu(pid: number): Promise<number | undefined> {
  const stat = await readFile(`/proc/${pid}/task/${pid}/stat`, 'utf8').catch(() => undefined);
  if (stat === undefined) return undefined;
  // The name in brackets may itself hold spaces and brackets. utime and stime are the fields 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}
