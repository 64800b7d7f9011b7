import { execFile } from 'node:child_process';
import { readlink, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { asUser } from '../../../platform/privileges.ts';
import type { KioskUser } from './kioskUser.ts';

const LOCK = 'SingletonLock';

/**
 * Takes the lock off a profile that a browser under another host name has left. Chromium would think of a browser on
 * another computer and never start again, although only this panel has the profile: it is cut off often, and its name
 * may be changed. A lock of this name stays; Chromium itself looks whether that process lives
 * (process_singleton_posix.cc: the lock is a link to `<host name>-<process id>`).
 */
export async function dropLockOfOtherName(
  profileDir: string,
  user: KioskUser | undefined,
  name = hostname(),
): Promise<void> {
  if (user === undefined) {
    const file = join(profileDir, LOCK);
    const holder = await readlink(file).catch(() => undefined);
    if (holder === undefined || isOf(holder, name)) return;
    await rm(file, { force: true });
    return;
  }
  // The user's home may be closed to us, and a link that it planted leads only where it may go.
  const begin = name.replaceAll(/[\\*?[\]]/g, '\\$&');
  const other = ['(', '!', '-lname', `${begin}-[0-9]*`, '-o', '-lname', `${begin}-*[!0-9]*`, ')'];
  const [program, ...args] = asUser(user, 'find', [
    ...[profileDir, '-maxdepth', '1', '-name', LOCK, '-type', 'l'],
    ...other,
    '-delete',
  ]);
  await promisify(execFile)(program!, args);
}

function isOf(holder: string, name: string): boolean {
  return holder.startsWith(`${name}-`) && /^\d+$/.test(holder.slice(name.length + 1));
}
