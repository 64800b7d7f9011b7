import { maskedLogins, withHiddenQuery } from '../platform/redaction.ts';
import { cameraNameKey, cameraPlace } from '../video/named/settingsContract.ts';
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
  if (part === 'logins') return withoutPasswords(value, false);
  return mapTexts(value, ({ text, field }) => hiddenText(part, text, field));
}

/** A value as its reader sees it. */
export function shownValue(key: SettingKey, value: unknown, isOwner: boolean): unknown {
  if (!isOwner) return hiddenValue(key, value);
  return partOf(key) === 'logins' ? withoutPasswords(value, true) : value;
}

/** A value as a backup holds it in the open. An entry without its login keeps that of the panel, where it has one. */
export function openValue(key: SettingKey, value: unknown): unknown {
  const open = hiddenValue(key, value);
  if (partOf(key) !== 'logins' || !Array.isArray(open)) return open;
  return open.map(({ login: _login, ...entry }) => entry);
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
 * A value from a caller to whom parts of it may have been shown hidden: each hidden part becomes its original again. The
 * original is the text of the current value that looks the same without its hidden part; of several, the one of the same
 * name, else they match by their order, as long as their number has not changed. A hidden part without an original stays
 * as it is, and fits no setting.
 */
export function unhiddenValue(key: SettingKey, sent: unknown, now: unknown): unknown {
  const part = partOf(key);
  if (part === undefined || part === 'all') return sent;
  if (part === 'logins') return withKnownLogins(sent, now);
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

/** Fields of an entry with a login that may be shown as they are. */
const PLAIN_FIELDS = ['name', 'talk', 'talkBytes', 'events'];

/** A list whose entries have logins, each as `{user, set: true}`; whatever else may be a password is hidden too. */
function withoutPasswords(value: unknown, isOwner: boolean): unknown {
  if (!Array.isArray(value)) return HIDDEN;
  const shown = (field: string, of: unknown): unknown => {
    if (PLAIN_FIELDS.includes(field)) return of;
    if (field === 'url')
      return typeof of === 'string' ? maskedLogins(isOwner ? of : withHiddenQuery(of)) : HIDDEN;
    if (field !== 'login') return HIDDEN;
    if (!isRecord(of)) return of === null ? null : HIDDEN;
    return { user: typeof of.user === 'string' ? of.user : HIDDEN, set: true };
  };
  return value.map((entry: unknown) =>
    isRecord(entry)
      ? Object.fromEntries(Object.entries(entry).map(([field, of]) => [field, shown(field, of)]))
      : HIDDEN,
  );
}

/**
 * Entries whose address came with a hidden query get that of the entry of the same name. Entries that came without their login, or with it as it is read, get the one that the entry of the same name, host and
 * port has now; null removes it. It never goes from an address with TLS to one without.
 */
function withKnownLogins(sent: unknown, now: unknown): unknown {
  if (!Array.isArray(sent)) return sent;
  const known = Array.isArray(now) ? now.filter(isRecord) : [];
  return sent.map((entry: unknown) => {
    if (!isRecord(entry)) return entry;
    const named = known.find(({ name }) => isSameName(name, entry.name));
    const isWhole = typeof named?.url !== 'string' || withHiddenQuery(named.url) !== entry.url;
    const { login, ...rest }: Record<string, unknown> = { ...entry, ...(!isWhole && { url: named.url }) };
    if (login === null) return rest;
    const isShown = isRecord(login) && login.set === true && login.password === undefined;
    if (login !== undefined && !isShown) return { ...rest, login };
    const kept = named !== undefined && isSamePlace(named.url, rest.url) ? named.login : undefined;
    const isKept = isRecord(kept) && (!isShown || kept.user === login.user);
    return isKept ? { ...rest, login: kept } : { ...rest, ...(login !== undefined && { login }) };
  });
}

const isSameName = (one: unknown, other: unknown): boolean =>
  typeof one === 'string' && typeof other === 'string' && cameraNameKey(one) === cameraNameKey(other);

/** Whether what is sent to one address may be sent to the other. */
function isSamePlace(from: unknown, to: unknown): boolean {
  if (typeof from !== 'string' || typeof to !== 'string') return false;
  if (isEncrypted(from) && !isEncrypted(to)) return false;
  const place = cameraPlace(from);
  return place !== undefined && place === cameraPlace(to);
}

const isEncrypted = (url: string): boolean => /^(?:rtsps|https):/i.test(url);

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

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

function hiddenText(
  part: Exclude<HiddenPart, 'all' | 'logins'>,
  text: string,
  field: string | undefined,
): string {
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
