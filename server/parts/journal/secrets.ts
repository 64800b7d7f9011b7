import { isUpload } from '../../contract/command.ts';
import { jsonSchema } from '../../contract/openapi.ts';
import { maskedLogins, REDACTED, SHORTER, withoutLogins } from '../../platform/redaction.ts';

/** Longest params of an entry, as JSON, in bytes. */
export const MAX_PARAMS_BYTES = 4_096;
/** Values that are looked at: a body of a million bytes can hold half a million of them. */
const MAX_VALUES = 1_000;
/** Characters of one text that are looked at. */
const MAX_TEXT = 65_536;
/** The addresses in a text; all else in it stays, such as the commands of a terminal. */
const ADDRESS = /\b[a-z][a-z0-9+.-]{0,20}:\/\/\S+/gi;

/** What is used of JSON Schema. */
interface Schema {
  readonly secret?: true;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
}

/**
 * Params without their secrets: values of fields that the contract marks `secret`, of fields that it does not know, and
 * of another kind than it asks for become "…"; logins in addresses are masked.
 */
export function withoutSecrets(params: unknown, schema: Schema): unknown {
  let left = MAX_VALUES;
  const walk = (value: unknown, given: Schema): unknown => {
    if (value === undefined) return undefined;
    if (left-- <= 0) return REDACTED;
    const options = optionsOf(given);
    if (options.some(({ secret }) => secret)) return REDACTED;
    if (typeof value === 'string')
      return options.some(isOfText) ? withoutAddressLogins(value.slice(0, MAX_TEXT)) : REDACTED;
    if (typeof value !== 'object' || value === null) return value;
    if (isUpload(value)) return { size: (value as { size?: number }).size ?? null };
    const isAny = options.some(isAnything);
    if (Array.isArray(value)) {
      const items = isAny ? {} : options.find((option) => option.items)?.items;
      return items === undefined ? REDACTED : value.slice(0, left + 1).map((item) => walk(item, items));
    }
    if (!isAny && !options.some(({ type }) => type === 'object')) return REDACTED;
    const entries: [string, unknown][] = [];
    for (const [key, child] of Object.entries(value)) {
      if (left <= 0) break;
      const field = isAny ? {} : fieldOf(options, key);
      if (field === undefined) left--;
      entries.push([key.slice(0, 100), field === undefined ? REDACTED : walk(child, field)]);
    }
    return Object.fromEntries(entries);
  };
  return walk(params, schema);
}

/** Params as JSON of at most 4 KiB: the longest texts and lists are shortened first. */
export function fittingJson(params: unknown): string {
  const whole = JSON.stringify(params) ?? '{}';
  if (Buffer.byteLength(whole) <= MAX_PARAMS_BYTES) return whole;
  for (const most of SHORTER) {
    const text = JSON.stringify(shortened(params, most));
    if (Buffer.byteLength(text) <= MAX_PARAMS_BYTES) return text;
  }
  return JSON.stringify(REDACTED);
}

type Commands = Readonly<Record<string, { readonly params: Parameters<typeof jsonSchema>[0] }>>;

/** The params of a command as `withoutSecrets` needs them; made once for each command. */
export class ParamSchemas {
  readonly #known = new Map<string, Schema>();
  readonly #commands: Commands;

  constructor(commands: Commands) {
    this.#commands = commands;
  }

  /** For what is no command, such as `page.state`: anything. */
  of(command: string): Schema {
    const known = this.#known.get(command);
    if (known !== undefined) return known;
    const declared = this.#commands[command];
    const schema = declared === undefined ? {} : (jsonSchema(declared.params, 'input') as Schema);
    this.#known.set(command, schema);
    return schema;
  }
}

function withoutAddressLogins(text: string): string {
  return maskedLogins(text).replace(ADDRESS, (address) => withoutLogins(address));
}

/** A schema as a list of alternatives. */
function optionsOf(schema: Schema): readonly Schema[] {
  const { anyOf, oneOf, allOf } = schema;
  if (!anyOf && !oneOf && !allOf) return [schema];
  const nested = [anyOf, oneOf, allOf].flatMap((list) => list ?? []).flatMap(optionsOf);
  return schema.type === undefined && !schema.secret ? nested : [schema, ...nested];
}

function isOfText(schema: Schema): boolean {
  const { type, enum: values } = schema;
  if (isAnything(schema)) return true;
  return type === 'string' || (Array.isArray(type) && type.includes('string')) || values !== undefined;
}

function isAnything(schema: Schema): boolean {
  const { type, properties, items, enum: values } = schema;
  return !type && !properties && !items && !values && !('const' in schema) && !('$ref' in schema);
}

/** The schemas of one field in all alternatives that have it. */
function fieldOf(options: readonly Schema[], key: string): Schema | undefined {
  const found = options.flatMap(({ properties, additionalProperties }) => {
    if (properties && Object.hasOwn(properties, key)) return [properties[key]!];
    return typeof additionalProperties === 'object' ? [additionalProperties] : [];
  });
  return found.length > 1 ? { anyOf: found } : found[0];
}

function shortened(value: unknown, most: number): unknown {
  if (typeof value === 'string') return value.length > most ? `${value.slice(0, most)}${REDACTED}` : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const kept = value.slice(0, most).map((item) => shortened(item, most));
    return value.length > most ? [...kept, REDACTED] : kept;
  }
  const entries = Object.entries(value);
  const kept = entries.slice(0, most).map(([key, child]) => [key, shortened(child, most)] as const);
  return Object.fromEntries(entries.length > most ? [...kept, [REDACTED, REDACTED]] : kept);
}
