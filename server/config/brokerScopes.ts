import { type Scope, scopes } from '../contract/access.ts';
import { type SettingKey, settingDeclarations } from './settings.ts';

/** Settings that say which broker it is whose members get `mqtt.scopes`. */
const BROKER: readonly SettingKey[] = ['mqtt.url', 'mqtt.authorities'];
const BY_DEFAULT: readonly unknown[] = settingDeclarations['mqtt.scopes'].default;

/**
 * The scope that a change of one setting would give to callers on a broker although whoever changes it does not hold it:
 * by `mqtt.scopes` itself, or by another broker for more than the scopes that any broker has by default.
 * @param value of the setting; null: its default
 * @param given what `mqtt.scopes` is then
 * @param held of the changer
 */
export function scopeGivenAway(
  key: SettingKey,
  value: unknown,
  { given, held }: { readonly given: unknown; readonly held: readonly Scope[] },
): string | undefined {
  const lacks = (scope: unknown) => !scopes.some((known) => known === scope && held.includes(known));
  if (key === 'mqtt.scopes') return listOf(value ?? BY_DEFAULT).find(lacks);
  if (!BROKER.includes(key)) return undefined;
  return listOf(given).find((scope) => lacks(scope) && !BY_DEFAULT.includes(scope));
}

function listOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
