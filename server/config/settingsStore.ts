import { join } from 'node:path';
import { z } from 'zod';
import type { Scope } from '../contract/access.ts';
import { FaceplateError } from '../contract/errors.ts';
import { keepCopy, storageRefusal, writeWhole } from '../platform/files/wholeFile.ts';
import type { Logger } from '../platform/log.ts';
import { scopeGivenAway, secretsLost } from './changeRules.ts';
import type { SettingsAnswer } from './contract.ts';
import { isOwnersToRead, shownValue, unhiddenValue } from './hiddenValues.ts';
import type { LoadedSettings } from './loadSettings.ts';
import {
  differ,
  isEmpty,
  isFromOutside,
  isOwnersAlone,
  mistakeWords,
  type SettingKey,
  type SettingSource,
  type Settings,
  settingDeclarations,
} from './settings.ts';
import {
  type Layer,
  readSettingsFile,
  readTree,
  type SettingsFile,
  type SettingsStep,
  settingsSteps,
  treeOf,
} from './settingsFile.ts';

const keys = Object.keys(settingDeclarations) as SettingKey[];

/** Who reads or changes settings. */
interface Changer {
  /** Some settings are the owner's alone. */
  readonly isOwner: boolean;
  /** What the changer's token opens; a change gives others no more than that. */
  readonly scopes?: readonly Scope[];
  /** Whether the changer may set the first PIN, which is the owner's to change from then on. */
  readonly maySetFirstPin?: () => boolean;
}

const OWNER: Changer = { isOwner: true };

/**
 * The settings for callers who read and change them. A change is written to `<dataDir>/settings.json`; settings
 * declared `live` take effect at once, and for all others the running service keeps its start values.
 */
export class SettingsStore {
  readonly #running: LoadedSettings;
  readonly #log: Logger;
  readonly #steps: readonly SettingsStep[];
  /** What the file contains now. */
  #file: Layer;
  #now: Settings;
  readonly #onLive = new Set<(changed: readonly SettingKey[]) => void>();
  readonly #onChange = new Set<(keys: readonly SettingKey[]) => void>();
  /** Values that are followed instead of those of the file, until somebody changes them. */
  readonly #instead: Map<SettingKey, unknown>;
  #changing: Promise<unknown> = Promise.resolve();

  constructor(running: LoadedSettings, log: Logger, steps = settingsSteps) {
    this.#steps = steps;
    this.#running = running;
    this.#log = log;
    this.#file = running.file.layer;
    this.#now = running.settings;
    this.#instead = new Map(running.instead);
  }

  /** The values in effect now; a new object after each change. */
  readonly now = (): Settings => this.#now;

  /** Calls `act` with the settings whose effective value changed, after each change. */
  onLive(act: (changed: readonly SettingKey[]) => void): () => void {
    this.#onLive.add(act);
    return () => this.#onLive.delete(act);
  }

  /** Calls `act` with the settings that somebody has set, after each change. */
  onChange(act: (keys: readonly SettingKey[]) => void): void {
    this.#onChange.add(act);
  }

  read(reader = OWNER): SettingsAnswer {
    return this.#answer(keys, reader);
  }

  /** What is wrong with a part of the tree, each mistake with its key and none with a value. Empty: `change` takes it. */
  mistakesOf(tree: Readonly<Record<string, unknown>>): string[] {
    const { wanted, mistakes } = this.#read(tree);
    const held = [...wanted.keys()].filter((key) => this.#isHeld(key));
    const found = [
      ...mistakes.map(({ key, words }) => `${clip(key)}: ${words}`),
      ...held.map((key) => `${key}: a flag or the environment holds it`),
    ];
    if (found.length > 0) return found;
    try {
      this.#lost(wanted, this.#file, OWNER);
      return [];
    } catch (error) {
      if (!(error instanceof FaceplateError)) throw error;
      return [`${error.field}: ${error.message}`];
    }
  }

  /**
   * Checks and writes a part of the tree, all of it or nothing; one change at a time.
   * @throws FaceplateError FORBIDDEN, INVALID_REQUEST with all mistakes, CONFLICT (set by flag or environment), STORAGE_FULL
   */
  async change(tree: Readonly<Record<string, unknown>>, changer: Changer): Promise<SettingsAnswer> {
    const change = this.#changing.then(() => this.#change(tree, changer));
    this.#changing = change.catch(() => undefined);
    return change;
  }

  async #change(tree: Readonly<Record<string, unknown>>, changer: Changer): Promise<SettingsAnswer> {
    const wanted = this.#checked(tree, changer);
    const held = [...wanted.keys()].filter((key) => this.#isHeld(key));
    if (held.length > 0) {
      const words = held.map((key) => `${key} (${this.#sourceOf(key)})`).join(', ');
      throw new FaceplateError('CONFLICT', `A flag or the environment holds ${words}. Change it there.`, {
        field: String(held[0]),
      });
    }
    const path = join(this.#running.settings.dataDir, 'settings.json');
    const mistakes: string[] = [];
    // Read again: a person may have edited it by hand since the start.
    const file = readSettingsFile(path, {
      isOwn: true,
      mistakes,
      steps: this.#steps,
    });
    if (mistakes.length > 0)
      throw new FaceplateError('CONFLICT', `settings.json contains mistakes: ${mistakes.join('; ')}.`);
    const cleared = this.#lost(wanted, file.layer, changer);
    for (const key of cleared) wanted.set(key, { value: null, place: key });
    for (const [key, given] of wanted) {
      file.unfit.delete(key);
      if (given.value === null) file.layer.delete(key);
      else file.layer.set(key, given);
    }
    await this.#write(path, file);
    this.#file = file.layer;
    for (const key of wanted.keys()) this.#instead.delete(key);
    // Written by hand since the start: it is not followed.
    for (const key of file.unfit.keys()) if (!this.#instead.has(key)) this.#instead.set(key, this.#now[key]);
    this.#log.info({ keys: [...wanted.keys()], cleared }, 'config: settings changed');
    this.#applyLive();
    for (const act of this.#onChange) act([...wanted.keys()]);
    return { ...this.#answer([...wanted.keys()], changer), ...(cleared.length > 0 && { cleared }) };
  }

  /** @throws FaceplateError STORAGE_FULL */
  async #write(path: string, file: SettingsFile): Promise<void> {
    const { version = '0' } = this.#running.data;
    try {
      if (file.migrated) await keepCopy(path, file.migrated.text, version);
      await writeWhole(path, `${JSON.stringify(treeOf(file))}\n`);
    } catch (error) {
      this.#log.error({ file: path, err: error }, 'config: could not write settings.json');
      throw storageRefusal(path, error);
    }
  }

  #applyLive(): void {
    const now: Partial<Record<SettingKey, unknown>> = { ...this.#now };
    const changed: SettingKey[] = [];
    for (const key of keys) {
      const declaration = settingDeclarations[key];
      if (!('live' in declaration) || !differ(this.#valueOf(key), now[key])) continue;
      // Manual edits of the file are checked only at the next start.
      const parsed = declaration.schema.safeParse(this.#valueOf(key));
      if (!parsed.success) continue;
      now[key] = parsed.data;
      changed.push(key);
    }
    if (changed.length === 0) return;
    this.#now = now as Settings;
    for (const act of this.#onLive) act(changed);
  }

  /** The values of a tree by key; null means the default. */
  #checked(tree: Readonly<Record<string, unknown>>, changer: Changer): Layer {
    const { wanted, mistakes } = this.#read(tree);
    const locked = [...wanted.keys()].find((key) => isLocked(key, changer));
    if (locked !== undefined)
      throw new FaceplateError('FORBIDDEN', `Only the owner's token may change ${locked}.`, {
        field: locked,
      });
    if (!changer.isOwner) this.#mustNotGiveMore(wanted, changer.scopes ?? []);
    const first = mistakes[0];
    if (first) {
      const words = mistakes.map(({ key, words }) => `${clip(key)}: ${words}`).join('; ');
      throw new FaceplateError('INVALID_REQUEST', `The settings have mistakes: ${words}.`, {
        field: clip(first.key),
      });
    }
    return wanted;
  }

  /** @throws FaceplateError FORBIDDEN when callers on a broker would get a scope that the changer lacks */
  #mustNotGiveMore(wanted: Layer, held: readonly Scope[]): void {
    for (const key of wanted.keys()) {
      const scope = scopeGivenAway(key, { given: this.#valueOf('mqtt.scopes'), held });
      if (scope !== undefined)
        throw new FaceplateError(
          'FORBIDDEN',
          `Callers on the broker may get only scopes of your token: "${clip(scope)}" is none (${key}).`,
          { field: key },
        );
    }
  }

  #answer(asked: readonly SettingKey[], reader: Changer): SettingsAnswer {
    const settings = asked.map((key) => {
      const locked = isLocked(key, reader) && { locked: true as const };
      return [key, { ...this.#describe(key, reader), ...locked }] as const;
    });
    const restartNeeded = keys.filter((key) => differ(this.#valueOf(key), this.#now[key]));
    return { settings: Object.fromEntries(settings), restartNeeded };
  }

  #describe(key: SettingKey, { isOwner }: Changer): SettingsAnswer['settings'][string] {
    const declaration = settingDeclarations[key];
    const { description, kind } = declaration;
    const source = this.#sourceOf(key);
    const value = this.#valueOf(key);
    if ('secret' in declaration || (!isOwner && isOwnersToRead(key)))
      return { kind, set: !isEmpty(value), source, description };
    const unit = 'unit' in declaration ? { unit: declaration.unit } : {};
    const choices = choicesOf(declaration.schema);
    return {
      kind,
      value: shownValue(key, value, isOwner),
      default: declaration.default,
      source,
      description,
      ...unit,
      ...(choices && { choices }),
    };
  }

  #sourceOf(key: SettingKey, file = this.#file): SettingSource {
    const source = this.#running.sources[key];
    if (isFromOutside(source)) return source;
    if (this.#instead.has(key))
      return differ(this.#instead.get(key), settingDeclarations[key].default) ? 'file' : 'default';
    return file.has(key) ? 'file' : 'default';
  }

  #isHeld(key: SettingKey): boolean {
    return isFromOutside(this.#sourceOf(key));
  }

  /** The values from the next start on; live ones take effect at once. */
  #valueOf(key: SettingKey, file = this.#file): unknown {
    const source = this.#sourceOf(key, file);
    if (this.#instead.has(key) && (source === 'file' || source === 'default')) return this.#instead.get(key);
    if (source === 'file') return file.get(key)?.value;
    return source === 'default' ? settingDeclarations[key].default : this.#running.settings[key];
  }

  /** @throws FaceplateError CONFLICT, as `secretsLost` */
  #lost(wanted: Layer, file: Layer, { isOwner }: Changer): SettingKey[] {
    const before = (key: SettingKey) => this.#valueOf(key, file);
    return secretsLost({ before, wanted, isHeld: (key) => this.#isHeld(key), isOwner });
  }

  /** The values of a tree, with what their hidden parts stand for, and what is wrong with them. */
  #read(tree: Readonly<Record<string, unknown>>) {
    const mistakes: { key: string; words: string }[] = [];
    const wanted = readTree(
      tree,
      (key) => key,
      (key, words) => mistakes.push({ key, words }),
    );
    for (const [key, given] of wanted) {
      if (given.value === null) continue;
      given.value = unhiddenValue(key, given.value, this.#valueOf(key));
      const words = mistakeWords(key, given.value, true);
      if (words !== undefined) mistakes.push({ key, words });
    }
    return { wanted, mistakes };
  }
}

/** Whether a setting is not the changer's to change. */
function isLocked(key: SettingKey, { isOwner, maySetFirstPin }: Changer): boolean {
  if (isOwner || !isOwnersAlone(key)) return false;
  return key !== 'kiosk.pin' || maySetFirstPin?.() !== true;
}

/** The values of a schema that allows only a few. */
function choicesOf(schema: z.core.$ZodType): unknown[] | undefined {
  if (schema instanceof z.ZodEnum) return [...schema.options];
  if (schema instanceof z.ZodLiteral) return [...schema.values];
  if (schema instanceof z.ZodBoolean) return [true, false];
  if (!(schema instanceof z.ZodUnion)) return undefined;
  const parts = schema.options.map(choicesOf);
  return parts.every((part) => part !== undefined) ? parts.flat() : undefined;
}

function clip(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
