import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, chown, lstat, mkdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { asUser } from '../../../platform/privileges.ts';
import type { KioskUser } from './kioskUser.ts';

/** Where profiles go when the kiosk's user cannot reach the data folder (as with root's own home). */
const SHARED_PROFILES = '/var/lib/faceplate-kiosk';

/**
 * Chooses the browser's profile folder: in the kiosk user's own home, or `<dataDir>/chromium`, or, when that user
 * cannot enter the data folder, a folder below /var/lib/faceplate-kiosk that belongs to this data folder only.
 */
export async function chooseProfileDir(dataDir: string, user: KioskUser | undefined): Promise<string> {
  const within = join(resolve(dataDir), 'chromium');
  if (user === undefined) return within;
  if (user.home !== undefined) return join(user.home, 'chromium');
  if ((await closedFolder(within, user)) === undefined) return within;
  const digest = createHash('sha256').update(resolve(dataDir)).digest('hex').slice(0, 12);
  return join(SHARED_PROFILES, digest);
}

/**
 * Creates the profile folder (mode 0700, owned by the user) and checks that the user can reach it.
 * @throws Error with one sentence when it cannot be used.
 */
export async function prepareProfileDir(profileDir: string, user: KioskUser | undefined): Promise<void> {
  if (user !== undefined && process.getuid?.() !== 0) {
    // The user's home is closed to us, so the user creates the folder.
    const [program, ...args] = asUser(user, 'mkdir', ['-p', '-m', '0700', '--', profileDir]);
    await promisify(execFile)(program!, args);
    return;
  }
  await mkdir(dirname(profileDir), { recursive: true });
  await mkdir(profileDir, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  // A link planted by another user must not make us give away what it points to.
  if (!(await lstat(profileDir)).isDirectory())
    throw new Error(`The browser's profile ${profileDir} is not a folder.`);
  if (user === undefined) return;
  const closed = await closedFolder(profileDir, user);
  if (closed !== undefined)
    throw new Error(
      `The browser's user (uid ${user.uid}) cannot enter ${closed}: move the data folder or open it.`,
    );
  await chown(profileDir, user.uid, user.gid);
  await chmod(profileDir, 0o700);
}

/** @returns the outermost existing parent of `folder` that the user may not pass through. */
async function closedFolder(folder: string, user: KioskUser): Promise<string | undefined> {
  const parent = dirname(folder);
  if (parent === folder) return undefined;
  const closed = await closedFolder(parent, user);
  if (closed !== undefined) return closed;
  const stats = await stat(parent).catch(() => undefined);
  if (stats === undefined) return undefined;
  const passBit = stats.uid === user.uid ? 0o100 : stats.gid === user.gid ? 0o010 : 0o001;
  return (stats.mode & passBit) === 0 ? parent : undefined;
}
