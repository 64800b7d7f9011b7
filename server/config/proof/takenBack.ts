import { createHash, randomInt } from 'node:crypto';
import { outsideCommands } from '../../contract/commands.ts';
import {
  differ,
  isOwnersAlone,
  mistakeWords,
  OUTSIDE_ONLY,
  type SettingKey,
  type Settings,
  settingDeclarations,
} from '../settings.ts';
import type { Layer, SettingsFile, SettingsStep } from '../settingsFile.ts';
import { readGood, readStarts, readView, type Starts, type View } from './starts.ts';

/** A setting that the panel has taken back, because it could not start or show a picture with it. */
export interface Undone {
  /** Its key; `settings.json` for the whole file, `display.zoom` and `display.rotation` for the view. */
  readonly setting: string;
  /** In words, never with a value. */
  readonly reason: string;
  /** ISO 8601 in UTC. */
  readonly at: string;
}

/** So many starts in a row may end before the panel is ready; then the last set that worked comes back. */
export const FAILED_STARTS = 3;

const keys = (Object.keys(settingDeclarations) as SettingKey[]).filter((key) => !OUTSIDE_ONLY.includes(key));

/** Of those that only the owner changes, the ones that the panel may not start with, or show nothing. */
const MAY_DARKEN: readonly SettingKey[] = [
  'board',
  'bridge.aliases',
  'host',
  'kiosk.browserArguments',
  'kiosk.inject',
  'kiosk.user',
];

/** Not the owner's alone, but who may call, where secrets are sent, and what a visitor leaves; no start fails by them. */
const STAYS = /^(?:http|https|mqtt|sip|update)\.|^(?:idle\.clearAtHome|wizard)$/;

/**
 * Whether a setting comes back with the last set that worked. Rules of access and secrets stay as they were wished: what
 * worked before may have been wider, and pulling the plug three times must not bring it back.
 */
export function comesBack(key: SettingKey): boolean {
  if (OUTSIDE_ONLY.includes(key) || 'secret' in settingDeclarations[key] || STAYS.test(key)) return false;
  return !isOwnersAlone(key) || MAY_DARKEN.includes(key);
}

/** What replaces a value that cannot be understood, where the default or the last value could open more than it did. */
const CLOSED: { readonly [K in SettingKey]?: (last: unknown) => Settings[K] } = {
  'approval.commands': () => [...outsideCommands],
  'bridge.allowInstall': () => false,
  'http.host': () => '127.0.0.1',
  'http.plain': () => 'loopback',
  'idle.clearAtHome': () => true,
  // Without one, the first visitor would choose it.
  'kiosk.pin': (last) => (typeof last === 'string' ? last : String(randomInt(10_000_000, 100_000_000))),
  'mqtt.fleet': () => false,
  'mqtt.scopes': () => [],
  'sip.allowLan': () => false,
  'sip.autoAnswer': () => false,
  'sip.registrarServer': () => false,
  'terminal.enabled': () => false,
  wizard: () => false,
};

interface Facts {
  readonly file: SettingsFile;
  /** The last set that worked. */
  readonly good: Layer;
  readonly starts: Starts;
  /** Whether a flag or the environment holds it. */
  isHeld(key: SettingKey): boolean;
  readonly at: string;
}

interface Taken {
  /** The values that are followed instead of those of the file. */
  readonly instead: Map<SettingKey, unknown>;
  readonly undone: readonly Undone[];
  /** Of `undone`, what the next starts take back too, as it is stored. */
  readonly kept: Starts['undone'];
}

/** What of settings.json is not followed at this start, and why. */
export function takeBack({ file, good, starts, isHeld, at }: Facts): Taken {
  const instead = new Map<SettingKey, unknown>();
  const undone: Undone[] = [];
  for (const [setting, { value }] of file.unfit) {
    if (isHeld(setting)) continue;
    instead.set(setting, replacement(setting, value, good));
    undone.push({
      setting,
      reason: `does not fit: ${mistakeWords(setting, value) ?? 'it is of another version'}`,
      at,
    });
  }
  const kept = { ...starts.undone };
  const why = whyBack(starts);
  for (const key of keys) {
    if (!comesBack(key) || isHeld(key) || instead.has(key)) {
      delete kept[key];
      continue;
    }
    const wished = valueIn(file.layer, key);
    const back = backTo(key, wished, valueIn(good, key));
    // Somebody has changed it since.
    if (kept[key]?.of !== fingerprint(wished)) delete kept[key];
    if (why !== undefined && differ(wished, back)) kept[key] ??= { reason: why, at, of: fingerprint(wished) };
    if (kept[key] !== undefined) instead.set(key, back);
  }
  for (const [setting, { reason, at }] of Object.entries(kept)) undone.push({ setting, reason, at });
  return { instead, undone, kept };
}

/** A start, as the starts before and the files have it. */
export interface BegunStart {
  readonly dataDir: string;
  /** The last set that worked. */
  readonly good: Layer;
  /** Whether a set is known to have worked. */
  readonly isGoodKnown: boolean;
  readonly instead: ReadonlyMap<SettingKey, unknown>;
  readonly undone: readonly Undone[];
  /** As it was found. */
  readonly found: Starts;
  /** With what is taken back now. */
  readonly now: Starts;
  /** The view that this start takes. */
  readonly view: View;
}

interface JudgedFacts {
  readonly dataDir: string;
  readonly file: SettingsFile;
  isHeld(key: SettingKey): boolean;
  readonly steps: readonly SettingsStep[];
}

/** Decides which settings this start follows. Changes nothing. */
export function judgeStart({ dataDir, file, isHeld, steps }: JudgedFacts): BegunStart {
  const found = readStarts(dataDir);
  const { layer: good, isKnown: isGoodKnown } = readGood(dataDir, steps);
  const at = new Date().toISOString();
  const { instead, undone, kept } = takeBack({ file, good, starts: found, isHeld, at });
  const reason = whyBack(found);
  let view = readView(dataDir);
  const told = [...undone];
  if (reason !== undefined) {
    for (const part of ['zoom', 'rotation'] as const) {
      if (view[part] === found.view[part]) continue;
      kept[`display.${part}`] = { reason, at, of: '' };
      told.push({ setting: `display.${part}`, reason, at });
    }
    view = found.view;
  }
  const now = { ...found, failed: reason === undefined ? found.failed : 0, isDark: false, undone: kept };
  return { dataDir, good, isGoodKnown, instead, undone: told, found, now, view };
}

/** Why the last set that worked comes back at this start; undefined: it does not. */
function whyBack({ failed, isDark }: Pick<Starts, 'failed' | 'isDark'>): string | undefined {
  if (isDark) return 'no picture came within 60 s';
  return failed >= FAILED_STARTS ? `${FAILED_STARTS} starts in a row did not succeed` : undefined;
}

/** Whether the panel has not shown yet that it works with these values. */
export function isUnproven(settings: Settings, good: Layer, isHeld: Facts['isHeld']): boolean {
  return keys.some(
    (key) =>
      comesBack(key) && !isHeld(key) && differ(settings[key], backTo(key, settings[key], valueIn(good, key))),
  );
}

/** The settings in effect, as the last set that worked. @param isPast whether the one before stays as it was */
export function workingSet(settings: Settings, good: Layer, isPast: (key: SettingKey) => boolean): Layer {
  const layer: Layer = new Map();
  for (const key of keys) {
    const before = good.get(key);
    if (isPast(key)) {
      if (before !== undefined) layer.set(key, before);
    } else if (differ(settings[key], settingDeclarations[key].default))
      layer.set(key, { value: settings[key], place: key });
  }
  return layer;
}

/** Injected scripts and styles that somebody has removed do not come back. */
function backTo(key: SettingKey, wished: unknown, good: unknown): unknown {
  if (key !== 'kiosk.inject' || !Array.isArray(wished) || !Array.isArray(good)) return good;
  return wished.filter((entry) => good.some((one) => !differ(one, entry)));
}

/** Of a list what fits; else what opens least; else the last value that worked, or the default. */
function replacement(key: SettingKey, given: unknown, good: Layer): unknown {
  const { schema, default: fallback } = settingDeclarations[key];
  if (Array.isArray(given)) {
    const fitting = schema.safeParse(given.filter((entry) => schema.safeParse([entry]).success));
    if (fitting.success) return fitting.data;
  }
  const last = good.get(key)?.value;
  const closed = CLOSED[key];
  if (closed !== undefined) return closed(last);
  return last === undefined || (isOwnersAlone(key) && Array.isArray(fallback)) ? fallback : last;
}

function valueIn(layer: Layer, key: SettingKey): unknown {
  const { schema, default: fallback } = settingDeclarations[key];
  const given = layer.get(key);
  // As a schema writes it: the order of its fields is no difference.
  return given === undefined ? fallback : schema.parse(given.value);
}

function fingerprint(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(value ?? null))
    .digest('hex');
}

/** What the panel has taken back, until somebody changes it. */
export class UndoneSettings {
  readonly #entries: Map<string, Undone>;
  readonly #onChange = new Set<() => void>();
  readonly #now: () => Date;

  constructor(entries: readonly Undone[], now = () => new Date()) {
    this.#entries = new Map(entries.map((entry) => [entry.setting, entry]));
    this.#now = now;
  }

  /** By setting. */
  readonly list = (): Undone[] =>
    [...this.#entries.values()].sort((one, other) => (one.setting < other.setting ? -1 : 1));

  has(setting: string): boolean {
    return this.#entries.has(setting);
  }

  /** Says that a setting is not followed now. */
  tell(setting: string, reason: string): void {
    if (this.#entries.get(setting)?.reason === reason) return;
    this.#entries.set(setting, { setting, reason, at: this.#now().toISOString() });
    this.#tell();
  }

  /** Somebody changed these settings, or they are followed again. */
  forget(settings: readonly string[]): void {
    const gone = settings.filter((setting) => this.#entries.delete(setting));
    if (gone.length > 0) this.#tell();
  }

  /** Calls `act` after each change of the list. */
  onChange(act: () => void): void {
    this.#onChange.add(act);
  }

  #tell(): void {
    for (const act of this.#onChange) act();
  }
}
