import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where `npm run test:electron` keeps the one that it fetched, below a folder of caches. */
const FETCHED = 'faceplate/electron-33.2.1/plain';

/** What to say where there is none. */
export const NO_PLAIN_ELECTRON = 'needs an Electron: `npm run test:electron` fetches one';

/**
 * An Electron as it was released, to be packed by tests: the folder that ELECTRON_PLAIN_DIST_PATH names, else the one that
 * was fetched earlier.
 * @returns its folder, or undefined when there is none
 */
export function plainElectron(env: NodeJS.ProcessEnv = process.env): string | undefined {
  if (env.ELECTRON_PLAIN_DIST_PATH) return env.ELECTRON_PLAIN_DIST_PATH;
  const caches = ['/var/cache', join(homedir(), '.cache')];
  return caches.map((cache) => join(cache, FETCHED)).find((folder) => existsSync(join(folder, 'electron')));
}
