/** What of a JSON Schema the tables tell. */
export interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly prefixItems?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly additionalProperties?: Schema | boolean;
}

/**
 * Every key of a board profile: one heading for each part, one table for each of its drivers.
 * @param schema the JSON Schema of a profile
 */
export function profileTables(schema: Schema): string {
  const { name, ...parts } = schema.properties ?? {};
  const head = `\`name\` (${wordsOf(name!)}): ${name!.description}.`;
  return [head, ...Object.entries(parts).map(([part, each]) => partText(part, each))].join('\n\n');
}

function partText(part: string, schema: Schema): string {
  const isList = schema.type === 'array';
  const variants = variantsOf(isList ? schema.items! : schema);
  const simple = variants.filter((variant) => keysOf(variant).length === 0).map(driverOf);
  const title = `### \`${part}\`${isList ? `\n\nA list of at most ${schema.maxItems}.` : ''}`;
  const plain = simple.length > 0 ? [`${drivers(simple)}: no further key.`] : [];
  const keyed = variants.filter((variant) => keysOf(variant).length > 0);
  const shared =
    keyed.length < 2 ? [] : keysOf(keyed[0]!).filter((key) => keyed.every((each) => hasKey(each, key)));
  const common = shared.length > 0 ? [table('Every driver', shared, keyed[0]!)] : [];
  const own = keyed.flatMap((variant) => {
    const keys = keysOf(variant).filter(([key]) => !shared.some(([name]) => name === key));
    return keys.length > 0 ? [table(drivers([driverOf(variant)]), keys, variant)] : [];
  });
  return [title, ...plain, ...common, ...own].join('\n\n');
}

/** Whether a driver has this key, with the same values and meaning. */
function hasKey(variant: Schema, [key, schema]: [string, Schema]): boolean {
  return JSON.stringify(variant.properties?.[key]) === JSON.stringify(schema);
}

const drivers = (names: readonly string[]) =>
  `Driver${names.length > 1 ? 's' : ''} ${names.map((name) => `\`${name}\``).join(', ')}`;

function table(title: string, keys: readonly [string, Schema][], variant: Schema): string {
  const rows = keys.flatMap(([key, schema]) => rowsOf(key, schema, variant));
  return [`${title}:`, '', '| key | value | what |', '| --- | --- | --- |', ...rows].join('\n');
}

/** The row of a key, and below it those of the objects that it lists. */
function rowsOf(key: string, schema: Schema, { required = [] }: Schema): string[] {
  const must = required.includes(key) && schema.default === undefined ? ' (needed)' : '';
  const row = `| \`${key}\`${must} | ${wordsOf(schema)} | ${schema.description ?? ''} |`;
  const { items } = schema;
  if (items?.properties === undefined) return [row];
  return [
    row,
    ...Object.entries(items.properties).flatMap(([name, each]) =>
      rowsOf(`${key}[].${name}`, each, nested(key, items)),
    ),
  ];
}

/** The needed keys of a listed object, by their names in the table. */
function nested(key: string, { required = [] }: Schema): Schema {
  return { required: required.map((name) => `${key}[].${name}`) };
}

function variantsOf(schema: Schema): readonly Schema[] {
  return schema.oneOf ?? schema.anyOf ?? [schema];
}

function keysOf({ properties = {} }: Schema): [string, Schema][] {
  return Object.entries(properties).filter(([key]) => key !== 'driver');
}

function driverOf({ properties = {} }: Schema): string {
  return String(properties.driver?.const ?? '');
}

/** Which values a key may have, in words. */
function wordsOf(schema: Schema): string {
  const values = valuesOf(schema);
  if (values !== undefined) return values.map((value) => `\`${JSON.stringify(value)}\``).join(', ');
  if (schema.anyOf) return schema.anyOf.map(wordsOf).join(', or ');
  switch (schema.type) {
    case 'integer':
    case 'number':
      return numberWords(schema);
    case 'boolean':
      return schema.default === undefined
        ? 'true or false'
        : `true or false; ${schema.default} when left out`;
    case 'array':
      return `list of ${schema.prefixItems ? 'pairs' : 'at most'} ${schema.maxItems ?? ''}`.trim();
    case 'object':
      return schema.properties ? 'object' : 'object, by number';
    default:
      return 'text';
  }
}

function valuesOf(schema: Schema): readonly unknown[] | undefined {
  if (schema.const !== undefined) return [schema.const];
  if (schema.enum) return schema.enum;
  const each = schema.anyOf?.map(({ const: value }) => value);
  return each?.every((value) => value !== undefined) ? each : undefined;
}

function numberWords({ minimum, maximum }: Schema): string {
  const isBounded = maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER;
  return minimum !== undefined && isBounded ? `${minimum} to ${maximum.toLocaleString('en')}` : 'number';
}
