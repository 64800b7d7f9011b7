// Makes our own pages that are bundled, where their sources are newer: `dist/manage`, the app behind /manage/ and behind the
// PIN on the glass, and `dist/keys`, the keyboard on the screen: `node build/manage.ts`. `npm start` and `npm test` run it
// each time.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
/** Folders and files whose change makes each of them stale. */
const SOURCES = {
  manage: [
    ...['server/pages/manage', 'server/contract', 'server/config'],
    ...['build/manageApp.ts', 'package-lock.json'],
  ],
  keys: ['server/pages/keys', 'server/contract', 'build/keysPage.ts', 'package-lock.json'],
};

// The bundler is loaded only where there is something to do: this runs at every start.
if (isStale('manage')) await (await import('./manageApp.ts')).buildManage(root, join(root, 'dist/manage'));
if (isStale('keys')) await (await import('./keysPage.ts')).buildKeys(root, join(root, 'dist/keys'));

function isStale(name: keyof typeof SOURCES): boolean {
  const made = statSync(join(root, 'dist', name, 'index.html'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return SOURCES[name].some((source) => newest(join(root, source)) >= made);
}

function newest(path: string): number {
  const { mtimeMs } = statSync(path);
  if (!statSync(path).isDirectory()) return mtimeMs;
  return Math.max(mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))));
}
