import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from '../../contract/command.ts';
import { type CommandName, commands } from '../../contract/commands.ts';
import { FaceplateError } from '../../contract/errors.ts';
import { type EventName, events } from '../../contract/events.ts';
import { coresOf, mistakeSentence, mistakesOf, schemasAt } from '../../contract/mistakes.ts';
import { type JoinKind, joinKinds, joinName } from './contract.ts';
import { evaluated, isExpression, misfit, type Taken, takenAt } from './expressionsContract.ts';

/** The file that makes a project one with joins, beside its index.html. */
export const JOINS_FILE = 'joins.json';

const MOST_BYTES = 256 * 1024;
const MOST_ENTRIES = 4_000;
/** How deep the params of a call may be. */
const MOST_DEPTH = 16;
/** Longest name of a stranger's field that is repeated, in characters. */
const MOST_FIELD = 80;

type Value = boolean | number | string;
type Fields = Readonly<Record<string, unknown>>;

/** A call that a value of the page makes. */
export interface JoinCall {
  readonly command: CommandName;
  paramsFor(value: Value): unknown;
}

/** Where the value comes from that the page gets. */
export interface JoinSource {
  readonly event: EventName;
  /** The value in the payload of the event, or in the state of the snapshot; undefined: it is about something else. */
  valueIn(payload: unknown): unknown;
  readonly scale: number;
}

/** What one join does. */
export interface JoinEntry {
  readonly kind: JoinKind;
  readonly name: string;
  readonly press?: JoinCall | undefined;
  readonly change?: JoinCall | undefined;
  readonly from?: JoinSource | undefined;
}

/**
 * Reads the joins of a project.
 * @param folder of the project's files
 * @returns undefined for a project without the file
 * @throws FaceplateError INVALID_REQUEST with the path of the entry; a system error
 */
export async function readJoins(folder: string): Promise<JoinEntry[] | undefined> {
  const path = join(folder, JOINS_FILE);
  const found = await stat(path).catch(() => undefined);
  if (!found?.isFile()) return undefined;
  if (found.size > MOST_BYTES) throw wrong(JOINS_FILE, 'The file is larger than 256 KiB.');
  return parseJoins(await readFile(path, 'utf8'));
}

/** @throws FaceplateError INVALID_REQUEST with the path of the entry */
export function parseJoins(text: string): JoinEntry[] {
  let file: unknown;
  try {
    file = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    throw wrong(JOINS_FILE, 'The file is not readable JSON.');
  }
  const { version, ...kinds } = fieldsOf(file, JOINS_FILE, ['version', ...joinKinds], '');
  if (version !== 1) throw wrong('version', 'It must be 1.');
  const all = joinKinds.flatMap((kind) =>
    kinds[kind] === undefined
      ? []
      : Object.entries(fieldsOf(kinds[kind], kind)).map(([name, entry]) => ({ kind, name, entry })),
  );
  if (all.length > MOST_ENTRIES) throw wrong(JOINS_FILE, 'The file has more than 4,000 entries.');
  return all.map(({ kind, name, entry }) => entryOf(kind, name, entry));
}

function entryOf(kind: JoinKind, name: string, given: unknown): JoinEntry {
  const path = `${kind}.${name.slice(0, MOST_FIELD)}`;
  const [mistake] = mistakesOf(joinName, name);
  if (mistake !== undefined) throw wrong(path, `The name of the join ${mistake.words}.`);
  const known = [...(kind === 'boolean' ? ['press'] : ['scale']), 'change', 'from', 'where'];
  const { press, change, from, where, scale } = fieldsOf(given, path, known);
  if (press === undefined && change === undefined && from === undefined)
    throw wrong(path, `The entry needs ${kind === 'boolean' ? '"press", ' : ''}"change" or "from".`);
  if (from === undefined && where !== undefined) throw wrong(`${path}.where`, 'It needs "from" beside it.');
  if (from === undefined && scale !== undefined) throw wrong(`${path}.scale`, 'It needs "from" beside it.');
  return {
    kind,
    name,
    press: press === undefined ? undefined : callOf(kind, press, `${path}.press`),
    change: change === undefined ? undefined : callOf(kind, change, `${path}.change`),
    from: from === undefined ? undefined : sourceOf({ from, where, scale }, path),
  };
}

function callOf(kind: JoinKind, given: unknown, path: string): JoinCall {
  const { call, with: params = {} } = fieldsOf(given, path, ['call', 'with']);
  const command =
    typeof call === 'string' && Object.hasOwn(commands, call) ? (call as CommandName) : undefined;
  if (command === undefined || commands[command].access.page === undefined)
    throw wrong(`${path}.call`, 'It must be the name of a command that pages have, such as led.color.');
  const schema = commands[command].params;
  fieldsOf(params, `${path}.with`);
  const taken = new Map<string, Taken>();
  const sample = mapped(
    params,
    [],
    (text, at) => {
      const field = [`${path}.with`, ...at].join('.');
      const takes = takenAt(schema, at);
      if (takes === undefined) throw wrong(field, `The command ${command} has no such field.`);
      const words = misfit(text, kind, takes);
      if (words !== undefined) throw wrong(field, `It ${words}.`);
      taken.set(at.join('.'), takes);
      return takes.sample;
    },
    `${path}.with`,
  );
  judge(schema, sample, [...taken.keys()], `${path}.with`);
  return {
    command,
    paramsFor: (value) =>
      mapped(params, [], (text, at) => evaluated(text, taken.get(at.join('.'))!, value), ''),
  };
}

/** What a field takes is not known of expressions, but all other fields must fit. */
function judge(
  schema: Command['params'],
  sample: unknown,
  expressions: readonly string[],
  path: string,
): void {
  const mistake = mistakesOf(schema, sample).find(({ field }) =>
    // A rule for all fields together may depend on the value.
    field === ''
      ? expressions.length === 0
      : !expressions.some(
          (one) => field === one || field.startsWith(`${one}.`) || one.startsWith(`${field}.`),
        ),
  );
  if (mistake === undefined) return;
  throw wrong(mistake.field === '' ? path : `${path}.${mistake.field}`, mistakeSentence(mistake, 'call'));
}

/** A copy in which each expression is what `made` says. */
function mapped(
  value: unknown,
  at: readonly string[],
  made: (text: string, at: readonly string[]) => unknown,
  path: string,
): unknown {
  if (at.length > MOST_DEPTH) throw wrong(path, 'It is too deep.');
  if (isExpression(value)) return made(value, at);
  if (Array.isArray(value)) return value.map((one, index) => mapped(one, [...at, `${index}`], made, path));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, mapped(one, [...at, key], made, path)]),
  );
}

function sourceOf({ from, where, scale }: Fields, path: string): JoinSource {
  const [name = '', ...at] = typeof from === 'string' ? from.split('.') : [];
  if (!Object.hasOwn(events, name))
    throw wrong(`${path}.from`, 'It must be an event and a field of it, such as gpio.level.');
  const event = name as EventName;
  const cores = schemasAt(events[event], at).flatMap(coresOf);
  const types = new Set(cores.map(({ _zod }) => _zod.def.type));
  if (at.length === 0 || cores.length === 0)
    throw wrong(`${path}.from`, `The event ${event} has no such field.`);
  if (['object', 'array', 'record', 'tuple'].some((type) => types.has(type as never)))
    throw wrong(`${path}.from`, 'It must be one value, and this field holds several.');
  const conditions = where === undefined ? [] : Object.entries(fieldsOf(where, `${path}.where`));
  for (const [field, value] of conditions) {
    const schemas = schemasAt(events[event], field.split('.'));
    const short = `${path}.where.${field.slice(0, MOST_FIELD)}`;
    if (schemas.length === 0) throw wrong(short, `The event ${event} has no such field.`);
    if (typeof value === 'object' && value !== null) throw wrong(short, 'It must be one value.');
    if (!schemas.some((schema) => (schema as Command['params']).safeParse(value).success))
      throw wrong(short, 'The field never has this value.');
  }
  if (scale !== undefined && (typeof scale !== 'number' || !Number.isFinite(scale)))
    throw wrong(`${path}.scale`, 'It must be a number.');
  return {
    event,
    valueIn: (payload) =>
      conditions.every(([field, value]) => valueAt(payload, field.split('.')) === value)
        ? valueAt(payload, at)
        : undefined,
    scale: scale ?? 1,
  };
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  let at = value;
  for (const key of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Fields)[key];
  }
  return at;
}

/**
 * An object, and nothing but the known fields in it.
 * @param known undefined: any
 */
function fieldsOf(value: unknown, path: string, known?: readonly string[], prefix = `${path}.`): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw wrong(path, 'It must be an object.');
  const other = known && Object.keys(value).find((key) => !known.includes(key));
  if (other !== undefined)
    throw wrong(
      `${prefix}${other.slice(0, MOST_FIELD)}`,
      `It is not known here: known are ${known!.join(', ')}.`,
    );
  return value as Fields;
}

function wrong(field: string, sentence: string): FaceplateError {
  return new FaceplateError('INVALID_REQUEST', `${JOINS_FILE}, ${field}: ${sentence}`, { field });
}
