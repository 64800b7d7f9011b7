import { z } from 'zod';
import { type HttpAccess, scopeField } from './access.ts';
import type { Command } from './command.ts';
import { commandList } from './commands.ts';
import { catalogue, type ErrorCode } from './errors.ts';
import { events, snapshot } from './events.ts';
import { bodyOf, plainSchema, shareSchemas, tagList, tagOf } from './openapiShape.ts';

type Json = Record<string, unknown>;

/** The body of a file. Version 3.1 may leave it out, but generators of clients then know no type for it. */
const BYTES: Json = { type: 'string', format: 'binary' };

/** Errors that every HTTP call can meet, besides its own. */
const COMMON_ERRORS = [
  'INVALID_REQUEST',
  'FORBIDDEN',
  'NOT_APPROVED',
  'REQUEST_TIMEOUT',
  'TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'INTERNAL',
  'STARTING',
  'SHUTTING_DOWN',
  'HARDWARE_TIMEOUT',
] as const satisfies readonly ErrorCode[];
const TOKEN_ERRORS = ['UNAUTHORIZED', 'RATE_LIMITED'] as const satisfies readonly ErrorCode[];

/** Callers of this machine need none. */
const NO_TOKEN: Json = {};

/** The `security` entries of each access: several entries are alternatives, an empty one means everyone. */
const SECURITY: Record<HttpAccess, readonly Json[]> = {
  token: [{ token: [] }],
  loopback: [NO_TOKEN, { token: [] }],
  picture: [NO_TOKEN, { token: [] }, { password: [] }],
  open: [],
};

/**
 * The OpenAPI 3.1 document of the HTTP surface, made from the command list.
 * @param settingsChange schema of the settings, which the contract does not contain
 * @throws Error for a command with a path but no allowed caller
 */
export function openApi(version: string, settingsChange?: Json): Json {
  const document = inlineOpenApi(version, settingsChange);
  shareSchemas(document);
  return document;
}

/** The same without shared schemas: each answer is described where it is. */
export function inlineOpenApi(version: string, settingsChange?: Json): Json {
  const paths: Record<string, Json> = {};
  const sockets: Record<string, Json> = {};
  for (const [name, command] of commandList) {
    if (!command.http) continue;
    if (!command.access.http) throw new Error(`${name} has a path, but its access names no HTTP caller.`);
    if (!command.access.scope && command.access.http !== 'open')
      throw new Error(`${name} has a path, but its access names no scope.`);
    const path = command.http.path.replace(/:(\w+)/g, '{$1}');
    const list = command.http.socket === undefined ? paths : sockets;
    list[path] = {
      ...list[path],
      [command.http.method.toLowerCase()]: operation(
        name,
        command,
        name === 'settings.change' ? settingsChange : undefined,
      ),
    };
  }
  paths['/api/remote/events'] = { get: eventOperation() };
  paths['/healthz'] = {
    get: {
      operationId: 'healthz',
      summary: 'Whether the service answers; no token.',
      security: SECURITY.open,
      responses: {
        200: answer('Running', {
          type: 'object',
          properties: { status: { const: 'ok' }, version: { type: 'string' } },
        }),
        ...failures(['FORBIDDEN']),
      },
    },
  };
  const open = (operationId: string, summary: string, schema: Json) => ({
    get: {
      operationId,
      summary,
      security: SECURITY.open,
      responses: { 200: answer('Success', schema), ...failures(['FORBIDDEN', 'STARTING', 'SHUTTING_DOWN']) },
    },
  });
  paths['/api'] = open('index', 'Where to go on: two paths; no token.', {
    type: 'object',
    properties: { openapi: { const: '/openapi.json' }, manage: { const: '/manage/' } },
    required: ['openapi', 'manage'],
  });
  paths['/openapi.json'] = open('description', 'This description; no token.', { type: 'object' });
  const operations = [...Object.values(paths), ...Object.values(sockets)].flatMap((methods) =>
    Object.values(methods as Record<string, Json>),
  );
  for (const operation of operations) {
    operation.tags = [tagOf(String(operation.operationId))];
    operation.description = descriptionOf(operation);
    for (const [status, response] of Object.entries(operation.responses as Json))
      if (status.startsWith('2')) (operation.responses as Json)[status] = plainSchema(response, true);
    for (const field of ['parameters', 'requestBody'])
      if (operation[field]) operation[field] = plainSchema(operation[field], false);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Faceplate',
      version,
      description: 'The HTTP API of a Faceplate panel. Answers may get more fields in later versions.',
      contact: { name: 'Faceplate', url: 'https://github.com/faceplate/faceplate' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: 'http://{panel}:8080', variables: { panel: { default: '127.0.0.1' } } }],
    tags: tagList(operations.map(({ operationId }) => String(operationId))),
    paths,
    // OpenAPI has no words for a WebSocket: these answer 101 alone.
    'x-sockets': sockets,
    components: {
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description: `A token opens the calls whose x-scope it holds. ${scopeField.description}.`,
        },
        password: {
          type: 'http',
          scheme: 'basic',
          description:
            'The same token as the password, with any user name, for what an <img> or a recorder asks for.',
        },
      },
      schemas: {
        Error: {
          type: 'object',
          properties: {
            error: { type: 'string', description: 'one sentence a person can act on' },
            code: { enum: Object.keys(catalogue) },
            field: { type: 'string', description: 'path of the bad field' },
          },
          required: ['error', 'code'],
        },
      },
    },
  };
}

function operation(name: string, command: Command, known: Json | undefined): Json {
  const path = command.http?.path ?? '';
  const schema = known ?? jsonSchema(command.params, 'input');
  const inPath = [...path.matchAll(/:(\w+)/g)].map((match) => match[1] as string);
  const properties = { ...(schema.properties as Json | undefined) };
  const { query = [], headers = {}, upload, answer: media, bodyLimit, socket, text } = command.http ?? {};
  const parameters = [...inPath, ...query].map((field) => {
    const where = inPath.includes(field) ? 'path' : 'query';
    const required = where === 'path' || ((schema.required as string[] | undefined) ?? []).includes(field);
    const parameter = { name: field, in: where, required, schema: properties[field] };
    delete properties[field];
    return parameter;
  });
  for (const [field, header] of Object.entries(headers)) {
    parameters.push({ name: header, in: 'header', required: false, schema: properties[field] });
    delete properties[field];
  }
  for (const field of text?.query ?? [])
    parameters.push({ name: field, in: 'query', required: false, schema: properties[field] });
  const hasBody =
    'oneOf' in schema ||
    'anyOf' in schema ||
    Object.keys(properties).length > 0 ||
    typeof schema.additionalProperties === 'object';
  const body =
    inPath.length === 0
      ? schema
      : {
          ...schema,
          properties,
          required: (schema.required as string[] | undefined)?.filter((field) => !inPath.includes(field)),
        };
  return {
    operationId: name,
    summary: command.summary,
    security: SECURITY[command.access.http!],
    ...(command.access.scope && { 'x-scope': command.access.scope }),
    ...(parameters.length > 0 && { parameters }),
    ...(upload && {
      requestBody: {
        required: true,
        description: `a file of at most ${upload.limitBytes / 1024 ** 2} MiB`,
        content: Object.fromEntries(upload.types.map((type) => [type, { schema: BYTES }])),
      },
    }),
    ...(hasBody &&
      !upload && {
        requestBody: {
          required: needsBody(body),
          ...(bodyLimit !== undefined && { description: `at most ${bodyLimit / 1024} KiB` }),
          content: {
            'application/json': { schema: body, ...bodyExample({ name, command, inPath }, body) },
            ...(text && { [text.type]: { schema: { type: 'string' } } }),
          },
        },
      }),
    responses: {
      ...(socket !== undefined && { 101: { description: `A WebSocket of the subprotocol ${socket}` } }),
      ...(socket === undefined && { 200: success(command, media) }),
      ...(text && { 201: created(text.type) }),
      ...failures([...COMMON_ERRORS, ...TOKEN_ERRORS, ...command.errors]),
    },
  };
}

function success({ result, entry }: Command, media: readonly string[] | undefined): Json {
  if (!media) return answer('Success', jsonSchema(result, 'output'));
  return {
    description: 'Success',
    content: Object.fromEntries(media.map((type) => [type, { schema: mediaSchema(type, result) }])),
    ...(entry && { 'x-entry': jsonSchema(entry, 'output') }),
  };
}

function mediaSchema(type: string, result: z.ZodType): Json {
  if (type === 'application/json') return jsonSchema(result, 'output');
  return type.startsWith('text/') || type.endsWith('ndjson') ? { type: 'string' } : BYTES;
}

/** The answer of the second form. */
function created(type: string): Json {
  return {
    description: 'Success, of a call in the same type',
    headers: { Location: { description: 'the path that DELETE takes', schema: { type: 'string' } } },
    content: { [type]: { schema: { type: 'string' } } },
  };
}

/** Whether a call without a body, which counts as an empty object, is refused. */
function needsBody(schema: Json): boolean {
  return (
    'oneOf' in schema || 'anyOf' in schema || ((schema.required as string[] | undefined) ?? []).length > 0
  );
}

function eventOperation(): Json {
  const described = Object.entries({ snapshot, ...events }).map(([name, schema]) => [
    name,
    jsonSchema(schema, 'output'),
  ]);
  return {
    operationId: 'events',
    summary: 'Server-sent events: one snapshot first, then facts as they happen.',
    security: SECURITY.token,
    'x-scope': 'view',
    responses: {
      200: {
        description:
          'The data of each event is JSON; its schema stands under x-events by the name of the event.',
        content: { 'text/event-stream': { schema: { type: 'string' } } },
        'x-events': Object.fromEntries(described),
      },
      ...failures([...COMMON_ERRORS, ...TOKEN_ERRORS]),
    },
  };
}

function descriptionOf({ summary, security, 'x-scope': scope }: Json): string {
  const access =
    (security as readonly Json[]).length === 0
      ? 'It needs no token.'
      : `It needs a token with the scope \`${scope}\`${(security as readonly Json[]).includes(NO_TOKEN) ? ', from the panel itself none' : ''}.`;
  return `${summary} ${access}`;
}

/** A body that the contract takes; nothing where none can be made of its schema. */
function bodyExample(
  { name, command, inPath }: { name: string; command: Command; inPath: readonly string[] },
  schema: Json,
): Json {
  const value = bodyOf(name, schema) as Json;
  const whole = { ...value, ...Object.fromEntries(inPath.map((field) => [field, '1'])) };
  if ('allOf' in schema) return {};
  if (inPath.length === 0 && !command.params.safeParse(whole).success) return {};
  return { example: value };
}

/** One response per status; its description lists the codes. */
function failures(codes: readonly ErrorCode[]): Json {
  const byStatus = new Map<number, Set<ErrorCode>>();
  for (const code of codes) {
    const { status } = catalogue[code];
    byStatus.set(status, (byStatus.get(status) ?? new Set()).add(code));
  }
  return Object.fromEntries(
    [...byStatus].map(([status, set]) => [
      status,
      answer([...set].join(', '), { $ref: '#/components/schemas/Error' }),
    ]),
  );
}

function answer(description: string, schema: Json): Json {
  return { description, content: { 'application/json': { schema } } };
}

/** JSON Schema of a zod schema, without the dialect line. */
export function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ jsonSchema: made }) => {
      // A list of fixed length: generators of clients do not know `items` as a boolean.
      if (made.items !== false || made.prefixItems === undefined) return;
      delete made.items;
      made.minItems = made.maxItems = made.prefixItems.length;
    },
  });
  return rest;
}
