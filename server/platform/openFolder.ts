import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Which process has the data folder open. */
const NAME = 'running';

/** Notes that this process has the folder open. It counts while the process lives, so nothing waits for the disk. */
export function noteOpen(dataDir: string): void {
  try {
    writeFileSync(join(dataDir, NAME), `${identityOf(process.pid)}\n`, { mode: 0o600 });
  } catch {
    // A second start then knows less.
  }
}

/** Whether another process that still runs has the folder open. */
export function isOpenElsewhere(dataDir: string): boolean {
  try {
    const text = readFileSync(join(dataDir, NAME), 'utf8').trim();
    const pid = Number(text.split(' ')[0]);
    return pid !== process.pid && identityOf(pid) === text;
  } catch {
    return false;
  }
}

/** A process with its start in ticks since a boot (proc_pid_stat(5)): no later one has the same. @throws when it is gone */
function identityOf(pid: number): string {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name in brackets may itself hold blanks and brackets.
  const started = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  return `${pid} ${started} ${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}`;
}
