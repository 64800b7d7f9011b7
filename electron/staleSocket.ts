import { readlinkSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/**
 * Removes the socket that a killed Electron has left among the temporary files: a panel that loses its program now and
 * then would fill them. The lock is a link to `<host name>-<process id>`, and beside it is one to the socket, in a folder
 * of its own (process_singleton_posix.cc). The lock itself Electron takes over.
 */
export function removeStaleSocket(userData: string): void {
  const [, holder] = /-(\d+)$/.exec(linkOf(join(userData, 'SingletonLock')) ?? '') ?? [];
  const socket = linkOf(join(userData, 'SingletonSocket'));
  if (holder === undefined || socket === undefined || isAlive(Number(holder))) return;
  const folder = dirname(socket);
  if (/^scoped_dir\w+$/.test(basename(folder))) rmSync(folder, { recursive: true, force: true });
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
