type Json = Record<string, unknown>;

/** What a command belongs to, by the beginning of its name. */
const TAGS: Readonly<Record<string, string>> = {
  apps: 'Programs that are installed on the panel.',
  api: 'The API itself: its description, its events, whether it answers.',
  backup: 'Copies of all that the panel has.',
  certificates: 'Certificates that the panel shows and trusts.',
  climate: 'Temperature and humidity.',
  console: 'What the page writes on its console.',
  display: 'Screen, brightness and volume.',
  fleet: 'Other panels, and changes of many at once.',
  gpio: 'Pins and relays.',
  health: 'How the panel is.',
  intercom: 'Calls and doors.',
  ir: 'Infrared: codes that are sent and learned.',
  joins: 'Values of the page of a project with joins.',
  journal: 'What was changed, and by whom.',
  kiosk: 'The browser that shows the page.',
  led: 'The LED bar.',
  log: 'The lines of the log.',
  message: 'Messages above the page.',
  metrics: 'Figures for monitoring.',
  modbus: 'Devices that speak Modbus.',
  network: 'Network and Wi-Fi.',
  page: 'The page that the panel shows.',
  panel: 'Back to the state of a new panel.',
  pairing: 'A token for a new caller, by a code at the panel.',
  pin: 'The PIN of the settings at the panel.',
  projects: 'Projects: the pages that are installed.',
  rtc: 'When the panel sleeps and wakes.',
  serial: 'Serial ports.',
  settings: 'Settings.',
  setup: 'What the first set-up looks for.',
  sound: 'Sounds and speech.',
  stream: 'Cameras.',
  system: 'The panel as a whole.',
  tcp: 'TCP connections to devices.',
  terminal: 'Shell commands.',
  time: 'Clock and time zone.',
  token: 'Tokens and their rights.',
  udp: 'Datagrams.',
  update: 'Updates of the panel.',
};

/** The tag of an operation. */
export function tagOf(operationId: string): string {
  const [part = ''] = operationId.split('.');
  return operationId.includes('.') ? part : 'api';
}

/** The tags of some operations, with what each is about. */
export function tagList(operationIds: readonly string[]): Json[] {
  const names = [...new Set(operationIds.map(tagOf))].sort();
  return names.map((name) => ({ name, description: TAGS[name] }));
}

/**
 * A schema as every reader of OpenAPI 3.1 knows it: without `false` as the schema of a field, words of our own with `x-`,
 * the fields of a record by their names, and `items` beside the items of a tuple.
 * @param isOpen whether it describes an answer: a later version may add a field to it
 */
export function plainSchema<T>(schema: T, isOpen: boolean): T {
  return plain(schema, isOpen) as T;
}

function plain(value: unknown, isOpen: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => plain(item, isOpen));
  if (typeof value !== 'object' || value === null) return value;
  const made: Json = {};
  for (const [key, child] of Object.entries(value)) {
    if (isOpen && key === 'additionalProperties' && child === false) continue;
    if (key === 'properties' || key === 'x-events') made[key] = fields(child as Json, isOpen);
    else if (key === 'default' || key === 'const' || key === 'enum' || key === 'example') made[key] = child;
    else made[OWN_WORDS[key] ?? key] = plain(child, isOpen);
  }
  return neat(made);
}

const OWN_WORDS: Readonly<Record<string, string>> = { secret: 'x-secret', typeText: 'x-typescript' };

function fields(properties: Json, isOpen: boolean): Json {
  const each = Object.entries(properties);
  return Object.fromEntries(
    each.map(([name, one]) => [name, one === false ? { not: {} } : plain(one, isOpen)]),
  );
}

function neat(schema: Json): Json {
  const { anyOf, prefixItems, propertyNames, additionalProperties, not } = schema as {
    anyOf?: Json[];
    prefixItems?: Json[];
    propertyNames?: { enum?: string[] };
    additionalProperties?: Json;
    not?: { required?: string[] };
  };
  // Anything, or something: that is anything.
  if (Array.isArray(anyOf) && anyOf.some((one) => Object.keys(one).length === 0)) delete schema.anyOf;
  if (Array.isArray(prefixItems) && schema.items === undefined) {
    const kinds = [...new Map(prefixItems.map((item) => [JSON.stringify(item), item])).values()];
    schema.items = kinds.length === 1 ? kinds[0] : { anyOf: kinds };
  }
  if (propertyNames?.enum && typeof additionalProperties === 'object' && schema.properties === undefined) {
    schema.properties = Object.fromEntries(propertyNames.enum.map((name) => [name, additionalProperties]));
    delete schema.propertyNames;
    delete schema.additionalProperties;
  }
  if (not?.required)
    schema.not = { properties: Object.fromEntries(not.required.map((name) => [name, {}])), ...not };
  return schema;
}

/** Fewest fields of an object that gets a name of its own. */
const LEAST_FIELDS = 2;

/**
 * Gives a name to each object that stands at several places in answers, and refers to it.
 * @param document changed in place
 */
export function shareSchemas(document: Json): void {
  const { paths, components } = document as { paths: Record<string, Record<string, Json>>; components: Json };
  const found = new Map<string, { name: string; count: number }>();
  const answers = Object.values(paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId, responses }) => ({
      name: String(operationId).split('.').map(capital).join(''),
      responses: responses as Record<string, Json>,
    })),
  );
  for (const { name, responses } of answers)
    for (const [status, response] of Object.entries(responses))
      if (status.startsWith('2'))
        eachObject(response, name, (schema, given) => {
          const text = JSON.stringify(schema);
          const known = found.get(text) ?? { name: given, count: 0 };
          found.set(text, { ...known, count: known.count + 1 });
        });
  const schemas = components.schemas as Json;
  const names = new Map<string, string>();
  for (const [text, { name, count }] of found) {
    if (count < 2) continue;
    let free = name;
    for (let number = 2; free in schemas; number++) free = `${name}${number}`;
    schemas[free] = JSON.parse(text);
    names.set(text, free);
  }
  for (const { responses } of answers)
    for (const [status, response] of Object.entries(responses))
      if (status.startsWith('2')) referTo(response, names);
  for (const name of names.values())
    for (const child of Object.values(schemas[name] as Json)) referTo(child, names);
  // What stood only inside of others that have a name themselves.
  for (let gone = true; gone; ) {
    const all = JSON.stringify(document);
    const unused = Object.keys(schemas).filter((name) => !all.includes(`"#/components/schemas/${name}"`));
    for (const name of unused) delete schemas[name];
    gone = unused.length > 0;
  }
}

/** Each object schema below a value, with a name made of the fields that lead to it. */
function eachObject(value: unknown, name: string, take: (schema: Json, name: string) => void): void {
  if (typeof value !== 'object' || value === null) return;
  if (isNamed(value as Json)) take(value as Json, name);
  // Readers of OpenAPI follow no reference in a word that they do not know.
  for (const [key, child] of Object.entries(value))
    if (key.startsWith('x-')) continue;
    else if (key === 'properties')
      for (const [field, schema] of Object.entries(child as Json)) {
        const [part = ''] = name.match(/^[A-Z][a-z0-9]*/) ?? [];
        const own = capital(field.replace(/[^A-Za-z0-9]/g, '')).replace(/([^su])s$/, '$1');
        eachObject(schema, own.startsWith(part) ? own : `${part}${own}`, take);
      }
    else eachObject(child, name, take);
}

function isNamed(schema: Json): boolean {
  return (
    schema.type === 'object' &&
    Object.keys((schema.properties as Json | undefined) ?? {}).length >= LEAST_FIELDS
  );
}

function referTo(value: unknown, names: ReadonlyMap<string, string>): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, child] of Object.entries(value)) {
    if (key.startsWith('x-')) continue;
    const name = typeof child === 'object' && child !== null ? names.get(JSON.stringify(child)) : undefined;
    if (name === undefined) referTo(child, names);
    else (value as Json)[key] = { $ref: `#/components/schemas/${name}` };
  }
}

function capital(word: string): string {
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
}

/** Values for fields that no schema describes well enough, by the name of the field. */
const EXAMPLES: Readonly<Record<string, unknown>> = {
  port: '/dev/ttyS5',
  hex: '01 03 0A',
  host: '192.168.1.20',
  peer: '192.168.1.20',
  url: 'rtsp://192.168.1.40/stream1',
  command: 'uptime',
  text: 'Hello',
  name: 'Lobby',
};

/** Bodies whose fields go together in a way of their own. */
const BODIES: Readonly<Record<string, unknown>> = {
  'certificates.trust': { host: 'camera.lan', port: 443, fingerprint: Array(32).fill('AB').join(':') },
  'pairing.finish': { code: '12345678', name: 'Lobby' },
  'projects.fetch': { name: 'Lobby', url: 'https://example.org/lobby.zip', sha256: '0'.repeat(64) },
  'fleet.rollout': { command: 'settings.change', params: { idle: { seconds: 300 } }, groups: ['lobby'] },
  'token.create': { name: 'Lobby', scopes: ['view', 'control'] },
  'ir.send': { port: 'IR1', code: { protocol: 'nec', address: 4, command: 8 } },
  'stream.ptz': { url: 'camera:Door', pan: 0.5, seconds: 1 },
  'page.show': { url: 'http://192.168.1.20/' },
};

/** A body of a command; the caller checks whether it fits. */
export function bodyOf(command: string, schema: Json): unknown {
  return BODIES[command] ?? exampleOf(schema);
}

/** A value of a schema with all that it requires. */
function exampleOf(schema: Json, field = ''): unknown {
  const {
    type,
    enum: values,
    minimum,
    properties = {},
    required = [],
    anyOf,
    oneOf,
  } = schema as {
    type?: string;
    enum?: unknown[];
    minimum?: number;
    properties?: Record<string, Json>;
    required?: string[];
    anyOf?: Json[];
    oneOf?: Json[];
  };
  if ('const' in schema) return schema.const;
  if ('default' in schema) return schema.default;
  if (values) return values[0];
  if (type === 'object') {
    const also = ((oneOf ?? anyOf)?.[0] as { required?: string[] } | undefined)?.required ?? [];
    const names = [...new Set([...required, ...also])];
    return Object.fromEntries(names.map((name) => [name, exampleOf(properties[name] ?? {}, name)]));
  }
  const first = (anyOf ?? oneOf)?.[0];
  if (first) return exampleOf(first, field);
  if (type === 'integer' || type === 'number') return Math.max(1, minimum ?? 1);
  if (type === 'boolean') return true;
  return type === 'array' ? [] : (EXAMPLES[field] ?? 'text');
}
