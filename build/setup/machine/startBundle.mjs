// Whether the bundle that `npm start` made of the service (build/bundle/service.ts) still is what the sources say.
// Node's own modules only, and nothing newer than Node 20.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Where bundles are, each in a folder of its own, from the folder of package.json. */
export const BUNDLES = 'dist/start';

/** The file there with the path of the newest bundle's program, and the marks of its files and of all that it was made from. */
export const STAMP = 'made.json';

/**
 * What tells that a file was changed: also one with its old time and size put back gets a new time of change.
 * @param {string} root folder of package.json
 * @param {string} path from there
 * @returns {[size: number, modified: number, changed: number, inode: number]} times in milliseconds since 1970
 * @throws Error of the file system
 */
export function markOf(root, path) {
  const { size, mtimeMs, ctimeMs, ino } = statSync(join(root, path));
  return [size, mtimeMs, ctimeMs, ino];
}

/**
 * @param {string} root folder of package.json
 * @returns {string | undefined} path of the program; undefined where none was made, or a file of it has changed since
 */
export function startBundle(root) {
  try {
    const { main, files } = JSON.parse(readFileSync(join(root, BUNDLES, STAMP), 'utf8'));
    const isSame = ([path, ...mark]) => markOf(root, path).every((value, at) => value === mark[at]);
    return files.every(isSame) ? join(root, main) : undefined;
  } catch {
    return undefined;
  }
}
