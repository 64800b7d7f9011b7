import { isDeepStrictEqual } from 'node:util';

/** Converts the value of one version to the next version. Keys may be missing, and there may be others. */
export type StateStep = (value: unknown) => unknown;

/**
 * A value as it is stored on disk: `{"version":1,"value":…}`. A file without a version is of version 0, which held only
 * the value.
 */
export interface StoredValue {
  /** The version that wrote it last. */
  readonly version: number;
  /** The latest version that ever wrote it. */
  readonly latest: number;
  readonly value: unknown;
  /** Other keys. */
  readonly beside: Readonly<Record<string, unknown>>;
}

/** @throws SyntaxError when the text is not JSON */
export function readStored(text: string): StoredValue {
  const tree: unknown = JSON.parse(text);
  if (typeof tree !== 'object' || tree === null || !('version' in tree) || !isVersion(tree.version))
    return { version: 0, latest: 0, value: tree, beside: {} };
  const { version, latest, value, ...beside } = tree as Record<string, unknown> & { version: number };
  return { version, latest: isVersion(latest) ? Math.max(version, latest) : version, value, beside };
}

/** The text of a value; a version later than the writing one is named as `latest`. */
export function storedText({ version, latest, value, beside }: StoredValue): string {
  return `${JSON.stringify({ ...beside, version, ...(latest > version && { latest }), value })}\n`;
}

/**
 * Runs the steps that lead from the version of a value to ours. Version 1 holds the same value as version 0; the first
 * step makes version 2.
 * @throws what a step throws
 */
export function stepped({ version, value }: StoredValue, steps: readonly StateStep[]): unknown {
  return steps.slice(Math.max(0, version - 1)).reduce((before, step) => step(before), value);
}

function isVersion(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1;
}

/** A schema as the contract makes them: returns the checked value or throws. */
export interface Schema<T> {
  parse(value: unknown): T;
}

/** What this version understands of a value that a later one wrote. */
export interface KnownPart<T> {
  readonly value: T;
  /** Paths of keys that the schema does not know. */
  readonly unknown: readonly string[];
  /** Paths of values that do not fit the schema; `(all)` when nothing fits. */
  readonly unfit: readonly string[];
  /** Puts `next` into the value that was read: unknown and unchanged parts stay there. */
  restore(next: T): unknown;
}

type Container = Record<string | number, unknown>;

/** An issue as zod reports it. */
interface Issue {
  readonly code?: string;
  readonly path: readonly (string | number)[];
  readonly keys?: readonly string[];
  readonly maximum?: unknown;
}

/** Each round of corrections may reveal more issues; no valid value needs more than this many rounds. */
const MAX_ROUNDS = 20;

/**
 * Takes the known part: an unknown key is left out, and a value that does not fit is replaced by its default. When the
 * defaults have no such place, it is removed: an entry of a list or of a record as a whole.
 */
export function knownPart<T>(schema: Schema<T>, raw: unknown, defaults: T): KnownPart<T> {
  const clone: unknown = structuredClone(raw);
  const origins = originsOf(clone);
  const unknown: string[] = [];
  const unfit: string[] = [];
  const restoreFrom = (known: T) => (next: T) => restored({ raw, clone, known, next }, origins);
  for (let round = 0; round < MAX_ROUNDS; round++) {
    let issues: readonly Issue[];
    try {
      const value = schema.parse(clone);
      return { value, unknown, unfit, restore: restoreFrom(value) };
    } catch (error) {
      issues = (error as { issues?: readonly Issue[] }).issues ?? [];
    }
    if (!correct(clone, issues, { defaults, origins, unknown, unfit })) break;
  }
  return { value: defaults, unknown: [], unfit: ['(all)'], restore: restoreFrom(defaults) };
}

/** For each list of the clone: which element of the raw list each of its elements is. */
type Origins = Map<unknown, number[]>;

function originsOf(tree: unknown, origins: Origins = new Map()): Origins {
  if (!isContainer(tree)) return origins;
  if (Array.isArray(tree)) origins.set(tree, [...tree.keys()]);
  for (const child of Object.values(tree)) originsOf(child, origins);
  return origins;
}

interface Notes {
  readonly defaults: unknown;
  readonly origins: Origins;
  readonly unknown: string[];
  readonly unfit: string[];
}

/** Corrects the clone at the issues. @returns false when nothing can be corrected */
function correct(clone: unknown, issues: readonly Issue[], notes: Notes): boolean {
  /** Elements and entries to remove, by their container: all places are found before anything moves. */
  const leaving = new Map<Container, Set<string | number>>();
  const leave = (node: Container, key: string | number) => {
    const keys = leaving.get(node) ?? new Set();
    leaving.set(node, keys.add(key));
  };
  for (const { code, path, keys = [], maximum } of issues) {
    const node = nodeAt(clone, path);
    if (code === 'unrecognized_keys' && isContainer(node)) {
      for (const key of keys) leave(node, key);
      notes.unknown.push(...keys.map((key) => nameOf([...path, key])));
      continue;
    }
    notes.unfit.push(nameOf(path));
    if (code === 'too_big' && Array.isArray(node) && typeof maximum === 'number')
      for (let index = maximum; index < node.length; index++) leave(node as unknown as Container, index);
    else if (!giveWay(clone, path, notes.defaults, leave)) return false;
  }
  for (const [node, keys] of leaving) remove(node, keys, notes.origins);
  return issues.length > 0;
}

/**
 * Takes the default of the place, or marks the element or entry that holds it for removal. @returns whether there was
 * one
 */
function giveWay(
  clone: unknown,
  path: readonly (string | number)[],
  defaults: unknown,
  leave: (node: Container, key: string | number) => void,
): boolean {
  let node = clone;
  let fallback = defaults;
  for (const [depth, key] of path.entries()) {
    if (!isContainer(node)) return false;
    if (!isContainer(fallback)) return false;
    if (Array.isArray(fallback) || !Object.hasOwn(fallback, key)) {
      if (!Object.hasOwn(node, key)) return false;
      leave(node, key);
      return true;
    }
    if (depth === path.length - 1) {
      node[key] = structuredClone(fallback[key]);
      return true;
    }
    node = node[key];
    fallback = fallback[key];
  }
  return false;
}

function remove(node: Container, keys: ReadonlySet<string | number>, origins: Origins): void {
  if (!Array.isArray(node)) {
    for (const key of keys) delete node[key];
    return;
  }
  const origin = origins.get(node) ?? [];
  for (const index of [...keys].map(Number).sort((one, other) => other - one)) {
    node.splice(index, 1);
    origin.splice(index, 1);
  }
}

interface Places {
  /** As it was read. */
  readonly raw: unknown;
  /** `raw` without what is not understood. */
  readonly clone: unknown;
  /** What was understood. */
  readonly known: unknown;
  /** What it should be now. */
  readonly next: unknown;
}

function restored({ raw, clone, known, next }: Places, origins: Origins): unknown {
  if (isDeepStrictEqual(known, next)) return raw;
  if (Array.isArray(raw) || Array.isArray(next)) {
    const origin = origins.get(clone);
    const isSameList = Array.isArray(raw) && Array.isArray(known) && origin?.length === known.length;
    return isSameList && Array.isArray(next) ? restoredList(raw, origin, known, next) : next;
  }
  if (!isContainer(raw) || !isContainer(known) || !isContainer(next)) return next;
  // What is not known here, and what did not fit and was not set again.
  const kept = Object.entries(raw).filter(([key]) => !Object.hasOwn(known, key) && !Object.hasOwn(next, key));
  const written = Object.entries(next).flatMap(([key, value]) => {
    if (!Object.hasOwn(known, key)) return [[key, value]];
    // A default that replaces a missing value does not count as a chosen value.
    if (!Object.hasOwn(raw, key)) return isDeepStrictEqual(known[key], value) ? [] : [[key, value]];
    const child = isContainer(clone) ? clone[key] : undefined;
    return [[key, restored({ raw: raw[key], clone: child, known: known[key], next: value }, origins)]];
  });
  return Object.fromEntries([...written, ...kept]);
}

/** Elements are recognised by their known part. Those not understood stay in front of the same element. */
function restoredList(
  raw: readonly unknown[],
  origin: readonly number[],
  known: readonly unknown[],
  next: readonly unknown[],
): unknown[] {
  const unused = new Set(known.keys());
  const took = next.map((value) => {
    const index = [...unused].find((candidate) => isDeepStrictEqual(known[candidate], value));
    if (index !== undefined) unused.delete(index);
    return index === undefined ? undefined : origin[index];
  });
  const stays = new Set(took);
  const understood = new Set(origin);
  const before = new Map<number, unknown[]>();
  let waiting: unknown[] = [];
  for (const [index, value] of raw.entries()) {
    if (!understood.has(index)) waiting.push(value);
    if (!stays.has(index)) continue;
    before.set(index, waiting);
    waiting = [];
  }
  const list = next.flatMap((value, index) => {
    const from = took[index];
    return from === undefined ? [value] : [...(before.get(from) ?? []), raw[from]];
  });
  return [...list, ...waiting];
}

function nodeAt(tree: unknown, path: readonly (string | number)[]): unknown {
  let node = tree;
  for (const key of path) node = isContainer(node) && Object.hasOwn(node, key) ? node[key] : undefined;
  return node;
}

function nameOf(path: readonly (string | number)[]): string {
  return path.length === 0 ? '(all)' : path.join('.');
}

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null;
}
