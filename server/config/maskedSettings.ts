import { hiddenValue } from './hiddenValues.ts';
import { settingDeclarations } from './settings.ts';
import { readTree } from './settingsFile.ts';

const HIDDEN = '…';

/**
 * A tree of settings as it may be shown to others, by key: values of secret settings, and of what is no setting,
 * become "…"; addresses lose their queries.
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
      'secret' in settingDeclarations[key] && value !== null ? HIDDEN : hiddenValue(key, value),
    ]),
    ...unknown.map((key) => [key, HIDDEN]),
  ]);
}

/** The params of `fleet.rollout` with the settings among them masked; a refused one may hold secrets too. */
export function maskedRollout(params: unknown): unknown {
  const rollout = params as { command?: unknown; params?: unknown } | null;
  if (rollout?.command !== 'settings.change') return params;
  return { ...rollout, params: maskedSettings(rollout.params) };
}
