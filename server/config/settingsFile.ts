import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { OUTSIDE_ONLY, type SettingKey, settingDeclarations } from './settings.ts';

/** Converts a key that a version dropped or changed. */
export interface SettingsStep {
  /** The version of the service that changed the key. */
  readonly version: string;
  /**
   * Gets every value by its key, `http.port`; for a group in which no setting is left, the group. Keys may be missing.
   */
  change(values: Map<string, unknown>): Map<string, unknown>;
}

export interface Given {
  value: unknown;
  /** Its place, for the message. */
  place: string;
}
export type Layer = Map<SettingKey, Given>;

/** What settings.json says. */
export interface SettingsFile {
  readonly layer: Layer;
  /** Values that do not fit this version. They are ignored, and stay in the file until they are set again. */
  readonly unfit: Layer;
  /** Keys that this version does not know, and their place in the tree. */
  readonly unknown: readonly { readonly path: readonly string[]; readonly value: unknown }[];
  /** Set when it had keys of an earlier version: the text, for the copy, and the versions of the steps. */
  readonly migrated: { readonly text: string; readonly since: readonly string[] } | undefined;
}

interface ReadOptions {
  /**
   * Whether it is the panel's own: what does not fit it is no mistake then, as a start must not end for it. What others
   * give is judged.
   */
  readonly isOwn: boolean;
  /** Takes the mistakes. */
  readonly mistakes: string[];
  readonly steps: readonly SettingsStep[];
}

/** What `kiosk.logins` holds at most. */
const MAX_LOGINS = 32;

/** From the earliest to the latest. */
export const settingsSteps: readonly SettingsStep[] = [
  // Only the environment or a flag opens it now; a file that still names it should not stop the panel.
  {
    version: '0.1.0',
    change: (values) => new Map([...values].filter(([key]) => key !== 'kiosk.debugPort')),
  },
  // A caller who may read an address would read its login.
  { version: '0.1.0', change: withoutAddressLogins },
];

const keys = Object.keys(settingDeclarations) as SettingKey[];

/** Reads a settings file and adds its mistakes to the list. A missing file is no mistake. */
export function readSettingsFile(path: string, { isOwn, mistakes, steps }: ReadOptions): SettingsFile {
  let text = '';
  let tree: unknown = {};
  try {
    text = readFileSync(path, 'utf8');
    tree = JSON.parse(text);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== 'ENOENT')
      mistakes.push(
        `${path}: ${error instanceof SyntaxError ? 'is not valid JSON' : `cannot be read (${code})`}`,
      );
    tree = {};
  }
  const { tree: migrated, since } = migrate(tree, steps);
  const unknown: { path: readonly string[]; value: unknown }[] = [];
  const layer = readTree(
    migrated,
    (key) => `${path}: ${key}`,
    (key, words, at) => {
      if (isOwn && key !== '') unknown.push(at);
      else mistakes.push(key === '' ? `${path}: ${words}` : `${path}: ${key}: ${words}`);
    },
  );
  const unfit: Layer = new Map();
  if (isOwn)
    for (const [key, given] of layer) {
      if (settingDeclarations[key].schema.safeParse(given.value).success) continue;
      layer.delete(key);
      unfit.set(key, given);
    }
  return { layer, unfit, unknown, migrated: since.length > 0 ? { text, since } : undefined };
}

/** Names of what is ignored in a file, for the log; never a value. */
export function ignoredKeys({ unfit, unknown }: SettingsFile): string[] {
  return [...unfit.keys(), ...unknown.map(({ path }) => path.join('.').slice(0, 80) || '(all)')];
}

/** The tree for settings.json: `{"http":{"port":8081}}`, and what this version does not understand. */
export function treeOf({ layer, unfit, unknown }: SettingsFile): unknown {
  let tree: unknown = {};
  for (const { path, value } of unknown) tree = withValue(tree, path, value);
  // Last: when a setting needs the place of an unknown value, the setting wins.
  for (const key of keys) {
    const given = layer.get(key) ?? unfit.get(key);
    if (given === undefined) continue;
    const [first = key, ...rest] = key.split('.');
    tree = withValue(tree, rest.length === 0 ? [first] : [first, rest.join('.')], given.value);
  }
  return tree;
}

/** Called for a key that is not allowed, with its place. The key is empty when the whole file is no tree. */
type Mistake = (
  key: string,
  words: string,
  at: { readonly path: readonly string[]; readonly value: unknown },
) => void;

/**
 * The settings in a tree, which may be nested or have whole keys.
 * @param place the place of a key, for messages
 */
export function readTree(tree: unknown, place: (key: string) => string, mistake: Mistake): Layer {
  const layer: Layer = new Map();
  for (const { path, value } of leaves(tree)) {
    const name = path.join('.');
    const key = keys.find((known) => known === name);
    if (key === 'dataDir') mistake(key, 'cannot stand in a file of the data folder itself', { path, value });
    else if (key && OUTSIDE_ONLY.includes(key))
      mistake(key, 'can be set by the environment or a flag alone', { path, value });
    else if (key) layer.set(key, { value, place: place(key) });
    else mistake(name, name === '' ? 'must hold a JSON object' : 'no such setting', { path, value });
  }
  return layer;
}

interface Leaf {
  readonly path: readonly string[];
  readonly value: unknown;
}

/** The values of a tree: those of settings, and values in places where no setting can be. */
function leaves(node: unknown, path: readonly string[] = []): Leaf[] {
  const name = path.join('.');
  const isGroup = name === '' || keys.some((known) => known.startsWith(`${name}.`));
  if (!isGroup || !isObject(node)) return [{ path, value: node }];
  return Object.entries(node).flatMap(([key, child]) => leaves(child, [...path, key]));
}

/**
 * Runs all steps, each on what it finds. After a downgrade an old version may have written an old key, so the version
 * of the folder never proves that a step is not needed.
 */
function migrate(
  tree: unknown,
  steps: readonly SettingsStep[],
): { readonly tree: unknown; readonly since: readonly string[] } {
  if (!isObject(tree)) return { tree, since: [] };
  const found = leaves(tree);
  const before = new Map(found.map(({ path, value }) => [path.join('.'), value]));
  const since: string[] = [];
  let after = before;
  for (const { version, change } of steps) {
    const next = change(new Map(after));
    if (!isDeepStrictEqual(next, after)) since.push(version);
    after = next;
  }
  if (since.length === 0) return { tree, since };
  // What no step touched stays in its place.
  const stays = found.filter(({ path, value }) => after.get(path.join('.')) === value);
  const stood = new Set(stays.map(({ path }) => path.join('.')));
  const made = [...after].filter(([key]) => !stood.has(key)).map(([key, value]) => ({ path: [key], value }));
  return {
    tree: [...stays, ...made].reduce<unknown>((whole, { path, value }) => withValue(whole, path, value), {}),
    since,
  };
}

/** The tree with a value at a place. */
function withValue(tree: unknown, [first, ...rest]: readonly string[], value: unknown): unknown {
  if (first === undefined) return value;
  const node = isObject(tree) ? tree : {};
  const child = Object.hasOwn(node, first) ? node[first] : undefined;
  return { ...node, [first]: withValue(child, rest, value) };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

interface Login {
  readonly username: string;
  readonly password: string;
}

/**
 * The values of a settings file of before addresses lost their logins: each login moves to `kiosk.logins`, that of
 * `update.channel` to `update.login`. A login that is there already for the same server stays.
 */
export function withoutAddressLogins(values: Map<string, unknown>): Map<string, unknown> {
  const after = new Map(values);
  const found = new Map<string, Login>();
  const take = (value: unknown): unknown => {
    const [address, login] = split(value);
    if (login === undefined) return value;
    const { origin } = new URL(address);
    if (!found.has(origin)) found.set(origin, login);
    return address;
  };
  for (const key of ['kiosk.url', 'idle.saver', 'idle.photos']) {
    const value = values.get(key);
    if (value !== undefined) after.set(key, Array.isArray(value) ? value.map(take) : take(value));
  }
  const [channel, login] = split(values.get('update.channel'));
  if (login !== undefined) {
    after.set('update.channel', channel);
    if (login.username !== '' && !values.has('update.login')) after.set('update.login', login);
  }
  const logins = values.get('kiosk.logins') ?? [];
  if (found.size > 0 && Array.isArray(logins)) {
    const known = new Set(logins.map((one: { origin?: unknown } | null) => one?.origin));
    const added = [...found].filter(([origin]) => !known.has(origin));
    const all = [...logins, ...added.map(([origin, one]) => ({ origin, ...one }))];
    if (added.length > 0) after.set('kiosk.logins', all.slice(0, Math.max(MAX_LOGINS, logins.length)));
  }
  return after;
}

/** An address without its login, and the login. */
function split(value: unknown): [string, Login | undefined] {
  if (typeof value !== 'string' || !/^https?:/.test(value) || !URL.canParse(value)) return ['', undefined];
  const url = new URL(value);
  const login = { username: plain(url.username), password: plain(url.password) };
  if (login.username === '' && login.password === '') return ['', undefined];
  url.username = '';
  url.password = '';
  return [url.href, login];
}

/** A part of a login as it was meant, at most as long as a setting takes it. */
function plain(text: string): string {
  try {
    return decodeURIComponent(text).slice(0, 200);
  } catch {
    return text.slice(0, 200);
  }
}
