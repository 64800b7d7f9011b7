// Whether all is as the last start has left it: the bundle of the service (build/bundle/service.ts), and what `npm start`
// checks besides. Node's own modules only, and nothing newer than Node 20.
import { createRequire } from 'node:module';
import { join } from 'node:path';

// For `import`, Node loads all that it exports, which a start waits for.
const { mkdirSync, readFileSync, statSync, writeFileSync } = createRequire(import.meta.url)('node:fs');

/** Where bundles are, each in a folder of its own, from the folder of package.json. */
export const BUNDLES = 'dist/start';

/** The file there with the path of the newest bundle's program, and the marks of its files and of all that it was made from. */
export const STAMP = 'made.json';

/** The same of the packages, the pages and the programs that a start has found as they have to be. */
const CHECKED = 'checked.json';

/**
 * What tells that a file was changed: also one with its old time and size put back gets a new time of change.
 * @param {string} root folder of package.json
 * @param {string} path from there, or an absolute one
 * @returns {[size: number, modified: number, changed: number, inode: number]} times in milliseconds since 1970
 * @throws Error of the file system
 */
function markOf(root, path) {
  // As text: `resolve` takes longer than the system call.
  const { size, mtimeMs, ctimeMs, ino } = statSync(path.startsWith('/') ? path : `${root}/${path}`);
  return [size, mtimeMs, ctimeMs, ino];
}

/**
 * @param {string} root folder of package.json
 * @returns {string | undefined} path of the program; undefined where none was made, or a file of it has changed since
 */
export function startBundle(root) {
  try {
    const { main, files } = JSON.parse(readFileSync(join(root, BUNDLES, STAMP), 'utf8'));
    return files.every(isSame(root)) ? join(root, main) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * @param {string} root folder of package.json
 * @param {() => readonly string[]} list of paths
 * @returns {[path: string, size: number, modified: number, changed: number, inode: number][] | undefined} each with its
 *   mark; undefined where one cannot be read
 */
export function marksOf(root, list) {
  try {
    return list().map((path) => [path, ...markOf(root, path)]);
  } catch {
    return undefined;
  }
}

/**
 * @param {string} root folder of package.json
 * @param {boolean} isKiosk whether the programs of a kiosk window count too
 * @returns {boolean} whether nothing that `noteChecked` was given has changed since
 */
export function isChecked(root, isKiosk) {
  try {
    const checked = JSON.parse(readFileSync(join(root, BUNDLES, CHECKED), 'utf8'));
    return (checked.isKiosk || !isKiosk) && checked.files.every(isSame(root));
  } catch {
    return false;
  }
}

/**
 * A start has checked these files and folders, and all of them are as they have to be. Where that cannot be written, the
 * next start checks again.
 * @param {string} root folder of package.json
 * @param {boolean} isKiosk whether the programs of a kiosk window are among them
 * @param {ReturnType<typeof marksOf>} files with their marks from before they were checked
 */
export function noteChecked(root, isKiosk, files) {
  try {
    mkdirSync(join(root, BUNDLES), { recursive: true });
    writeFileSync(join(root, BUNDLES, CHECKED), JSON.stringify({ isKiosk, files }));
  } catch {
    // A folder without writes.
  }
}

/** @returns {(file: [string, ...number[]]) => boolean} whether a file still has its marks. @throws Error of the file system */
function isSame(root) {
  return ([path, ...mark]) => markOf(root, path).every((value, at) => value === mark[at]);
}
