import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeWhole } from '../platform/files/wholeFile.ts';
import type { Logger } from '../platform/log.ts';
import { compareSemver, isSemver } from '../platform/texts.ts';
import type { SettingKind } from './contract.ts';
import { type BegunStart, judgeStart, type Undone } from './proof/takenBack.ts';
import {
  environmentName,
  isEmpty,
  mistakeWords,
  type SettingKey,
  type SettingSource,
  type Settings,
  settingDeclarations,
} from './settings.ts';
import { type Layer, readSettingsFile, type SettingsFile, settingsSteps } from './settingsFile.ts';

/** All mistakes of all sources at once, each with its place. */
export class SettingsError extends Error {
  readonly mistakes: readonly string[];

  constructor(mistakes: readonly string[]) {
    super(
      `The settings have ${mistakes.length === 1 ? 'a mistake' : `${mistakes.length} mistakes`}:\n- ${mistakes.join('\n- ')}`,
    );
    this.name = 'SettingsError';
    this.mistakes = mistakes;
  }
}

/** The settings, and where each comes from. */
export interface LoadedSettings {
  readonly settings: Settings;
  readonly sources: Readonly<Record<SettingKey, SettingSource>>;
  readonly file: SettingsFile;
  readonly data: DataVersion;
  /** Values that are followed instead of those of the file. */
  readonly instead: ReadonlyMap<SettingKey, unknown>;
  /** What was taken back for this start. */
  readonly undone: readonly Undone[];
  readonly start: BegunStart;
}

const keys = Object.keys(settingDeclarations) as SettingKey[];

/**
 * Reads flags, environment and `<dataDir>/settings.json`; a flag beats the environment, which beats the file. No value
 * of the file ends the start: what does not fit, or did not work, is taken back (`undone`), and unknown parts are
 * ignored (`ignoredKeys`). When the start fails for another mistake, those of the file are listed too.
 * @param args command line without node and script, such as `['--http.port', '8080']`
 * @param version the running version
 * @throws SettingsError that lists every mistake
 */
export function loadSettings(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  version: string,
  steps = settingsSteps,
): LoadedSettings {
  const mistakes: string[] = [];
  const flags = readFlags(args, mistakes);
  const variables = readEnvironment(environment, mistakes);
  const dataDir =
    (flags.get('dataDir') ?? variables.get('dataDir'))?.value ?? settingDeclarations.dataDir.default;
  const data = readDataVersion(String(dataDir), version);
  const path = join(String(dataDir), 'settings.json');
  const file = readSettingsFile(path, { isOwn: true, mistakes, steps });
  const isHeld = (key: SettingKey) => variables.has(key) || flags.has(key);
  const start = judgeStart({ dataDir: String(dataDir), file, isHeld, steps });

  const settings: Partial<Record<SettingKey, unknown>> = {};
  const sources: Partial<Record<SettingKey, SettingSource>> = {};
  const layers = { file: file.layer, environment: variables, flag: flags };
  for (const key of keys) {
    const declaration = settingDeclarations[key];
    settings[key] = declaration.default;
    sources[key] = 'default';
    for (const [source, layer] of Object.entries(layers)) {
      const given = layer.get(key);
      if (!given) continue;
      const parsed = declaration.schema.safeParse(given.value);
      if (!parsed.success) mistakes.push(`${given.place}: ${mistakeWords(key, given.value, true)}`);
      else {
        settings[key] = parsed.data;
        sources[key] = source as keyof typeof layers;
      }
    }
  }
  if (mistakes.length > 0) throw new SettingsError([...mistakes, ...mistakesIn(path, file)]);
  const { instead, undone } = start;
  for (const [key, value] of instead) {
    settings[key] = value;
    sources[key] =
      JSON.stringify(value) === JSON.stringify(settingDeclarations[key].default) ? 'default' : 'file';
  }
  const loaded = { settings: settings as Settings, sources: sources as LoadedSettings['sources'] };
  return { ...loaded, file, data, instead, undone, start };
}

/** What is wrong in the file, for a start that ends for another mistake. */
function mistakesIn(path: string, { unfit, unknown }: SettingsFile): string[] {
  const words = [...unfit].map(
    ([key, { value, place }]) => `${place}: ${mistakeWords(key, value, true) ?? 'does not fit'}`,
  );
  return [
    ...words,
    ...unknown.map(({ path: at }) => `${path}: ${at.join('.').slice(0, 80)}: no such setting`),
  ];
}

/** The data folder that flags and environment name, before anything in it is read. */
export function dataFolder(args: readonly string[], environment: NodeJS.ProcessEnv): string {
  const given = readFlags(args, []).get('dataDir') ?? readEnvironment(environment, []).get('dataDir');
  return String(given?.value ?? settingDeclarations.dataDir.default);
}

/** One line per setting for `--help`. */
export function describeSettings(): string {
  return keys
    .map((key) => {
      const { description, default: fallback, unit } = settingDeclarations[key];
      const shown = isEmpty(fallback) ? 'none' : `${fallback}${unit ? ` ${unit}` : ''}`;
      return `  --${key}  ${description} (default: ${shown}; ${environmentName(key)})`;
    })
    .join('\n');
}

function readFlags(args: readonly string[], mistakes: string[]): Layer {
  const layer: Layer = new Map();
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? '';
    const match = /^--([^=]+)(?:=(.*))?$/s.exec(arg);
    const key = keys.find((known) => known === match?.[1]);
    if (!match || !key) {
      mistakes.push(`flag ${arg.split('=')[0]}: no such setting; --help lists them`);
      // The value of an unknown flag is not a separate mistake.
      if (match && match[2] === undefined && i + 1 < args.length && !args[i + 1]?.startsWith('--')) i++;
      continue;
    }
    const { kind, ...declaration } = settingDeclarations[key];
    const next = args[i + 1];
    let text = match[2];
    if (text === undefined && next !== undefined && !next.startsWith('--')) {
      text = next;
      i++;
    }
    if ('secret' in declaration)
      mistakes.push(`flag --${key}: secrets are not taken as flags; use ${environmentName(key)}`);
    else if (text !== undefined) layer.set(key, { value: fromText(kind, text), place: `flag --${key}` });
    else if (kind === 'switch') layer.set(key, { value: true, place: `flag --${key}` });
    else mistakes.push(`flag --${key}: needs a value`);
  }
  return layer;
}

function readEnvironment(environment: NodeJS.ProcessEnv, mistakes: string[]): Layer {
  const layer: Layer = new Map();
  const byName = new Map(keys.map((key) => [environmentName(key), key]));
  for (const [name, text] of Object.entries(environment)) {
    if (!name.startsWith('FACEPLATE_') || text === undefined) continue;
    const key = byName.get(name);
    if (text === '' && (key === undefined || !hasEmptyValue(key))) continue;
    if (key)
      layer.set(key, { value: fromText(settingDeclarations[key].kind, text), place: `environment ${name}` });
    else mistakes.push(`environment ${name}: no such setting`);
  }
  return layer;
}

/** Whether an empty text is a value of its own, such as that of a feature that is off. Else it is as good as none. */
function hasEmptyValue(key: SettingKey): boolean {
  const { kind, default: usual, schema } = settingDeclarations[key];
  return kind === 'text' && usual !== '' && schema.safeParse('').success;
}

/** The value that a text means; text of the wrong kind stays text, so that the schema's message names it. */
function fromText(kind: SettingKind, text: string): unknown {
  if (kind === 'switch' && (text === 'true' || text === 'false')) return text === 'true';
  if (kind === 'integer' && /^-?\d+$/.test(text)) return Number(text);
  if (kind !== 'list' && kind !== 'json') return text;
  if (kind === 'list' && !text.trim().startsWith('[')) return text.split(',').map((item) => item.trim());
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** A journal to be replayed. */
export interface ReplayFlags {
  readonly path: string;
  /** How many seconds of the journal pass in one second. */
  readonly speed: number;
}

/** For `--help`. */
export const REPLAY_HELP =
  '  --replay <file>  Plays the journal of a panel on this desk.\n  --speed <number>  How much faster: 0.1 to 1000 (default: 1)';

const SPEEDS = { least: 0.1, most: 1_000 } as const;

/**
 * Takes `--replay` and `--speed` out of a command line; all else are settings.
 * @throws SettingsError when one has no value, or a wrong one
 */
export function takeReplayFlags(args: readonly string[]): {
  readonly args: readonly string[];
  readonly replay: ReplayFlags | undefined;
} {
  const mistakes: string[] = [];
  const rest: string[] = [];
  const given: { replay?: string; speed?: string } = {};
  for (let i = 0; i < args.length; i++) {
    const match = /^--(replay|speed)(?:=(.*))?$/s.exec(args[i]!);
    if (match === null) {
      rest.push(args[i]!);
      continue;
    }
    const name = match[1] as keyof typeof given;
    const value = match[2] ?? (args[i + 1]?.startsWith('--') ? undefined : args[++i]);
    if (value === undefined || value === '') mistakes.push(`flag --${name}: needs a value`);
    else given[name] = value;
  }
  const speed = Number(given.speed ?? 1);
  if (!(speed >= SPEEDS.least && speed <= SPEEDS.most))
    mistakes.push(`flag --speed: must be a number from ${SPEEDS.least} to ${SPEEDS.most}`);
  if (given.speed !== undefined && given.replay === undefined && mistakes.length === 0)
    mistakes.push('flag --speed: belongs to --replay');
  if (mistakes.length > 0) throw new SettingsError(mistakes);
  return { args: rest, replay: given.replay === undefined ? undefined : { path: given.replay, speed } };
}

/** The latest version that ever wrote a data folder. */
interface DataVersion {
  /** undefined when the folder is new, or older than `<dataDir>/version`. */
  readonly version: string | undefined;
  /** Later than the running version. */
  readonly isLater: boolean;
}

/** Reads `<dataDir>/version`. Never fails: an invalid version counts as none. @param ours the running version */
export function readDataVersion(dataDir: string, ours: string): DataVersion {
  let text = '';
  try {
    text = readFileSync(join(dataDir, 'version'), 'utf8').trim();
  } catch {
    // A new folder, or one that cannot be read; in that case the reader of the next file in it reports why.
  }
  if (!isSemver(text)) return { version: undefined, isLater: false };
  return { version: text, isLater: compareSemver(text, ours) > 0 };
}

/** Writes our version to `<dataDir>/version` unless a later one is there. A full disk does not prevent the start. */
export async function noteDataVersion(dataDir: string, ours: string, log: Logger): Promise<void> {
  const { version } = readDataVersion(dataDir, ours);
  if (version !== undefined && compareSemver(version, ours) >= 0) return;
  await writeWhole(join(dataDir, 'version'), `${ours}\n`).catch((error: unknown) =>
    log.error({ err: error }, 'config: could not write the version of the data folder'),
  );
}

/**
 * The panel's id in `<dataDir>/id`: 12 hex digits, made at the first start. A file that holds none gets a new one.
 * Where it cannot be written, the panel has another id after its next start.
 */
export async function loadPanelId(dataDir: string, log: Logger): Promise<string> {
  const path = join(dataDir, 'id');
  const stored = (await readFile(path, 'utf8').catch(() => '')).trim();
  if (/^[0-9a-f]{12}$/.test(stored)) return stored;
  const made = randomBytes(6).toString('hex');
  await writeWhole(path, `${made}\n`).catch((error: unknown) =>
    log.error({ file: path, err: error }, 'config: could not write the panel id'),
  );
  return made;
}
