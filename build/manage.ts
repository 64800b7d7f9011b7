// Makes `dist/manage`, the app behind /manage/ and behind the PIN on the glass, where its sources are newer than it:
// `node build/manage.ts`. `npm start` and `npm test` run it each time.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const target = join(root, 'dist/manage');
/** Folders and files whose change makes the app stale. */
const SOURCES = [
  ...['server/pages/manage', 'server/contract', 'server/config'],
  ...['build/manageApp.ts', 'package-lock.json'],
];

const made = statSync(join(target, 'index.html'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
// The bundler is loaded only where there is something to do: this runs at every start.
if (SOURCES.some((source) => newest(join(root, source)) >= made))
  await (await import('./manageApp.ts')).buildManage(root, target);

function newest(path: string): number {
  const { mtimeMs } = statSync(path);
  if (!statSync(path).isDirectory()) return mtimeMs;
  return Math.max(mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))));
}
