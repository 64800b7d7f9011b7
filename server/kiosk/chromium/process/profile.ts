import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, chown, lstat, mkdir, readFile, readlink, rm, stat, symlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { isDeepStrictEqual, promisify } from 'node:util';
import { errnoOf } from '../../../platform/errno.ts';
import { isDiskErrno, writeWhole } from '../../../platform/files/wholeFile.ts';
import type { BrowserOrigins } from '../../../platform/kioskJobs.ts';
import { asUser, type KioskUser } from '../../../platform/privileges.ts';
import { CannotRunError } from './browserRun.ts';

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
    const isNew = await prepareProfileDir(folder, user).catch((error: Error) => {
      throw isOfDisk(error) ? error : new CannotRunError(error.message, { cause: error });
    });
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
  const closed = await closedFolder(profileDir, user);
  if (closed !== undefined)
    throw new Error(
      `The browser's user (uid ${user.uid}) cannot enter ${closed}: move the data folder or open it.`,
    );
  await chown(profileDir, user.uid, user.gid);
  await chmod(profileDir, 0o700);
  return isNew;
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

/** A preference or a group of them, as in Chromium's file. */
type Preferences = { [name: string]: boolean | number | string | readonly string[] | Preferences };

/** What the preferences allow to single origins. */
interface OriginPreferences extends BrowserOrigins {
  /** They count as secure although they are reached by http. */
  readonly secureOrigins: readonly string[];
}

/** CONTENT_SETTING_ALLOW and CONTENT_SETTING_BLOCK of Chromium's content_settings.mojom. */
const ALLOW = 1;
const BLOCK = 2;
/** kBlockThirdParty of Chromium's CookieControlsMode: Debian's default, and not that of others. */
const BLOCK_THIRD_PARTY = 1;

/**
 * Sets what managed policies would set, because a desk has no policies
 * (chrome/browser/policy/configuration_policy_handler_list_factory.cc names the preference of each). Measured with
 * Chromium 156.
 */
const PREFERENCES: Preferences = {
  // Any other scheme would ask whether to open a program ("Open xdg-open?"), or open one without asking (mailto:).
  policy: {
    url_blocklist: ['*'],
    url_allowlist: ['http://*', 'https://*', 'ws://*', 'wss://*', 'blob:*', 'data:*', 'about:*'],
  },
  browser: {
    // No title bar in bare windows.
    custom_chrome_frame: false,
    // The window of the last start, whose bars lay beyond the screen, would come back larger than the screen.
    window_placement: {},
  },
  profile: {
    // The device choosers.
    default_content_setting_values: {
      usb_guard: BLOCK,
      serial_guard: BLOCK,
      hid_guard: BLOCK,
      bluetooth_guard: BLOCK,
    },
    password_manager_leak_detection: false,
    cookie_controls_mode: BLOCK_THIRD_PARTY,
    content_settings: { exceptions: { cookies: {}, legacy_cookie_access: {} } },
  },
  // "Save password?", which can show the password.
  credentials_enable_service: false,
  credentials_enable_autosignin: false,
  credentials_enable_passkeys: false,
  autofill: { profile_enabled: false, credit_card_enabled: false },
  // The picker for screens and windows.
  hardware: { screen_capture_enabled: false },
  // The viewer has no way back to the page; without the viewer a PDF is a download, and downloads are refused.
  plugins: { always_open_pdf_externally: true },
  printing: { enabled: false },
  translate: { enabled: false },
  // A zoom by the keys that a page without a renderer leaves to the browser would stay for ever.
  partition: { per_host_zoom_levels: {} },
};

/**
 * Cookies of other sites in frames of these pages: any site's, below that page
 * (components/content_settings/core/browser/cookie_settings.cc). Devices in a house make their cookies without
 * `SameSite`, and over http they cannot do otherwise: the second entry lets those count as made for frames. It names no
 * page, but without the first a frame gets no cookies anyway.
 */
const cookiePreferences = (pages: readonly string[]): Preferences => {
  const allow = { setting: ALLOW };
  const cookies = Object.fromEntries(pages.map((page) => [`*,${withPort(page)}`, allow]));
  const legacy_cookie_access = pages.length === 0 ? {} : { '*,*': allow };
  return { profile: { content_settings: { exceptions: { cookies, legacy_cookie_access } } } };
};

/** Without a port a pattern would mean each of them. */
function withPort(origin: string): string {
  const { protocol, port } = new URL(origin);
  return port === '' ? `${origin}:${protocol === 'https:' ? 443 : 80}` : origin;
}

/**
 * Preferences of the browser as a whole. It takes no HTTP authentication, so that a page or picture that wants a login is
 * answered with its 401: for scripts and pictures Chromium asks only the person at the glass.
 */
const browserPreferences = ({
  loginOrigins,
  secureOrigins,
}: Omit<OriginPreferences, 'cookieOrigins'>): Preferences => ({
  auth: { schemes: '', http_auth_allowed_for_origins: loginOrigins },
  // As the switch of the same name, of which the browser would warn in a bar over the page.
  unsafely_treat_insecure_origin_as_secure: secureOrigins.join(','),
});

/** The files of preferences, from the profile folder. */
const FILES = ['Default/Preferences', 'Local State'] as const;

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
  const ours = [[PREFERENCES, cookiePreferences(origins.cookieOrigins)], [browserPreferences(origins)]];
  const read = () => (user === undefined ? readPreferences(profileDir) : readAs(profileDir, user));
  const before = isNew ? [] : (await read().catch(() => [])).map(parsed);
  const changed = FILES.flatMap((file, at) => {
    const wanted = ours[at]!.reduce(merged, before[at] ?? {});
    return isDeepStrictEqual(wanted, before[at]) ? [] : [{ file, text: JSON.stringify(wanted) }];
  });
  if (changed.length === 0) return;
  // Never half: on a full disk the old file stays.
  await Promise.all(
    changed.map(async ({ file, text }) => {
      const path = join(profileDir, file);
      if (user !== undefined) return runAs(user, 'sh', ['-c', WRITE_WHOLE, 'sh', path], text);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      return writeWhole(path, text);
    }),
  );
}

function readPreferences(profileDir: string): Promise<string[]> {
  return Promise.all(FILES.map((file) => readFile(join(profileDir, file), 'utf8').catch(() => '')));
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
  const running = promisify(execFile)(command!, words, { maxBuffer: 64 * 1024 * 1024, env: IN_C });
  // A program that stops reading shows it in its exit status.
  running.child.stdin?.on('error', () => {}).end(input);
  return (await running).stdout;
}

/** A file that a crash left half written counts as missing; Chromium does the same. */
function parsed(text: string): Preferences {
  try {
    const value: unknown = JSON.parse(text);
    return isGroup(value) ? value : {};
  } catch {
    return {};
  }
}

function merged(old: Preferences, ours: Preferences): Preferences {
  const all: Preferences = { ...old };
  for (const [name, value] of Object.entries(ours)) {
    const before = all[name];
    all[name] =
      isGroup(value) && isGroup(before) && Object.keys(value).length > 0 ? merged(before, value) : value;
  }
  return all;
}

function isGroup(value: unknown): value is Preferences {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
