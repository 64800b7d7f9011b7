import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Field {
  readonly name: string;
  readonly type: string;
  readonly isNeeded: boolean;
  readonly words: string;
}

export interface Described {
  readonly name: string;
  readonly summary: string;
  readonly scope: string | undefined;
  readonly fields: readonly Field[];
  /** Whether it takes a file, whose path is in `body`. */
  readonly takesFile: boolean;
  readonly isFeed: boolean;
}

interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly description?: string;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly 'x-scope'?: string;
  readonly parameters?: readonly { name: string; required: boolean; schema: Schema }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { schema?: Schema }>> };
  readonly responses: Readonly<Record<string, { readonly 'x-entry'?: unknown }>>;
}

let described: ReadonlyMap<string, Described> | undefined;

/** All commands by name, as docs/openapi.json describes them. */
export function commands(): ReadonlyMap<string, Described> {
  described ??= new Map(
    operations()
      .map(describe)
      .sort((one, other) => (one.name < other.name ? -1 : 1))
      .map((command) => [command.name, command]),
  );
  return described;
}

function operations(): Operation[] {
  const path = join(import.meta.dirname, '../../docs/openapi.json');
  const { paths } = JSON.parse(readFileSync(path, 'utf8')) as {
    paths: Record<string, Record<string, Operation>>;
  };
  return Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .filter(({ operationId, responses }) => operationId.includes('.') && responses[200] !== undefined);
}

function describe(operation: Operation): Described {
  const { operationId: name, summary, parameters = [], requestBody, responses } = operation;
  const body = requestBody?.content['application/json']?.schema;
  const takesFile = requestBody !== undefined && body === undefined;
  const fields = new Map<string, Field>();
  for (const parameter of parameters)
    fields.set(parameter.name, fieldOf(parameter.name, parameter.schema, parameter.required));
  for (const schema of [body, ...(body?.oneOf ?? []), ...(body?.anyOf ?? [])])
    for (const [key, value] of Object.entries(schema?.properties ?? {})) {
      if (schema === body || !fields.has(key))
        fields.set(key, fieldOf(key, value, schema === body && schema?.required?.includes(key) === true));
    }
  if (takesFile)
    fields.set('body', {
      name: 'body',
      type: 'path',
      isNeeded: true,
      words: 'the file to send; - is standard input',
    });
  return {
    name,
    summary,
    scope: operation['x-scope'],
    fields: [...fields.values()],
    takesFile,
    isFeed: responses[200]?.['x-entry'] !== undefined,
  };
}

function fieldOf(name: string, schema: Schema, isNeeded: boolean): Field {
  const words = [
    schema.description,
    schema.default === undefined ? undefined : `default ${JSON.stringify(schema.default)}`,
  ];
  return {
    name,
    type: typeOf(schema),
    isNeeded,
    words: words.filter((each) => each !== undefined).join('; '),
  };
}

/** A schema in a few words: `on|off`, `integer 0..255`, `list of text`. */
function typeOf(schema: Schema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map(String).join('|');
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return [...new Set(choices.map(typeOf))].join(' or ');
  const type = Array.isArray(schema.type) ? schema.type.join(' or ') : schema.type;
  if (type === 'array') return `list of ${typeOf(schema.items ?? {})}`;
  if (type === 'string') return 'text';
  const { minimum, maximum } = schema;
  const isBounded = minimum !== undefined && maximum !== undefined && Math.abs(maximum) < 2 ** 31;
  return `${type ?? 'anything'}${isBounded ? ` ${minimum}..${maximum}` : ''}`;
}
