import { join } from 'node:path';
import type { Scope } from '../contract/access.ts';
import { scopeGivenAway } from './brokerScopes.ts';
import type { LoadedSettings } from './loadSettings.ts';
import {
  isOwnersAlone,
  mistakeWords,
  OUTSIDE_ONLY,
  type SettingKey,
  settingDeclarations,
  settingsSteps,
} from './settings.ts';
import { type Layer, readSettingsFile, type SettingsFile, treeOf } from './settingsFile.ts';
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
}

/** Who restores. */
interface Restorer {
  readonly isOwner: boolean;
  /** What the restorer's token opens; nobody gives others more than that. */
  readonly scopes: readonly Scope[];
}

/** Never in a backup: the token is the owner's. */
const NEVER: readonly SettingKey[] = ['token', ...OUTSIDE_ONLY];

const keys = (Object.keys(settingDeclarations) as SettingKey[]).filter((key) => !NEVER.includes(key));

/** The settings as backups hold them: those of settings.json, secrets apart. */
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
    const of = (wanted: boolean): unknown =>
      treeOf({
        layer: new Map([...layer].filter(([key]) => keys.includes(key) && isSecret(key) === wanted)),
        unfit: new Map(),
        unknown: [],
        migrated: undefined,
      });
    return { plain: of(false), secret: of(true) };
  }

  /**
   * Checks the settings of a backup. A key that the backup does not hold gets its default back; secrets only where
   * `secrets` says that it holds them. What only the owner may change, or would give callers on a broker a scope that is
   * not among `scopes`, is left alone.
   * @param path a file as settings.json; keys of earlier versions are understood
   * @throws Error in words when it does not fit
   */
  plan(path: string, { secrets, isOwner, scopes }: Restorer & { secrets: boolean }): SettingsPlan {
    const wanted = read(path, secrets);
    const file = this.#file();
    const given = this.#store.now()['mqtt.scopes'];
    const isLocked = (key: SettingKey) =>
      !isOwner && (isOwnersAlone(key) || scopeGivenAway(key, { given, held: scopes }) !== undefined);
    const change: Record<string, unknown> = {};
    const skipped: SettingKey[] = [];
    for (const key of keys) {
      if (isSecret(key) && !secrets) continue;
      const kept = wanted.get(key);
      if (this.#isHeld(key) || isLocked(key)) {
        if (kept !== undefined) skipped.push(key);
        continue;
      }
      if (kept === undefined && !file.layer.has(key)) continue;
      change[key] = kept === undefined ? null : kept.value;
      file.unfit.delete(key);
      if (kept === undefined) file.layer.delete(key);
      else file.layer.set(key, kept);
    }
    const restored = [...wanted.keys()].filter((key) => !skipped.includes(key));
    return { change, text: `${JSON.stringify(treeOf(file))}\n`, restored, skipped };
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
    return ['flag', 'environment'].includes(this.#running.sources[key]);
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

/** @throws Error in words, never with a value */
function read(path: string, secrets: boolean): Layer {
  const mistakes: string[] = [];
  const { layer } = readSettingsFile(path, { isOwn: false, mistakes, steps: settingsSteps });
  for (const [key, { value }] of layer) {
    const parsed = settingDeclarations[key].schema.safeParse(value);
    if (!parsed.success) mistakes.push(`${key}: ${mistakeWords(parsed.error)}`);
    if (NEVER.includes(key)) mistakes.push(`${key}: cannot be in a backup`);
    else if (isSecret(key) && !secrets) mistakes.push(`${key}: is a secret, but not encrypted`);
  }
  if (mistakes.length > 0)
    throw new Error(mistakes.map((words) => words.replace(`${path}: `, '')).join('; '));
  return layer;
}

function isSecret(key: SettingKey): boolean {
  return 'secret' in settingDeclarations[key];
}
