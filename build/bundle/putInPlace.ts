import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Puts a folder that was made beside `target` in its place. Two commands in one clone may do so at the same time; either
 * made the same, and the last one stays.
 * @throws Error of the file system
 */
export function putInPlace(made: string, target: string): void {
  const old = `${made}.old`;
  mkdirSync(dirname(target), { recursive: true });
  while (!moved(made, target, 'ENOTEMPTY')) {
    moved(target, old, 'ENOENT');
    rmSync(old, { recursive: true, force: true });
  }
}

/** Whether it could be moved; `unless` is the code of the other command's work in between. */
function moved(from: string, to: string, unless: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== unless) throw error;
    return false;
  }
}
