import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SettingKind } from '../contract/settings.ts';
import {
  environmentName,
  isEmpty,
  mistakeWords,
  type SettingKey,
  type SettingSource,
  type Settings,
  settingDeclarations,
} from './settings.ts';

/** All mistakes of all sources at once, each with the place where it stands. */
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

interface Given {
  value: unknown;
  /** Where it stands, for the message. */
  place: string;
}
export type Layer = Map<SettingKey, Given>;

/** The settings, and where each comes from. */
export interface LoadedSettings {
  readonly settings: Settings;
  readonly sources: Readonly<Record<SettingKey, SettingSource>>;
  /** What settings.json says. */
  readonly file: Layer;
}

const keys = Object.keys(settingDeclarations) as SettingKey[];

/**
 * Reads flags, environment and `<dataDir>/settings.json`; a flag beats the environment, which beats the file.
 * @param args command line without node and script, such as `['--http.port', '8080']`
 * @throws SettingsError that lists every mistake
 */
export function loadSettings(args: readonly string[], environment: NodeJS.ProcessEnv): LoadedSettings {
  const mistakes: string[] = [];
  const flags = readFlags(args, mistakes);
  const variables = readEnvironment(environment, mistakes);
  const dataDir =
    (flags.get('dataDir') ?? variables.get('dataDir'))?.value ?? settingDeclarations.dataDir.default;
  const file = readFileLayer(join(String(dataDir), 'settings.json'), mistakes);

  const settings: Partial<Record<SettingKey, unknown>> = {};
  const sources: Partial<Record<SettingKey, SettingSource>> = {};
  const layers = { file, environment: variables, flag: flags };
  for (const key of keys) {
    const declaration = settingDeclarations[key];
    settings[key] = declaration.default;
    sources[key] = 'default';
    // Lower layers are checked too: a mistake that a flag hides today would strike on the day the flag goes.
    for (const [source, layer] of Object.entries(layers)) {
      const given = layer.get(key);
      if (!given) continue;
      const parsed = declaration.schema.safeParse(given.value);
      if (!parsed.success) mistakes.push(`${given.place}: ${mistakeWords(parsed.error)}`);
      else {
        settings[key] = parsed.data;
        sources[key] = source as keyof typeof layers;
      }
    }
  }
  if (mistakes.length > 0) throw new SettingsError(mistakes);
  return { settings: settings as Settings, sources: sources as LoadedSettings['sources'], file };
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
      // The value of an unknown flag is not a mistake of its own.
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
    if (!name.startsWith('FACEPLATE_') || text === undefined || text === '') continue;
    const key = byName.get(name);
    if (key)
      layer.set(key, { value: fromText(settingDeclarations[key].kind, text), place: `environment ${name}` });
    else mistakes.push(`environment ${name}: no such setting`);
  }
  return layer;
}

/** What a settings file says; its mistakes are added to the list. None where there is no file. */
export function readFileLayer(path: string, mistakes: string[]): Layer {
  let tree: unknown;
  try {
    tree = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== 'ENOENT')
      mistakes.push(
        `${path}: ${error instanceof SyntaxError ? 'is not valid JSON' : `cannot be read (${code})`}`,
      );
    return new Map();
  }
  return readTree(
    tree,
    (key) => `${path}: ${key}`,
    (key, words) => mistakes.push(key === '' ? `${path}: ${words}` : `${path}: ${key}: ${words}`),
  );
}

/**
 * The settings in a tree, which may be nested or have whole keys.
 * @param place where a key stands, for messages
 * @param mistake is told of each key that may not be there
 */
export function readTree(
  tree: unknown,
  place: (key: string) => string,
  mistake: (key: string, words: string) => void,
): Layer {
  const layer: Layer = new Map();
  const walk = (node: unknown, prefix: string): void => {
    const key = keys.find((known) => known === prefix);
    if (key === 'dataDir') mistake(key, 'cannot stand in a file of the data folder itself');
    else if (key) layer.set(key, { value: node, place: place(key) });
    else if (isObject(node) && (prefix === '' || keys.some((known) => known.startsWith(`${prefix}.`)))) {
      for (const [name, child] of Object.entries(node))
        walk(child, prefix === '' ? name : `${prefix}.${name}`);
    } else mistake(prefix, prefix === '' ? 'must hold a JSON object' : 'no such setting');
  };
  walk(tree, '');
  return layer;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value a text stands for; text that does not fit its kind is kept, so that the schema's message names it. */
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
