import { z } from 'zod';

/** What is wrong with one field of a value. */
export interface Mistake {
  /** Path of the field; '' is the value itself. */
  readonly field: string;
  /** What is said of the field: `must be 0 or 1 (got 7)`, `is missing: it must be a text`. */
  readonly words: string;
}

type Path = readonly PropertyKey[];
type Issue = z.core.$ZodIssue;

/** Longest part of a value that is quoted, and longest path of a field, in characters. */
const MOST_QUOTED = 40;
const MOST_FIELD = 80;
/** Longest list of values that are allowed, or of names that are known, in characters. */
const MOST_LISTED = 400;
/** A value with more mistakes is not described further. */
const MOST_MISTAKES = 100;
/** How the words of schemas go on behind the name of a field. */
const PREDICATE = /^(?:must|is|are|does|has|needs|holds|cannot|comes)\b/;

/** Leaves the messages that a schema has itself, and empties those of the validator. */
const OWN_WORDS = { error: () => '' };

interface Judged {
  readonly schema: z.core.$ZodType;
  readonly value: unknown;
  /** Whether values may be repeated at all. */
  readonly quotes: boolean;
}

/**
 * What is wrong with a value, in words for people: what is allowed, and what came. What the schema marks `secret` is not
 * quoted, nor what may hold a login, and no more than 40 characters of anything.
 * @param quotes false where no part of the value may be repeated
 * @returns at most 100 mistakes, none for a value that fits
 */
export function mistakesOf(schema: z.ZodType, value: unknown, { quotes = true } = {}): Mistake[] {
  const issues = schema.safeParse(value, OWN_WORDS).error?.issues ?? [];
  const judged = { schema, value, quotes };
  return issues
    .slice(0, MOST_MISTAKES)
    .flatMap((issue) => mistakesOfIssue(judged, issue))
    .slice(0, MOST_MISTAKES);
}

/** A mistake as a sentence. @param whole what a mistake without a field is in */
export function mistakeSentence({ field, words }: Mistake, whole = 'request'): string {
  const subject = field === '' ? `The ${whole}` : `The field "${field}"`;
  return PREDICATE.test(words) ? `${subject} ${words}.` : `${subject} is not valid: ${words}.`;
}

function mistakesOfIssue(judged: Judged, issue: Issue): Mistake[] {
  const { path } = issue;
  if (issue.code === 'unrecognized_keys' && issue.message === '') {
    const known = namesAt(judged.schema, path).filter((name) => !issue.keys.includes(name));
    const hint =
      known.length === 0 ? '' : `: known here ${known.length > 1 ? 'are' : 'is'} ${listed(known, 'and')}`;
    return issue.keys.map((key) => ({ field: fieldOf([...path, key]), words: `is not known here${hint}` }));
  }
  if (issue.code === 'invalid_union') {
    const closest = issue.message === '' ? closestOf(issue.errors) : undefined;
    if (closest) return mistakesOfIssue(judged, { ...closest, path: [...path, ...closest.path] });
  }
  if (issue.code === 'invalid_key' && issue.message === '') {
    const [of] = issue.issues;
    // Of a name, not of what it names.
    return [
      {
        field: fieldOf(path),
        words: `has a name that does not fit${of?.message ? `: it ${of.message}` : ''}`,
      },
    ];
  }
  return [{ field: fieldOf(path), words: wordsOf(judged, issue) }];
}

/** The mistake of the one alternative that the value is meant to be; undefined: it may be any of them. */
function closestOf(errors: readonly (readonly Issue[])[]): Issue | undefined {
  const meant = errors
    .filter((issues) => !issues.some(isOfAnotherKind))
    .map((issues) => ({ issues, known: issues.find(({ code }) => code !== 'unrecognized_keys') }));
  // A field of another alternative says more than a wrong value.
  const farOff = (issues: readonly Issue[]) =>
    issues.length + issues.filter(({ code }) => code === 'unrecognized_keys').length;
  const least = Math.min(...meant.map(({ issues }) => farOff(issues)));
  const closest = meant.filter(({ issues }) => farOff(issues) === least);
  return closest.length === 1 ? (closest[0]!.known ?? closest[0]!.issues[0]) : undefined;
}

function isOfAnotherKind({ code, path }: Issue): boolean {
  return path.length === 0 && (code === 'invalid_type' || code === 'invalid_value');
}

function wordsOf(judged: Judged, issue: Issue): string {
  const { code, path, message } = issue;
  const { value, isThere } = valueAt(judged.value, path);
  const got = gotWords(judged, issue, value);
  const came = got === '' ? '' : ` (got ${got})`;
  // A rule between fields says itself which one is missing.
  if (message !== '' && (isThere || code === 'custom')) {
    const saysIt = !isThere || isCompound(value) || message.includes(String(value));
    return saysIt ? message : `${message}${came}`;
  }
  const options = code === 'invalid_union' && 'options' in issue ? issue.options : undefined;
  const allowed = options ? listed(options.map(plain)) : allowedAt(judged.schema, path);
  const words = /^must\b/.test(message) ? message : allowed && `must be ${allowed}`;
  if (!isThere) return words === '' ? 'is missing' : `is missing: it ${words}`;
  return words === '' ? 'does not fit' : `${words}${came}`;
}

/** What came, as much of it as may be repeated. */
function gotWords({ schema, quotes }: Judged, issue: Issue, value: unknown): string {
  if (value === null) return 'null';
  const isOfLength = issue.code === 'too_big' || issue.code === 'too_small';
  if (Array.isArray(value)) return isOfLength ? `${value.length}` : 'a list';
  if (typeof value === 'object') return 'an object';
  if (!quotes || isSecretAt(schema, issue.path)) return typeof value === 'string' ? '' : kindOf(value);
  if (typeof value === 'string' && isOfLength) return `${value.length}`;
  // A login of an address, or a part of one.
  if (typeof value === 'string' && value.includes('@')) return '';
  return quoted(value);
}

function kindOf(value: unknown): string {
  return typeof value === 'number' ? 'a number' : typeof value === 'boolean' ? 'a truth value' : '';
}

/** A value in one line of at most 40 characters; queries of addresses are left out. */
function quoted(value: unknown): string {
  if (typeof value !== 'string') return String(value).slice(0, MOST_QUOTED);
  const text = value.replace(/^([a-z][a-z0-9+.-]*:\/\/[^?#]*)[?#].*$/is, '$1?…').slice(0, MOST_QUOTED + 1);
  // A half of a character of two halves is not readable.
  const cut =
    text.length > MOST_QUOTED ? `${text.slice(0, MOST_QUOTED).replace(/[\ud800-\udbff]$/, '')}…` : text;
  return JSON.stringify(cut.replaceAll(/[\ud800-\udfff]/gu, '\ufffd').replaceAll(/\p{Cc}/gu, ' '));
}

/** A value as a list of choices has it. */
function plain(value: unknown): string {
  return value === '' ? '""' : String(value);
}

function isCompound(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

/** Names of fields that a caller made up are repeated, but not at any length. */
function fieldOf(path: Path): string {
  const field = path.map(String).join('.');
  return field.length > MOST_FIELD ? `${field.slice(0, MOST_FIELD)}…` : field;
}

function valueAt(value: unknown, path: Path): { value: unknown; isThere: boolean } {
  let at = value;
  for (const key of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key))
      return { value: undefined, isThere: false };
    at = (at as Record<PropertyKey, unknown>)[key];
  }
  return { value: at, isThere: at !== undefined };
}

/** The schemas that a schema stands for: without what is around them, and each alternative. */
export function coresOf(schema: z.core.$ZodType): z.core.$ZodType[] {
  if (schema instanceof z.ZodUnion) return schema.options.flatMap(coresOf);
  if (schema instanceof z.ZodIntersection) return [schema.def.left, schema.def.right].flatMap(coresOf);
  if (schema instanceof z.ZodPipe)
    return coresOf(schema.def.in instanceof z.ZodTransform ? schema.def.out : schema.def.in);
  if (schema instanceof z.ZodLazy) return coresOf(schema.unwrap());
  if (isWrapped(schema)) return coresOf(schema.unwrap() as z.core.$ZodType);
  return [schema];
}

function isWrapped(schema: z.core.$ZodType) {
  return (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodReadonly ||
    schema instanceof z.ZodCatch
  );
}

/** The schemas of one field, or entry, in all alternatives that have it. */
function childrenOf(schema: z.core.$ZodType, key: PropertyKey): z.core.$ZodType[] {
  return coresOf(schema).flatMap((core) => {
    if (core instanceof z.ZodObject)
      return Object.hasOwn(core.shape, key) ? [core.shape[key as string] as z.core.$ZodType] : [];
    if (core instanceof z.ZodArray) return [core.element];
    if (core instanceof z.ZodTuple) return core.def.items.slice(Number(key), Number(key) + 1);
    return core instanceof z.ZodRecord ? [core.valueType] : [];
  });
}

/** The schemas of a field in all alternatives that have it; none: it is not known there. */
export function schemasAt(schema: z.core.$ZodType, path: Path): z.core.$ZodType[] {
  return path.reduce<z.core.$ZodType[]>(
    (found, key) => found.flatMap((one) => childrenOf(one, key)),
    [schema],
  );
}

function namesAt(schema: z.core.$ZodType, path: Path): string[] {
  const cores = schemasAt(schema, path).flatMap(coresOf);
  return [...new Set(cores.flatMap((core) => (core instanceof z.ZodObject ? Object.keys(core.shape) : [])))];
}

/** Whether a field is marked secret, or is in one that is, or is not known. */
function isSecretAt(schema: z.core.$ZodType, path: Path): boolean {
  return Array.from({ length: path.length + 1 }, (_, length) =>
    schemasAt(schema, path.slice(0, length)),
  ).some((schemas) => schemas.length === 0 || schemas.some(isMarkedSecret));
}

function isMarkedSecret(schema: z.core.$ZodType): boolean {
  if (z.globalRegistry.get(schema)?.secret === true) return true;
  if (isWrapped(schema)) return isMarkedSecret((schema as z.ZodOptional).unwrap());
  if (schema instanceof z.ZodUnion) return schema.options.some(isMarkedSecret);
  return schema instanceof z.ZodPipe && [schema.def.in, schema.def.out].some(isMarkedSecret);
}

/** What is used of JSON Schema. */
interface Described {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Described[];
  readonly oneOf?: readonly Described[];
  readonly format?: string;
  readonly required?: readonly string[];
  readonly [limit: string]: unknown;
}

const described = new WeakMap<z.core.$ZodType, readonly string[]>();

/** The values that fit a field, in words; '' where its schema does not say. */
function allowedAt(schema: z.core.$ZodType, path: Path): string {
  const words = schemasAt(schema, path).flatMap((one) => {
    const known = described.get(one);
    if (known) return known;
    const made = kindsOf(z.toJSONSchema(one, { io: 'input', unrepresentable: 'any' }) as Described);
    described.set(one, made);
    return made;
  });
  return listed([...new Set(words)]);
}

const FORMATS: Readonly<Record<string, string>> = {
  ipv4: 'an IPv4 address',
  ipv6: 'an IPv6 address',
  uuid: 'a UUID',
  uri: 'a URL',
  'date-time': 'a time such as 2026-01-31T12:00:00Z',
};

function kindsOf(schema: Described): readonly string[] {
  const { type, enum: values, anyOf, oneOf, format, required = [] } = schema;
  if ('const' in schema) return [plain(schema.const)];
  if (values) return values.map(plain);
  const options = anyOf ?? oneOf;
  if (options && type === undefined) return options.flatMap(kindsOf);
  switch (type) {
    case 'boolean':
      return ['true', 'false'];
    case 'null':
      return ['null'];
    case 'integer':
    case 'number':
      return [numberWords(schema)];
    case 'string':
      return [FORMATS[format ?? ''] ?? `a text${sizeWords(schema.minLength, schema.maxLength, 'character')}`];
    case 'array':
      return [`a list${sizeWords(schema.minItems, schema.maxItems, 'entry')}`];
    case 'object':
      return [required.length === 0 ? 'an object' : `an object with ${listed(required, 'and')}`];
    default:
      return [];
  }
}

function numberWords({ type, minimum, maximum, exclusiveMinimum, multipleOf }: Described): string {
  const kind = type === 'integer' ? 'a whole number' : 'a number';
  const [from, to] = [minimum, maximum].map((limit) =>
    Number.isSafeInteger(Math.round(Number(limit) * 2)) ? limit : undefined,
  );
  const steps = multipleOf === undefined ? '' : ` in steps of ${multipleOf}`;
  if (exclusiveMinimum !== undefined)
    return `${kind} above ${exclusiveMinimum}${to === undefined ? '' : ` and up to ${to}`}${steps}`;
  if (from !== undefined && to !== undefined) return `${kind} from ${from} to ${to}${steps}`;
  return `${kind}${from === undefined ? '' : ` of at least ${from}`}${to === undefined ? '' : ` of at most ${to}`}${steps}`;
}

function sizeWords(least: unknown, most: unknown, unit: string): string {
  const of = (count: unknown) => `${count} ${count === 1 ? unit : unit.replace(/y$/, 'ie').concat('s')}`;
  if (least !== undefined && least === most) return ` of ${of(most)}`;
  if (least !== undefined && least !== 0 && most !== undefined) return ` of ${least} to ${of(most)}`;
  if (most !== undefined) return ` of at most ${of(most)}`;
  return least === undefined || least === 0 ? '' : ` of at least ${of(least)}`;
}

/** `a, b or c`, as many as have room. */
function listed(words: readonly string[], word = 'or'): string {
  const end = words.findIndex((_, index) => words.slice(0, index + 1).join(', ').length > MOST_LISTED);
  if (end >= 0) return `${words.slice(0, end).join(', ')}, …`;
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${word} ${words.at(-1)}`;
}
