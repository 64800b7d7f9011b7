import { join } from 'node:path';
import type { Scope } from '../contract/access.ts';
import { scopeGivenAway, secretsLost } from './changeRules.ts';
import { hidesSome, isOwnersToRead, openValue, stillHides, unhiddenValue } from './hiddenValues.ts';
import type { LoadedSettings } from './loadSettings.ts';
import {
  isFromOutside,
  isOwnersAlone,
  mistakeWords,
  OUTSIDE_ONLY,
  type SettingKey,
  settingDeclarations,
} from './settings.ts';
import { type Layer, readSettingsFile, type SettingsFile, settingsSteps, treeOf } from './settingsFile.ts';
import type { SettingsStore } from './settingsStore.ts';

/** What a restore would do to the settings. */
export interface SettingsPlan {
  /** For `SettingsStore.change`: by whole key, null for the default. */
  readonly change: Readonly<Record<string, unknown>>;
  /** All of settings.json as it then is. */
  readonly text: string;
  /** Keys of the backup that are taken. */
  readonly restored: readonly string[];
  /** Keys of the backup that are left alone. */
  readonly skipped: readonly string[];
  /** Secrets of this panel that are cleared, as they would be sent to another server. */
  readonly cleared: readonly string[];
}

/** Who restores. */
interface Restorer {
  readonly isOwner: boolean;
  /** What the restorer's token opens; a restore gives others no more than that. */
  readonly scopes: readonly Scope[];
}

/** Never in a backup: the token is the owner's. */
const NEVER: readonly SettingKey[] = ['token', ...OUTSIDE_ONLY];

const keys = (Object.keys(settingDeclarations) as SettingKey[]).filter((key) => !NEVER.includes(key));

/**
 * The settings as backups hold them: those of settings.json, secrets apart. What only the owner reads is a secret here: the
 * open part has an address without its query, and the secrets have the whole one.
 */
export class SettingsBackup {
  readonly #running: LoadedSettings;
  readonly #store: SettingsStore;

  constructor(running: LoadedSettings, store: SettingsStore) {
    this.#running = running;
    this.#store = store;
  }

  /** @returns two trees for settings.json */
  kept(): { readonly plain: unknown; readonly secret: unknown } {
    const { layer } = this.#file();
    const kept = [...layer].filter(([key]) => keys.includes(key));
    const tree = (of: typeof kept): unknown =>
      treeOf({ layer: new Map(of), unfit: new Map(), unknown: [], migrated: undefined });
    return {
      plain: tree(
        kept
          .filter(([key]) => !isSecret(key))
          .map(([key, { value, place }]) => [key, { value: openValue(key, value), place }]),
      ),
      secret: tree(kept.filter(([key, { value }]) => isSecret(key) || hidesSome(key, value))),
    };
  }

  /**
   * Checks the settings of a backup. A key that the backup does not hold gets its default back; secrets only where
   * `secrets` says that it holds them. What only the owner may change, or would give callers on a broker a scope that is
   * not among `scopes`, is left alone; so is an address whose query the backup does not hold and this panel does not know.
   * @param path a file as settings.json; keys of earlier versions are understood
   * @throws Error in words when it does not fit; FaceplateError as `secretsLost`
   */
  plan(path: string, { secrets, isOwner, scopes }: Restorer & { secrets: boolean }): SettingsPlan {
    const file = this.#file();
    const before = (key: SettingKey) => this.#valueOf(key, file);
    const { wanted, unknown } = read(path, secrets, before);
    const given = this.#store.now()['mqtt.scopes'];
    const isLocked = (key: SettingKey) =>
      !isOwner && (isOwnersAlone(key) || scopeGivenAway(key, { given, held: scopes }) !== undefined);
    const change: Record<string, unknown> = {};
    const skipped: SettingKey[] = [];
    for (const key of keys) {
      const kept = wanted.get(key);
      if (isSecret(key) && !secrets && kept === undefined) continue;
      if (this.#isHeld(key) || isLocked(key) || unknown.has(key)) {
        if (kept !== undefined) skipped.push(key);
        continue;
      }
      if (kept === undefined && !file.layer.has(key)) continue;
      change[key] = kept === undefined ? null : kept.value;
    }
    const changed = new Map(Object.entries(change).map(([key, value]) => [key as SettingKey, { value }]));
    const isHeld = (key: SettingKey) => this.#isHeld(key);
    const cleared = secretsLost({ before, wanted: changed, isHeld, isOwner });
    for (const key of cleared) change[key] = null;
    for (const [key, value] of Object.entries(change) as [SettingKey, unknown][]) {
      file.unfit.delete(key);
      if (value === null) file.layer.delete(key);
      else file.layer.set(key, { value, place: key });
    }
    const restored = [...wanted.keys()].filter((key) => !skipped.includes(key));
    return { change, text: `${JSON.stringify(treeOf(file))}\n`, restored, skipped, cleared };
  }

  /** Carries a plan out; what is live acts at once. @returns the keys that need a restart @throws as `SettingsStore.change` */
  async carryOut({ change }: SettingsPlan): Promise<readonly string[]> {
    const changed = Object.keys(change);
    if (changed.length === 0) return [];
    // The plan leaves out what only the owner may change.
    const { restartNeeded } = await this.#store.change(change, { isOwner: true });
    return restartNeeded.filter((key) => changed.includes(key));
  }

  #isHeld(key: SettingKey): boolean {
    return isFromOutside(this.#running.sources[key]);
  }

  #valueOf(key: SettingKey, file: SettingsFile): unknown {
    if (this.#isHeld(key)) return this.#running.settings[key];
    return file.layer.has(key) ? file.layer.get(key)?.value : settingDeclarations[key].default;
  }

  #file(): SettingsFile {
    const { settings } = this.#running;
    const mistakes: string[] = [];
    const file = readSettingsFile(join(settings.dataDir, 'settings.json'), {
      isOwn: true,
      mistakes,
      steps: settingsSteps,
    });
    if (mistakes.length > 0) throw new Error(mistakes.join('; '));
    return file;
  }
}

interface Read {
  readonly wanted: Layer;
  /** Keys with a hidden part that the panel does not know. */
  readonly unknown: ReadonlySet<SettingKey>;
}

/** @param now the values of the panel @throws Error in words, never with a value */
function read(path: string, secrets: boolean, now: (key: SettingKey) => unknown): Read {
  const mistakes: string[] = [];
  const { layer: wanted } = readSettingsFile(path, { isOwn: false, mistakes, steps: settingsSteps });
  const { layer: asWritten } = readSettingsFile(path, { isOwn: false, mistakes: [], steps: [] });
  const unknown = new Set<SettingKey>();
  for (const [key, given] of wanted) {
    if (!secrets && !asWritten.has(key)) given.value = joined(key, now(key), given.value);
    else given.value = unhiddenValue(key, given.value, now(key));
    const parsed = settingDeclarations[key].schema.safeParse(given.value);
    // Hidden by a panel that made the backup: what remains is no mistake.
    if (!parsed.success && stillHides(key, given.value)) unknown.add(key);
    else if (!parsed.success) mistakes.push(`${key}: ${mistakeWords(key, given.value)}`);
    if (NEVER.includes(key)) mistakes.push(`${key}: cannot be in a backup`);
    else if ('secret' in settingDeclarations[key] && !secrets && asWritten.has(key))
      mistakes.push(`${key}: is a secret, but not encrypted`);
  }
  if (mistakes.length > 0)
    throw new Error(mistakes.map((words) => words.replace(`${path}: `, '')).join('; '));
  return { wanted, unknown };
}

/** Logins that an address of an earlier version brought, added to those of the panel, which a backup without secrets keeps. */
function joined(key: SettingKey, now: unknown, brought: unknown): unknown {
  if (key !== 'kiosk.logins' || !Array.isArray(now) || !Array.isArray(brought)) return brought;
  const known = new Set(now.map(({ origin }) => origin));
  return [...now, ...brought.filter(({ origin }) => !known.has(origin))].slice(0, 32);
}

/** Whether it is among the secrets of a backup. */
function isSecret(key: SettingKey): boolean {
  return 'secret' in settingDeclarations[key] || isOwnersToRead(key);
}
