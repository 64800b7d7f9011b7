// Which of our own bundled pages are older than their sources. `npm start` asks this each time, before it starts a bundler:
// Node's own modules only, and nothing newer than Node 20.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Folders and files whose change makes each of them stale. */
const SOURCES = {
  manage: [
    // Views, words and contracts stand with their parts.
    ...['pages/manage', 'contract', 'config', 'parts', 'video', 'intercom', 'kiosk', 'surfaces/mqtt'].map(
      (room) => `server/${room}`,
    ),
    'server/pages/glass/look',
    ...['build/bundle/manageApp.ts', 'package-lock.json'],
  ],
  glass: [
    'server/pages/glass',
    'server/contract',
    'server/kiosk/glass',
    'build/bundle/layerPage.ts',
    'package-lock.json',
  ],
  keys: [
    'server/pages/keys',
    'server/contract',
    'server/kiosk/keyboard',
    'server/pages/glass/look',
    'build/bundle/layerPage.ts',
    'package-lock.json',
  ],
};

/**
 * @param {string} root folder of package.json
 * @returns {('manage' | 'glass' | 'keys')[]} names of folders of dist/
 */
export function stalePages(root) {
  /** @type {('manage' | 'glass' | 'keys')[]} */
  const names = ['manage', 'glass', 'keys'];
  return names.filter((name) => {
    const made = statSync(join(root, madeAt(name)), { throwIfNoEntry: false })?.mtimeMs ?? 0;
    return SOURCES[name].some((source) => newest(join(root, source)) >= made);
  });
}

/**
 * @param {string} root folder of package.json
 * @returns {string[]} all files and folders that can make one of them stale, from there. @throws Error of the file system
 */
export function sourcesOfPages(root) {
  const sources = [...new Set(Object.values(SOURCES).flat())];
  const inside = (path) =>
    statSync(join(root, path)).isDirectory()
      ? readdirSync(join(root, path), { recursive: true, encoding: 'utf8' }).map((name) => join(path, name))
      : [];
  return [...new Set([...sources, ...sources.flatMap(inside)])];
}

/** @returns {string[]} the file that tells when each was made, from the folder of package.json */
export function madePages() {
  return Object.keys(SOURCES).map(madeAt);
}

function madeAt(name) {
  return join('dist', name, 'index.html');
}

/**
 * @param {string} path of a file or folder
 * @returns {number} when it or anything in it changed last, in milliseconds since 1970
 */
export function newest(path) {
  const found = statSync(path, { throwIfNoEntry: false });
  // The bundler tells what is missing.
  if (found === undefined) return Number.POSITIVE_INFINITY;
  if (!found.isDirectory()) return found.mtimeMs;
  return Math.max(found.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))));
}
