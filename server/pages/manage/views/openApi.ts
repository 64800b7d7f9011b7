/** As much of an OpenAPI 3.1 description as the explorer reads. */
export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, RawOperation>>>>;
  /** Connections that are no plain calls. */
  readonly 'x-sockets'?: OpenApi['paths'];
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}

interface RawOperation {
  readonly operationId: string;
  readonly summary?: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly schema?: Schema;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: Schema }>> };
}

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

/** Params to begin with: what is required, in the shape that is asked for. */
export function exampleOf(operation: Operation, api: OpenApi): Record<string, unknown> {
  const given = (operation.parameters ?? [])
    .filter(({ required, in: place }) => required || place === 'path')
    .map(({ name, schema }) => [name, exampleValue(schema ?? {}, api)]);
  const body = operation.requestBody?.content['application/json']?.schema;
  const value = body === undefined ? {} : exampleValue(body, api);
  return { ...Object.fromEntries(given), ...(typeof value === 'object' ? value : {}) };
}

/** Descriptions may hold each other; ours are not deeper. */
const DEEPEST = 6;

function exampleValue(schema: Schema, api: OpenApi, depth = 0): unknown {
  if (schema.$ref !== undefined && depth < DEEPEST) {
    const named = api.components?.schemas?.[schema.$ref.split('/').at(-1) ?? ''];
    return exampleValue(named ?? {}, api, depth + 1);
  }
  if (schema.const !== undefined) return schema.const;
  if (schema.default !== undefined) return schema.default;
  if (schema.enum !== undefined) return schema.enum[0];
  const first = (schema.anyOf ?? schema.oneOf)?.[0];
  if (first !== undefined && schema.properties === undefined) return exampleValue(first, api, depth + 1);
  const type = typeof schema.type === 'string' ? schema.type : schema.type?.[0];
  switch (type) {
    case 'object':
      return Object.fromEntries(
        (schema.required ?? []).map((name) => [
          name,
          exampleValue(schema.properties?.[name] ?? {}, api, depth + 1),
        ]),
      );
    case 'array':
      return [];
    case 'integer':
    case 'number':
      return Math.max(0, schema.minimum ?? 0);
    case 'boolean':
      return true;
    default:
      return '';
  }
}
