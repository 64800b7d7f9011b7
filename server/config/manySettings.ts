import { isOwnersAlone, mistakeWords, type SettingKey, settingDeclarations } from './settings.ts';
import { readTree } from './settingsFile.ts';

/** What makes a panel itself: two panels cannot share it. */
const IDENTITY = /^(?:device\.name$|mqtt\.id$|http\.)/;

/** Whether a setting can be the same on many panels: no secret, nothing of the owner alone, no identity. */
function mayBeShared(key: SettingKey): boolean {
  return !('secret' in settingDeclarations[key]) && !isOwnersAlone(key) && !IDENTITY.test(key);
}

/** What is wrong with a change that is meant for many panels, in a sentence without any value; undefined: nothing. */
export function manySettingsMistake(tree: unknown): string | undefined {
  const mistakes: string[] = [];
  const wanted = readTree(
    tree,
    (key) => key,
    (key, words) => mistakes.push(`${clip(key)}: ${words}`),
  );
  for (const [key, { value }] of wanted) {
    const parsed = value === null ? undefined : settingDeclarations[key].schema.safeParse(value);
    if (!mayBeShared(key)) mistakes.push(`${key}: cannot be rolled out, it is a secret or each panel's own`);
    else if (parsed?.success === false) mistakes.push(`${key}: ${mistakeWords(parsed.error)}`);
  }
  if (wanted.size === 0 && mistakes.length === 0) return 'There is no setting to change.';
  return mistakes.length === 0
    ? undefined
    : `The settings have mistakes: ${mistakes.slice(0, 10).join('; ')}.`;
}

function clip(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
