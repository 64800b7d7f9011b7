import { join } from 'node:path';
import { builtInPageNames } from '../contract/builtInPage.ts';

/** Whether the first label of a host name is the name of a built-in page. */
export const isBuiltInPage = (id: string): boolean => (builtInPageNames as readonly string[]).includes(id);

/** Where the files of a built-in page are. */
export const builtInPageFolder = (id: string): string | undefined =>
  isBuiltInPage(id) ? join(import.meta.dirname, '../pages', id) : undefined;
