import { type Scope, scopes } from '../contract/access.ts';
import { type SettingKey, settingDeclarations } from './settings.ts';

const BY_DEFAULT: readonly unknown[] = settingDeclarations['mqtt.scopes'].default;

/**
 * The scope that another broker would give to its members although whoever changes `mqtt.url` does not hold it, beyond
 * those that any broker has by default. `mqtt.scopes` itself is the owner's.
 * @param given what `mqtt.scopes` is
 * @param held of the changer
 */
export function scopeGivenAway(
  key: SettingKey,
  { given, held }: { readonly given: unknown; readonly held: readonly Scope[] },
): string | undefined {
  if (key !== 'mqtt.url' || !Array.isArray(given)) return undefined;
  return given.map(String).find((scope) => !BY_DEFAULT.includes(scope) && !isHeld(scope, held));
}

function isHeld(scope: string, held: readonly Scope[]): boolean {
  return scopes.some((known) => known === scope && held.includes(known));
}
