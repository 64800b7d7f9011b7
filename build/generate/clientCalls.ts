import { type Schema, typeText } from '../../server/contract/containerTypes.ts';

interface Media {
  readonly schema?: Schema;
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters?: readonly { name: string; in: string; required: boolean; schema: Schema }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<
    Record<
      string,
      { content?: Record<string, Media>; 'x-entry'?: Schema; 'x-events'?: Record<string, Schema> }
    >
  >;
}

/** What is used of an OpenAPI document. */
export interface ApiDescription {
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: { readonly Error: Schema } };
}

/**
 * `client/calls.ts`: what each call takes and answers, and where its fields stand in a request; made from openapi.json.
 * @throws Error for a document without the stream of events
 */
export function clientCalls({ info, paths, components }: ApiDescription): string {
  const commands: string[] = [];
  const feeds: string[] = [];
  const rows: string[] = [];
  let events: Record<string, Schema> | undefined;
  for (const [path, methods] of Object.entries(paths))
    for (const [method, operation] of Object.entries(methods)) {
      const success = operation.responses[200];
      events ??= success?.['x-events'];
      // Sockets, the stream of events and /healthz have no name that is called; pictures without an end no answer.
      const isEndless = success?.content?.['multipart/x-mixed-replace'] !== undefined;
      if (isEndless || !success || success['x-events'] || !operation.operationId.includes('.')) continue;
      const entry = success['x-entry'];
      const answer = entry ? `entry: ${typeText(entry, '    ')}` : `result: ${resultText(success.content)}`;
      (entry ? feeds : commands).push(
        `  /** ${operation.summary} */\n  '${operation.operationId}': {\n    params: ${paramsText(operation)};\n    ${answer};\n  };`,
      );
      rows.push(`  '${operation.operationId}': ${rowText(method.toUpperCase(), path, operation)},`);
    }
  if (events === undefined) throw new Error('openapi.json describes no stream of events.');
  const payloads = Object.entries(events).map(([name, schema]) => `  ${name}: ${typeText(schema, '  ')};`);
  const { code } = components.schemas.Error.properties ?? {};
  return `// The calls of a Faceplate panel, version ${info.version}. Made from docs/openapi.json by build/generate/main.ts; do not edit.

/** Codes of an error of the panel. */
export type ErrorCode = ${typeText(code ?? {}, '')};

/** A file to send. */
export type FileBody = Blob | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;

/** What each call takes and answers. */
export interface Commands {
${commands.join('\n')}
}

/** Answers that do not end: the stored entries first, then new ones. */
export interface Feeds {
${feeds.join('\n')}
}

/** Payloads of the stream of events; \`snapshot\` comes once, first. */
export interface Events {
${payloads.join('\n')}
}

/** The address of a call, and the place of each field; all other fields are the JSON body. */
export interface CallRow {
  readonly method: string;
  /** Fields stand in it as \`{name}\`. */
  readonly path: string;
  readonly query?: readonly string[];
  readonly headers?: readonly string[];
  /** Type of the file that is sent instead of JSON, as the field \`body\`. */
  readonly file?: string;
}

export const calls: Readonly<Record<keyof Commands | keyof Feeds, CallRow>> = {
${rows.join('\n')}
};
`;
}

function fieldsIn(operation: Operation, where: string): string[] {
  const body = operation.requestBody?.content['application/json']?.schema?.properties ?? {};
  return (operation.parameters ?? [])
    .filter((parameter) => parameter.in === where && !Object.hasOwn(body, parameter.name))
    .map(({ name }) => name);
}

/** Type of the file that a call takes instead of JSON. */
function fileOf({ requestBody }: Operation): string | undefined {
  if (requestBody === undefined || requestBody.content['application/json']) return undefined;
  return Object.keys(requestBody.content)[0];
}

function paramsText(operation: Operation): string {
  const names = ['path', 'query', 'header'].flatMap((where) => fieldsIn(operation, where));
  const parameters = (operation.parameters ?? []).filter(({ name }) => names.includes(name));
  const properties = Object.fromEntries(parameters.map(({ name, schema }) => [name, schema]));
  const required = parameters.filter((parameter) => parameter.required).map(({ name }) => name);
  if (fileOf(operation) !== undefined) {
    properties.body = { typeText: 'FileBody' };
    required.push('body');
  }
  const body = operation.requestBody?.content['application/json']?.schema;
  const own: Schema = { type: 'object', properties, required };
  if (body === undefined) return typeText(own, '    ');
  if (Object.keys(properties).length === 0) return typeText(body, '    ');
  return `${typeText(own, '    ')} & (${typeText(body, '    ')})`;
}

/** JSON as its type, text as text, all else as bytes. */
function resultText(content: Readonly<Record<string, Media>> = {}): string {
  const types = Object.entries(content).map(([type, { schema }]) => {
    if (type === 'application/json') return typeText(schema ?? {}, '    ');
    return isText(type) ? 'string' : 'Uint8Array<ArrayBuffer>';
  });
  return types.join(' | ') || 'unknown';
}

function isText(type: string): boolean {
  return type.startsWith('text/') || type === 'application/x-ndjson';
}

function rowText(method: string, path: string, operation: Operation): string {
  const list = (names: readonly string[]) => `[${names.map((name) => `'${name}'`).join(', ')}]`;
  const [query, headers] = [fieldsIn(operation, 'query'), fieldsIn(operation, 'header')];
  const file = fileOf(operation);
  const parts = [
    `method: '${method}'`,
    `path: '${path}'`,
    ...(query.length > 0 ? [`query: ${list(query)}`] : []),
    ...(headers.length > 0 ? [`headers: ${list(headers)}`] : []),
    ...(file === undefined ? [] : [`file: '${file}'`]),
  ];
  return `{ ${parts.join(', ')} }`;
}
