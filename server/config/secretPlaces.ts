import { FaceplateError } from '../contract/errors.ts';
import { isEmpty, type SettingKey, settingDeclarations } from './settings.ts';

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
 * A secret is for one server. Where a change names another one, whoever is not the owner has to send the secret too, or it
 * is lost: nobody leads a password that he cannot read to a server of his own. Nobody leads one out of TLS: who means
 * that clears it first.
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
