import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { builtInPageNames } from '../contract/builtInPage.ts';

/** Whether the first label of a host name is the name of a built-in page. */
export const isBuiltInPage = (id: string): boolean => (builtInPageNames as readonly string[]).includes(id);

/**
 * Where the app is that the panel shows behind the PIN, and browsers at /manage/. It is bundled: in the checkout it is
 * made beside the sources, in a bundle it stands beside the program.
 */
export const manageFolder = ['../../manage', '../../dist/manage']
  .map((path) => join(import.meta.dirname, path))
  .find((path, at, all) => existsSync(path) || at === all.length - 1)!;

/** Where the files of a built-in page are. */
export function builtInPageFolder(id: string): string | undefined {
  if (!isBuiltInPage(id)) return undefined;
  return id === 'settings' ? manageFolder : join(import.meta.dirname, '../pages', id);
}
