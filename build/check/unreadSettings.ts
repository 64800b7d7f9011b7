import { settingDeclarations } from '../../server/config/settings.ts';
import type { Tree } from './layers.ts';

/** Files that only declare or describe settings. */
const DECLARES = /^server\/(?:config\/(?:settings|groups\/\w+|\w*[wW]ords)\.ts|pages\/)/;

/**
 * Settings without effect, because no product file reads them.
 * @returns one sentence for each
 */
export function findUnreadSettings(
  tree: Tree,
  keys: readonly string[] = Object.keys(settingDeclarations),
): string[] {
  const readers = [...tree]
    .filter(([file]) => /^(?:server|electron)\/.*(?<!\.test)\.ts$/.test(file))
    .filter(([file]) => !file.includes('/testing/') && !DECLARES.test(file))
    .map(([, source]) => source)
    .join('\n');
  return keys
    .filter(
      (key) => !new RegExp(key.includes('.') ? `'${key.replace('.', '\\.')}'` : `\\b${key}\\b`).test(readers),
    )
    .map(
      (key) => `The setting ${key} is declared, but nothing reads it. Pass it to a service, or remove it.`,
    );
}
