import { settingDeclarations } from './settings.ts';
import { readTree } from './settingsFile.ts';

const HIDDEN = '…';

/**
 * A tree of settings as it may be shown to others, by key: values of secret settings, and of what is no setting,
 * become "…".
 */
export function maskedSettings(tree: unknown): Record<string, unknown> {
  const unknown: string[] = [];
  const known = readTree(
    tree,
    (key) => key,
    (key) => unknown.push(key.slice(0, 100)),
  );
  return Object.fromEntries([
    ...[...known].map(([key, { value }]) => [
      key,
      'secret' in settingDeclarations[key] && value !== null ? HIDDEN : value,
    ]),
    ...unknown.map((key) => [key, HIDDEN]),
  ]);
}
