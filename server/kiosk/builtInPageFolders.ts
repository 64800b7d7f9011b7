import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { builtInPageHost, builtInPageNames } from './builtInPageContract.ts';

/** Name of the built-in page at a host name below `.localhost`. */
const builtInPageAt = (host: string) =>
  builtInPageNames.find((name) => name === host || builtInPageHost(name) === host);

/** Whether a host name below `.localhost` is that of a built-in page. */
export const isBuiltInPage = (host: string): boolean => builtInPageAt(host) !== undefined;

/** Where the app is that the panel shows behind the PIN, and browsers at /manage/. */
export const manageFolder = bundledFolder('manage');
/** By page. The others are in the sources, and their modules are sent without their types. */
const BUNDLED: Readonly<Record<string, string>> = { settings: manageFolder, keys: bundledFolder('keys') };

/** In the checkout it is made beside the sources, in a bundle it stands beside the program. */
function bundledFolder(name: string): string {
  return [`../../${name}`, `../../dist/${name}`]
    .map((path) => join(import.meta.dirname, path))
    .find((path, at, all) => existsSync(path) || at === all.length - 1)!;
}

/** Where the files of a built-in page are. */
export function builtInPageFolder(host: string): string | undefined {
  const name = builtInPageAt(host);
  if (name === undefined) return undefined;
  return BUNDLED[name] ?? join(import.meta.dirname, '../pages', name);
}
