import { access, constants, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, isAbsolute, join, normalize } from 'node:path';

/** The unprivileged user of the kiosk session, needed when the service runs as root. */
export interface KioskUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
}

/** Where programs are searched when a session sets no path, and always for the programs of the system. */
export const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** The part of the service's environment that a program may see: the session and the language, nothing of Faceplate. */
const PASSED_ON =
  /^(PATH|TZ|LANG|LANGUAGE|LC_[A-Z]+|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|XDG_[A-Z_]+|DBUS_SESSION_BUS_ADDRESS|PULSE_SERVER|PIPEWIRE_REMOTE|(GDK|GTK|QT|SDL|XCURSOR|FLATPAK)_[A-Z_]+)$/;
/** Root's folders, which are useless to the kiosk's user. */
const OF_ROOT = /^XDG_(DATA|CONFIG|CACHE|STATE)_HOME$/;

/** The environment a launched program gets. */
export function sessionEnvironment(
  environment: NodeJS.ProcessEnv,
  user: KioskUser | undefined,
): NodeJS.ProcessEnv {
  const passed = Object.entries(environment).filter(
    ([name]) => PASSED_ON.test(name) && !(user && OF_ROOT.test(name)),
  );
  const { HOME, USER, LOGNAME } = environment;
  const own = user
    ? { HOME: user.home, USER: user.name, LOGNAME: user.name }
    : { HOME: HOME ?? homedir(), ...(USER && { USER }), ...(LOGNAME && { LOGNAME }) };
  return { PATH: SYSTEM_PATH, ...Object.fromEntries(passed), ...own };
}

/** The session user's home and data folder (XDG Base Directory Specification; a relative XDG_DATA_HOME is ignored). */
export function homeFolders(session: NodeJS.ProcessEnv): { home: string; dataHome: string } {
  const home = session.HOME || homedir();
  const dataHome = session.XDG_DATA_HOME;
  return { home, dataHome: dataHome && isAbsolute(dataHome) ? dataHome : join(home, '.local', 'share') };
}

/**
 * Finds a program as execvp(3) does.
 * @returns its path, or undefined when there is no executable file of this name
 */
export async function findProgram(name: string, session: NodeJS.ProcessEnv): Promise<string | undefined> {
  const folders = (session.PATH || SYSTEM_PATH).split(delimiter).filter(isAbsolute);
  const candidates = name.startsWith('/') ? [name] : folders.map((folder) => join(folder, name));
  for (const candidate of candidates) {
    if (await isExecutable(candidate)) return candidate;
  }
  return undefined;
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

/** What put an entry there, and so how to remove it. */
type Origin = 'user' | 'flatpakUser' | 'flatpakSystem' | 'snap' | 'local' | 'system';

/** A folder of desktop entries. */
export interface ApplicationFolder {
  readonly path: string;
  readonly origin: Origin;
  /** Folders below which the file of an entry must really lie: a link that leads elsewhere is skipped. */
  readonly trees: readonly string[];
}

/**
 * The folders of desktop entries, the most important first (Desktop Entry Specification 1.5, section 2; XDG Base
 * Directory Specification; flatpak and snap are added where a session forgot them).
 */
export function applicationFolders(session: NodeJS.ProcessEnv): ApplicationFolder[] {
  const { home, dataHome } = homeFolders(session);
  const flatpak = {
    user: session.FLATPAK_USER_DIR || join(dataHome, 'flatpak'),
    system: session.FLATPAK_SYSTEM_DIR || '/var/lib/flatpak',
  };
  const dataDirs = (session.XDG_DATA_DIRS || '/usr/local/share:/usr/share').split(':').filter(isAbsolute);
  const paths = [
    join(dataHome, 'applications'),
    ...dataDirs.map((folder) => join(folder, 'applications')),
    join(flatpak.user, 'exports', 'share', 'applications'),
    join(flatpak.system, 'exports', 'share', 'applications'),
    '/var/lib/snapd/desktop/applications',
  ].map((path) => normalize(path));
  return [...new Set(paths)].map((path): ApplicationFolder => {
    if (isIn(path, flatpak.user)) return { path, origin: 'flatpakUser', trees: [flatpak.user] };
    if (isIn(path, flatpak.system)) return { path, origin: 'flatpakSystem', trees: [flatpak.system] };
    if (isIn(path, dataHome) || isIn(path, home)) return { path, origin: 'user', trees: [home, dataHome] };
    if (isIn(path, '/var/lib/snapd')) return { path, origin: 'snap', trees: ['/var/lib/snapd', '/snap'] };
    // A program in /opt or /usr/lib often links its entry from there.
    const trees = ['/usr', '/opt', join(path, '..')];
    return { path, origin: isIn(path, '/usr/share') ? 'system' : 'local', trees };
  });
}

function isIn(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}
