import { withHiddenQuery } from '../platform/redaction.ts';
import type { HiddenPart } from './groups/setting.ts';
import { isEmpty, type SettingKey, settingDeclarations } from './settings.ts';
import { readTree } from './settingsFile.ts';

const HIDDEN = '…';

/** Whether a setting is as a secret to all but the owner. */
export function isOwnersToRead(key: SettingKey): boolean {
  return partOf(key) === 'all';
}

/**
 * A value as others than the owner see it: of addresses without query and fragment (`https://hub.lan/?…`), "…" for what
 * is hidden as a whole. Any value may be given, also one that does not fit the setting.
 */
export function hiddenValue(key: SettingKey, value: unknown): unknown {
  const part = partOf(key);
  if (part === undefined || value === null || value === undefined) return value;
  if (part === 'all') return isEmpty(value) ? value : HIDDEN;
  return mapTexts(value, ({ text, field }) => hiddenText(part, text, field));
}

/** Whether a value has parts that others than the owner do not see. */
export function hidesSome(key: SettingKey, value: unknown): boolean {
  return JSON.stringify(hiddenValue(key, value)) !== JSON.stringify(value);
}

/** Whether a value that did not fit still holds a hidden part. */
export function stillHides(key: SettingKey, value: unknown): boolean {
  return partOf(key) !== undefined && JSON.stringify(value).includes(HIDDEN);
}

/**
 * A value that somebody sent who may have been shown hidden parts: each of them becomes again what it stands for. It
 * stands for a text of the value of now that looks the same without its hidden part; where several do, for the one of the
 * same name, else by their order, as long as there are as many of them as before. What stands for nothing stays as it is,
 * and fits no setting.
 */
export function unhiddenValue(key: SettingKey, sent: unknown, now: unknown): unknown {
  const part = partOf(key);
  if (part === undefined || part === 'all') return sent;
  const lookOf = ({ text, field }: Text) => hiddenText(part, text, field);
  const known = textsOf(now).filter((text) => lookOf(text) !== text.text);
  const wanted = textsOf(sent);
  const alike = (look: string) => known.filter((text) => lookOf(text) === look);
  const taken = new Map<string, number>();
  return mapTexts(sent, ({ text, field, name }) => {
    const found = alike(text);
    const order = taken.get(text) ?? 0;
    taken.set(text, order + 1);
    const named = found.filter((one) => one.name !== undefined && one.name === name);
    if (named.length === 1) return named[0]!.text;
    // A hidden text alone says nothing: only its name does.
    if (part === 'texts' && field !== undefined) return text;
    if (new Set(found.map((one) => one.text)).size === 1) return found[0]!.text;
    const asMany = wanted.filter((one) => one.text === text).length === found.length;
    return asMany ? found[order]!.text : text;
  });
}

/**
 * A tree of settings as it may be shown to others, by key: values of secret settings, and of what is no setting,
 * become "…"; addresses lose their queries.
 */
export function maskedSettings(tree: unknown): Record<string, unknown> {
  const unknown: string[] = [];
  const known = readTree(
    tree,
    (key) => key,
    (key) => unknown.push(key.slice(0, 100)),
  );
  return Object.fromEntries([
    ...[...known].map(([key, { value }]) => [
      key,
      'secret' in settingDeclarations[key] && value !== null ? HIDDEN : hiddenValue(key, value),
    ]),
    ...unknown.map((key) => [key, HIDDEN]),
  ]);
}

/** The params of `fleet.rollout` with the settings among them masked; a refused one may hold secrets too. */
export function maskedRollout(params: unknown): unknown {
  const rollout = params as { command?: unknown; params?: unknown } | null;
  if (rollout?.command !== 'settings.change') return params;
  return { ...rollout, params: maskedSettings(rollout.params) };
}

interface Text {
  readonly text: string;
  /** The field of an object that has it. */
  readonly field: string | undefined;
  /** What the object is called, by its `name` or as a field of another one. */
  readonly name: string | undefined;
}

function partOf(key: SettingKey): HiddenPart | undefined {
  const declaration = settingDeclarations[key];
  return 'hides' in declaration ? declaration.hides : undefined;
}

function hiddenText(part: Exclude<HiddenPart, 'all'>, text: string, field: string | undefined): string {
  if (part === 'texts') return text === '' ? text : HIDDEN;
  // Names of pages, and folders, are no addresses.
  return field === 'name' || text.startsWith('/') ? text : withHiddenQuery(text);
}

function textsOf(value: unknown): Text[] {
  const texts: Text[] = [];
  mapTexts(value, (text) => {
    texts.push(text);
    return text.text;
  });
  return texts;
}

/** The value with each text in it replaced; texts are met in the same order each time. */
function mapTexts(value: unknown, replace: (text: Text) => string): unknown {
  const walk = (node: unknown, field?: string, name?: string): unknown => {
    if (typeof node === 'string') return replace({ text: node, field, name });
    if (Array.isArray(node)) return node.map((item) => walk(item, field, name));
    if (typeof node !== 'object' || node === null) return node;
    const own = Object.hasOwn(node, 'name') ? (node as { name: unknown }).name : undefined;
    return Object.fromEntries(
      Object.entries(node).map(([key, child]) => [
        key,
        walk(child, key, typeof own === 'string' ? own : key),
      ]),
    );
  };
  return walk(value);
}
