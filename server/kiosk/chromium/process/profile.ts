import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import {
  chmod,
  chown,
  lstat,
  mkdir,
  open,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { errnoOf } from '../../../platform/errno.ts';
import { isDiskErrno, writeWhole } from '../../../platform/files/wholeFile.ts';
import { asUser, type KioskUser } from '../../../platform/privileges.ts';
import { CannotRunError } from './browserRun.ts';
import { changedFiles, FILES, type OriginPreferences } from './preferences.ts';

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
  return join(SHARED_PROFILES, digestOf(dataDir));
}

/** A short name for one folder. */
function digestOf(folder: string): string {
  return createHash('sha256').update(resolve(folder)).digest('hex').slice(0, 12);
}

/** The folder in memory that stands in for a profile whose disk takes no writes. */
export function memoryProfile(
  profileDir: string,
  user: KioskUser | undefined,
  { XDG_RUNTIME_DIR }: NodeJS.ProcessEnv,
): string {
  // That folder is ours alone, and closed to another user.
  const memory = user === undefined && XDG_RUNTIME_DIR ? XDG_RUNTIME_DIR : '/dev/shm';
  return join(memory, `faceplate-browser-${digestOf(profileDir)}`);
}

/**
 * Makes a profile ready for a browser that is not running yet: its folder, its lock and our preferences. Where its disk is
 * full or takes no writes, a new profile in memory takes its place, because a browser without its lock does not start, and
 * one without our preferences must not.
 * @returns the folder of the profile. @throws CannotRunError with one sentence when it can never be used
 */
export async function readyProfileDir(
  { profileDir, user, env }: { profileDir: string; user: KioskUser | undefined; env: NodeJS.ProcessEnv },
  origins: OriginPreferences,
): Promise<string> {
  const memory = memoryProfile(profileDir, user, env);
  const make = async (folder: string): Promise<string> => {
    const orCannot = (error: Error) => {
      throw isOfDisk(error) ? error : new CannotRunError(error.message, { cause: error });
    };
    // In memory everyone has folders.
    if (user !== undefined && folder === profileDir && (await mayLayOut(folder))) {
      await layOut(folder, user, origins).catch(orCannot);
      return folder;
    }
    const isNew = await prepareProfileDir(folder, user).catch(orCannot);
    await Promise.all([
      isNew ? undefined : dropLockOfOtherName(folder, user),
      mustTakeEntries(folder),
      writePreferences(folder, user, origins, isNew),
    ]);
    return folder;
  };
  try {
    const ready = await make(profileDir);
    await rm(memory, { recursive: true, force: true }).catch(() => undefined);
    return ready;
  } catch (error) {
    if (!isOfDisk(error)) throw error;
    return make(memory);
  }
}

/** Whether an error is one of a disk; a program that we ran as the user says it in the language C. */
function isOfDisk(error: unknown): boolean {
  const said = String((error as { stderr?: string }).stderr);
  return (
    isDiskErrno(errnoOf(error)) ||
    /No space left|Read-only file|quota exceeded|I(?:nput)?\/o(?:utput)? error/i.test(said)
  );
}

/** Makes an entry, as Chromium makes its lock, and takes it away. @throws an errno exception of the disk */
async function mustTakeEntries(profileDir: string): Promise<void> {
  const entry = join(profileDir, '.room');
  try {
    await rm(entry, { force: true });
    await symlink('room', entry);
    await rm(entry, { force: true });
  } catch (error) {
    // The folder may be closed to us, and open to its user.
    if (isOfDisk(error)) throw error;
  }
}

/**
 * Creates the profile folder (mode 0700, owned by the user) and checks that the user can reach it.
 * @returns whether it is surely new: nothing is in it yet
 * @throws Error with one sentence when it cannot be used.
 */
export async function prepareProfileDir(profileDir: string, user: KioskUser | undefined): Promise<boolean> {
  if (user !== undefined && process.getuid?.() !== 0) {
    // The user's home is closed to us, so the user creates the folder.
    await runAs(user, 'mkdir', ['-p', '-m', '0700', '--', profileDir]);
    return false;
  }
  await mkdir(dirname(profileDir), { recursive: true });
  const isNew = await mkdir(profileDir, { mode: 0o700 }).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
      return false;
    },
  );
  // A link planted by another user must not make us give away what it points to.
  if (!(await lstat(profileDir)).isDirectory())
    throw new Error(`The browser's profile ${profileDir} is not a folder.`);
  if (user === undefined) return isNew;
  await mustBeOpen(profileDir, user);
  await chown(profileDir, user.uid, user.gid);
  await chmod(profileDir, 0o700);
  return isNew;
}

/** @throws Error with one sentence when the user cannot enter the folder */
async function mustBeOpen(profileDir: string, user: KioskUser): Promise<void> {
  const closed = await closedFolder(profileDir, user);
  if (closed !== undefined)
    throw new Error(
      `The browser's user (uid ${user.uid}) cannot enter ${closed}: move the data folder or open it.`,
    );
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
  const file = join(profileDir, LOCK);
  const holder = await readlink(file).catch((error: unknown) =>
    user === undefined || errnoOf(error) === 'ENOENT' ? undefined : 'unknown',
  );
  if (holder === undefined || isOf(holder, name)) return;
  if (user === undefined) {
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

/**
 * Puts our preferences into the profile of a browser that is not running; other preferences in it stay.
 * @param isNew whether there are none
 */
async function writePreferences(
  profileDir: string,
  user: KioskUser | undefined,
  origins: OriginPreferences,
  isNew: boolean,
): Promise<void> {
  const before = isNew ? [] : await readPreferences(profileDir, user).catch(() => []);
  // Never half: on a full disk the old file stays.
  await Promise.all(
    changedFiles(before, origins).map(async ({ file, text }) => {
      const path = join(profileDir, file);
      if (user !== undefined) return runAs(user, 'sh', ['-c', WRITE_WHOLE, 'sh', path], text);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      return writeWhole(path, text);
    }),
  );
}

/** Whether a folder is not there yet, and can only be made by root: nobody else can change a folder on the way to it. */
async function mayLayOut(profileDir: string): Promise<boolean> {
  const isThere = (await lstat(profileDir).catch(() => undefined)) !== undefined;
  if (isThere || process.getuid?.() !== 0) return false;
  for (let place = profileDir; place !== dirname(place); ) {
    place = dirname(place);
    const stats = await lstat(place).catch(() => undefined);
    // A sticky folder keeps what is root's from others.
    const isOpen = stats !== undefined && (stats.mode & 0o022) !== 0 && (stats.mode & 0o1000) === 0;
    if (stats !== undefined && (!stats.isDirectory() || stats.uid !== 0 || isOpen)) return false;
  }
  return true;
}

/**
 * Makes a profile with our preferences for another user, where that needs root alone: a program that runs as the user takes
 * 15 ms, and the browser waits for it. Nobody else can enter the folder until all in it belongs to the user.
 * @throws an errno exception of the disk, Error with one sentence when the user cannot enter it
 */
async function layOut(profileDir: string, user: KioskUser, origins: OriginPreferences): Promise<void> {
  const folder = `${profileDir}.new`;
  const inside = join(folder, dirname(FILES[0]));
  await mkdir(dirname(profileDir), { recursive: true });
  await mustBeOpen(profileDir, user);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { mode: 0o700 });
  await mkdir(inside, { mode: 0o700 });
  const files = changedFiles([], origins).map(({ file, text }) => ({ path: join(folder, file), text }));
  await Promise.all(files.map(({ path, text }) => writeFile(path, text, { mode: 0o600 })));
  for (const path of [...files.map((file) => file.path), inside, folder])
    await chown(path, user.uid, user.gid);
  await rename(folder, profileDir);
}

/** Longest file of preferences, in bytes. */
const MAX_BYTES = 64 * 1024 * 1024;

async function readPreferences(profileDir: string, user: KioskUser | undefined): Promise<string[]> {
  if (user === undefined)
    return Promise.all(FILES.map((file) => readFile(join(profileDir, file), 'utf8').catch(() => '')));
  const read = FILES.map((file) => readFileOf(join(profileDir, file), user));
  return Promise.all(read).catch(() => readAs(profileDir, user));
}

/** Reads a file that belongs to a user and is no link, so that the user may read it too. @throws Error for all else */
async function readFileOf(path: string, { uid }: KioskUser): Promise<string> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  if (file === undefined) return '';
  try {
    const stats = await file.stat();
    if (!stats.isFile() || stats.uid !== uid || stats.size > MAX_BYTES)
      throw new Error(`${path} is not the user's.`);
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

/**
 * The user itself does this: we may have no access to its home, and a link that it planted leads only where it may go. One
 * program for all files: the browser waits for it. Constant, nothing is inserted: the folder is the first argument.
 */
const READ_ALL = `cd -- "$1" && for file in ${FILES.map((file) => `'${file}'`).join(' ')}; do cat -- "$file" 2>/dev/null; printf '\\0'; done`;

async function readAs(profileDir: string, user: KioskUser): Promise<string[]> {
  return (await runAs(user, 'sh', ['-c', READ_ALL, 'sh', profileDir])).split('\0');
}

/** As above, for one file. */
const WRITE_WHOLE = `umask 077; mkdir -p -- "\${1%/*}" && cat >"$1.new" && mv -f -- "$1.new" "$1" || { rm -f -- "$1.new"; exit 1; }`;

/** What these programs say is read. */
const IN_C = { ...process.env, LC_ALL: 'C' };

async function runAs(user: KioskUser, program: string, args: string[], input = ''): Promise<string> {
  const [command, ...words] = asUser(user, program, args);
  const running = promisify(execFile)(command!, words, { maxBuffer: MAX_BYTES, env: IN_C });
  // A program that stops reading shows it in its exit status.
  running.child.stdin?.on('error', () => {}).end(input);
  return (await running).stdout;
}
