import { type Scope, scopes } from '../contract/access.ts';
import { FaceplateError } from '../contract/errors.ts';
import { hidesSome } from './hiddenValues.ts';
import { isEmpty, isOwnersAlone, mistakeWords, type SettingKey, settingDeclarations } from './settings.ts';
import { readTree } from './settingsFile.ts';

/** A change as far as secrets and their places are concerned. */
interface PlaceChange {
  /** The values before it. */
  readonly before: (key: SettingKey) => unknown;
  /** Those that it sets, by key; null restores the default. */
  readonly wanted: ReadonlyMap<SettingKey, { readonly value: unknown }>;
  /** Whether a flag or the environment holds a setting. */
  readonly isHeld: (key: SettingKey) => boolean;
  readonly isOwner: boolean;
}

/** What binds one secret to its place. */
type Bond = [SettingKey, { readonly settings: readonly string[]; of(...values: unknown[]): Place | null }];
type Place = { readonly server: string; readonly isEncrypted: boolean };

const bonds = Object.entries(settingDeclarations).flatMap(([key, declaration]) =>
  'place' in declaration ? ([[key, declaration.place]] as Bond[]) : [],
);

/**
 * A secret is for one server. When a change names another server, a caller who is not the owner has to send the secret
 * again, or it is lost: he must not lead a password that he cannot read to his own server. No caller leads a password out
 * of TLS: a caller who means to clears it first.
 * @returns the secrets that are lost by the change
 * @throws FaceplateError CONFLICT with the field
 */
export function secretsLost({ before, wanted, isHeld, isOwner }: PlaceChange): SettingKey[] {
  const after = (key: SettingKey): unknown => {
    const given = wanted.get(key);
    return given === undefined ? before(key) : (given.value ?? settingDeclarations[key].default);
  };
  const lost: SettingKey[] = [];
  for (const [secret, { settings, of }] of bonds) {
    const names = settings as readonly SettingKey[];
    const field = names.find((key) => wanted.has(key));
    if (field === undefined || isEmpty(before(secret)) || isEmpty(after(secret))) continue;
    const [from, to] = [of(...names.map(before)), of(...names.map(after))];
    if (from?.isEncrypted && to?.isEncrypted === false)
      throw new FaceplateError(
        'CONFLICT',
        `${secret} would be sent without TLS. Clear it first, if that is meant.`,
        { field },
      );
    if (isOwner || from?.server === to?.server || wanted.has(secret)) continue;
    if (isHeld(secret))
      throw new FaceplateError(
        'CONFLICT',
        `${secret} is held by a flag or the environment: only the owner's token may send it to another server.`,
        { field },
      );
    lost.push(secret);
  }
  return lost;
}

const BY_DEFAULT: readonly unknown[] = settingDeclarations['mqtt.scopes'].default;

/**
 * The scope that another broker would give to its members although the caller who changes `mqtt.url` lacks it, beyond
 * those that any broker has by default. `mqtt.scopes` itself is the owner's.
 * @param given what `mqtt.scopes` is
 * @param held of the changer
 */
export function scopeGivenAway(
  key: SettingKey,
  { given, held }: { readonly given: unknown; readonly held: readonly Scope[] },
): string | undefined {
  if (key !== 'mqtt.url' || !Array.isArray(given)) return undefined;
  return given.map(String).find((scope) => !BY_DEFAULT.includes(scope) && !isScopeHeld(scope, held));
}

function isScopeHeld(scope: string, held: readonly Scope[]): boolean {
  return scopes.some((known) => known === scope && held.includes(known));
}

/** What makes a panel itself: two panels cannot share it. */
const IDENTITY = /^(?:device\.name$|mqtt\.id$|http\.)/;

/** Whether a setting can be the same on many panels: no secret, nothing of the owner alone, no identity. */
function mayBeShared(key: SettingKey): boolean {
  return !('secret' in settingDeclarations[key]) && !isOwnersAlone(key) && !IDENTITY.test(key);
}

/** Whether a value has a login: a roll-out is written down as it is. */
function holdsLogin(key: SettingKey, value: unknown): boolean {
  const declaration = settingDeclarations[key];
  return 'hides' in declaration && declaration.hides === 'logins' && hidesSome(key, value);
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
    const words = value === null ? undefined : mistakeWords(key, value);
    if (!mayBeShared(key) || holdsLogin(key, value))
      mistakes.push(`${key}: cannot be rolled out, it is a secret or each panel's own`);
    else if (words !== undefined) mistakes.push(`${key}: ${words}`);
  }
  if (wanted.size === 0 && mistakes.length === 0) return 'There is no setting to change.';
  return mistakes.length === 0
    ? undefined
    : `The settings have mistakes: ${mistakes.slice(0, 10).join('; ')}.`;
}

function clip(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
