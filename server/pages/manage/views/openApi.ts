import { type Field, fieldOf, type Schema as ValueSchema } from '../settingValue.ts';

/** As much of an OpenAPI 3.1 description as the explorer reads. */
export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, RawOperation>>>>;
  /** The groups of operations, in their order. */
  readonly tags?: readonly { readonly name: string; readonly description?: string }[];
  /** Connections that are no plain calls. */
  readonly 'x-sockets'?: OpenApi['paths'];
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}

interface RawOperation {
  readonly operationId: string;
  readonly summary?: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly schema?: Schema;
  }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses?: Readonly<Record<string, { readonly content?: Content }>>;
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>;

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly additionalProperties?: Schema | boolean;
  readonly description?: string;
}

/** Operations that belong together. */
export interface OperationGroup {
  readonly name: string;
  readonly description: string;
  readonly operations: readonly Operation[];
}

/** All operations by their first tag, in the order of the tags; those without one come last. */
export function groupsOf(api: OpenApi): OperationGroup[] {
  const byTag = Map.groupBy(operationsOf(api), ({ tags }) => tags?.[0] ?? '');
  const listed = (api.tags ?? []).filter(({ name }) => byTag.has(name));
  const others = [...byTag.keys()].filter((name) => !listed.some((tag) => tag.name === name));
  return [...listed, ...others.map((name) => ({ name, description: '' }))].map(
    ({ name, description = '' }) => ({
      name,
      description,
      operations: byTag.get(name) ?? [],
    }),
  );
}

/** One thing that can be asked for. */
export interface Operation extends RawOperation {
  readonly method: string;
  readonly path: string;
  /** Name of the command. */
  readonly name: string;
  readonly summary: string;
}

/** All operations, by path. */
export function operationsOf({ paths, 'x-sockets': sockets }: OpenApi): Operation[] {
  return Object.entries({ ...paths, ...sockets }).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
      name: operation.operationId,
      summary: operation.summary ?? '',
    })),
  );
}

/** One value that an operation takes. */
export interface Parameter {
  readonly name: string;
  readonly isNeeded: boolean;
  readonly description: string;
  /** How it is edited; undefined: anything, which only JSON can say. */
  readonly field: Field | undefined;
  readonly example: unknown;
}

/** One way to ask: some commands take one of several sets of values. */
export interface Variant {
  readonly name: string;
  readonly parameters: readonly Parameter[];
}

/** What an operation takes, in each of its ways; at least one. */
export function variantsOf(operation: Operation, api: OpenApi): Variant[] {
  const given = (operation.parameters ?? []).map(({ name, in: place, required, schema = {} }) =>
    parameterOf(name, required === true || place === 'path', schema, api),
  );
  const body = resolved(operation.requestBody?.content['application/json']?.schema ?? {}, api);
  const ways = body.properties === undefined ? (body.oneOf ?? body.anyOf ?? [body]) : [body];
  return ways.map((way, at) => {
    const { properties = {}, required = [] } = resolved(way, api);
    const values = Object.entries(properties).map(([name, schema]) =>
      parameterOf(name, required.includes(name), schema, api),
    );
    const named = Object.values(properties).find(({ const: word }) => typeof word === 'string');
    return { name: String(named?.const ?? at + 1), parameters: [...given, ...values] };
  });
}

function parameterOf(name: string, isNeeded: boolean, schema: Schema, api: OpenApi): Parameter {
  const plain = plainSchema(schema, api);
  const isAny = Object.keys(plain).length === 0 || (plain.type === 'object' && isOpen(plain));
  return {
    name,
    isNeeded,
    description: resolved(schema, api).description ?? '',
    field: isAny ? undefined : fieldOf(plain, name),
    example: exampleValue(schema, api),
  };
}

/** An object of which only the caller knows what it holds. */
function isOpen({ properties, additionalProperties }: ValueSchema): boolean {
  const isTyped = typeof additionalProperties === 'object' && Object.keys(additionalProperties).length > 0;
  return properties === undefined && !isTyped;
}

/** What an operation answers, as an example; undefined where that is no JSON. */
export function answerOf(operation: Operation, api: OpenApi): unknown {
  const schema = operation.responses?.['200']?.content?.['application/json']?.schema;
  return schema && exampleValue(schema, api, 0, true);
}

function resolved(schema: Schema, api: OpenApi): Schema {
  if (schema.$ref === undefined) return schema;
  return api.components?.schemas?.[schema.$ref.split('/').at(-1) ?? ''] ?? {};
}

/** A schema as the editors of values read it: without references, with one word for "one of these". */
function plainSchema(given: Schema, api: OpenApi, depth = 0): ValueSchema {
  const { type, anyOf, oneOf, items, properties, additionalProperties, ...schema } = resolved(given, api);
  if (depth > DEEPEST) return {};
  const inside = (one: Schema) => plainSchema(one, api, depth + 1);
  const types = typeof type === 'string' ? [type] : (type ?? []);
  const { $ref: _, description: __, ...plain } = schema;
  const options = [
    ...(anyOf ?? oneOf ?? []).map(inside),
    ...(types.length > 1 ? types.map((one) => ({ type: one })) : []),
  ];
  return {
    ...plain,
    ...(types.length === 1 && { type: types[0]! }),
    ...(types.length !== 1 && options.length > 0 && { anyOf: options }),
    ...(items !== undefined && { items: inside(items) }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, inside(one)])),
    }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: inside(additionalProperties) }),
  };
}

/** Descriptions may hold each other; ours are not deeper. */
const DEEPEST = 6;

/** @param isWhole with what may be left out too, and one entry in each list */
function exampleValue(schema: Schema, api: OpenApi, depth = 0, isWhole = false): unknown {
  if (schema.$ref !== undefined && depth < DEEPEST) {
    const named = api.components?.schemas?.[schema.$ref.split('/').at(-1) ?? ''];
    return exampleValue(named ?? {}, api, depth + 1, isWhole);
  }
  if (schema.const !== undefined) return schema.const;
  if (schema.default !== undefined) return schema.default;
  if (schema.enum !== undefined) return schema.enum[0];
  const first = (schema.anyOf ?? schema.oneOf)?.[0];
  if (first !== undefined && schema.properties === undefined)
    return exampleValue(first, api, depth + 1, isWhole);
  const type = typeof schema.type === 'string' ? schema.type : schema.type?.[0];
  switch (type) {
    case 'object':
      return Object.fromEntries(
        (isWhole ? Object.keys(schema.properties ?? {}) : (schema.required ?? [])).map((name) => [
          name,
          exampleValue(schema.properties?.[name] ?? {}, api, depth + 1, isWhole),
        ]),
      );
    case 'array':
      return isWhole && schema.items && depth < DEEPEST
        ? [exampleValue(schema.items, api, depth + 1, isWhole)]
        : [];
    case 'integer':
    case 'number':
      return Math.max(0, schema.minimum ?? 0);
    case 'boolean':
      return true;
    default:
      return '';
  }
}
