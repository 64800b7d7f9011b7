import { chmodSync, chownSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from './temporaryFolder.ts';

/** The folders of a desktop session in a temporary place, with the user whose session it is. */
export interface KioskSession {
  readonly root: string;
  readonly home: string;
  /** XDG_DATA_HOME. */
  readonly dataHome: string;
  /** The one folder of XDG_DATA_DIRS. */
  readonly dataDir: string;
  readonly installDir: string;
  readonly environment: NodeJS.ProcessEnv;
  /** `nobody` when the test is root, else undefined. */
  readonly user: { name: string; uid: number; gid: number; home: string } | undefined;
  /** The applications of the home, and those of the data folder as if they came with the system. */
  readonly folders: readonly { path: string; origin: 'user' | 'system'; trees: string[] }[];
  /** Writes a file below the root, as the session's user if it is in the home. @returns its path */
  write(path: string, content: string | Uint8Array, mode?: number): string;
  /** Writes `<folder>/applications/<id>.desktop`; keys replace the usual ones. */
  entry(folder: string, id: string, keys?: Readonly<Record<string, string>>): string;
}

export function makeKioskSession(): KioskSession {
  const root = temporaryFolder('session');
  chmodSync(root, 0o755);
  const [home, dataDir, installDir] = ['home', 'share', 'packages'].map((name) => join(root, name));
  for (const folder of [home!, dataDir!, installDir!]) mkdirSync(folder);
  const user =
    process.getuid?.() === 0 ? { name: 'nobody', uid: 65_534, gid: 65_534, home: home! } : undefined;
  if (user) chownSync(home!, user.uid, user.gid);
  const dataHome = join(home!, '.local', 'share');
  const makeFolder = (folder: string): void => {
    if (existsSync(folder)) return;
    makeFolder(dirname(folder));
    mkdirSync(folder);
    if (user && folder.startsWith(home!)) chownSync(folder, user.uid, user.gid);
  };
  const write = (path: string, content: string | Uint8Array, mode = 0o644): string => {
    makeFolder(dirname(path));
    writeFileSync(path, content);
    chmodSync(path, mode);
    if (user && path.startsWith(home!)) chownSync(path, user.uid, user.gid);
    return path;
  };
  return {
    root,
    home: home!,
    dataHome,
    dataDir: dataDir!,
    installDir: installDir!,
    user,
    environment: {
      PATH: '/usr/local/bin:/usr/bin:/bin',
      HOME: home!,
      LANG: 'C.UTF-8',
      XDG_DATA_DIRS: dataDir!,
      FLATPAK_SYSTEM_DIR: join(root, 'flatpak-system'),
      FLATPAK_USER_DIR: join(root, 'flatpak-user'),
    },
    folders: [
      { path: join(dataHome, 'applications'), origin: 'user', trees: [home!] },
      { path: join(dataDir!, 'applications'), origin: 'system', trees: [dataDir!] },
    ],
    write,
    entry: (folder, id, keys = {}) => {
      const all = { Type: 'Application', Name: id, Exec: 'true', ...keys };
      const lines = Object.entries(all).map(([key, value]) => `${key}=${value}`);
      return write(join(folder, 'applications', `${id}.desktop`), `[Desktop Entry]\n${lines.join('\n')}\n`);
    },
  };
}

/** A record of installed packages in memory; `saved` lists every saved value. */
export function memoryRecord(value: Readonly<Record<string, readonly string[]>> = {}) {
  const saved = [value];
  return {
    saved,
    get value() {
      return saved.at(-1)!;
    },
    load: async () => saved.at(-1)!,
    save: async (next: Readonly<Record<string, readonly string[]>>) => {
      saved.push(next);
    },
  };
}
