import { isAbsolute, join, normalize } from 'node:path';
import { homeFolders } from './environment.ts';

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
