/** A command as the app has to know it to call it; the table is made from the contract when the app is built. */
export interface CommandRow {
  readonly method: 'GET' | 'POST' | 'DELETE' | 'PATCH';
  readonly path: string;
  /** What a token must open; null for everyone. */
  readonly scope: string | null;
  readonly query?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly upload?: { readonly field: string; readonly type: string };
  readonly answer?: readonly string[];
  /** Whether pages may call it, by `container.call`. */
  readonly page?: true;
}

declare const COMMANDS: Readonly<Record<string, CommandRow>>;

/** How a command is called; undefined where this version of the panel has none of that name. */
export function rowOf(command: string): CommandRow | undefined {
  return Object.hasOwn(COMMANDS, command) ? COMMANDS[command] : undefined;
}

/** A request as HTTP has it. */
export interface PreparedRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON; undefined without a body. */
  readonly body: string | undefined;
}

/** The request for a call: which params are in the path, the query, headers or the body says the contract. */
export function requestFor(row: CommandRow, params: Readonly<Record<string, unknown>>): PreparedRequest {
  const rest = new Map(Object.entries(params).filter(([, value]) => value !== undefined));
  const take = (name: string) => {
    const value = rest.get(name);
    rest.delete(name);
    return value;
  };
  const path = row.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(take(name) ?? '')));
  const query = new URLSearchParams();
  for (const name of row.query ?? []) {
    const value = take(name);
    if (value !== undefined) query.set(name, String(value));
  }
  const headers: Record<string, string> = {};
  for (const [name, header] of Object.entries(row.headers ?? {})) {
    const value = take(name);
    if (value !== undefined) headers[header] = headerText(String(value));
  }
  const hasBody =
    row.method !== 'GET' && row.upload === undefined && (rest.size > 0 || row.method !== 'DELETE');
  if (hasBody) headers['content-type'] = 'application/json';
  return {
    method: row.method,
    path: query.size > 0 ? `${path}?${query}` : path,
    headers,
    body: hasBody ? JSON.stringify(Object.fromEntries(rest)) : undefined,
  };
}

/** Text for a shell that a person pastes; `$TOKEN` is replaced by the token. */
export function curlFor(row: CommandRow, params: Readonly<Record<string, unknown>>, origin: string): string {
  const { method, path, headers, body } = requestFor(row, params);
  return [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${quoted(origin + path)}`,
    '-H "Authorization: Bearer $TOKEN"',
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${quoted(body)}`]),
  ].join(' \\\n  ');
}

/** The same call in a page of a project; undefined where pages may not make it. */
export function pageCodeFor(
  command: string,
  row: CommandRow,
  params: Readonly<Record<string, unknown>>,
): string | undefined {
  if (row.page !== true) return undefined;
  return `await container.call('${command}', ${JSON.stringify(params)});`;
}

/** In single quotes, as a POSIX shell reads it. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** UTF-8 in a header: each byte is a character there, and a browser refuses all others. */
function headerText(text: string): string {
  return String.fromCharCode(...new TextEncoder().encode(text));
}

/** Reads server-sent events from pieces of text (WHATWG HTML, section 9.2.6), as far as the panel uses them. */
export class EventText {
  readonly #onEvent: (event: string, data: string) => void;
  #rest = '';

  constructor(onEvent: (event: string, data: string) => void) {
    this.#onEvent = onEvent;
  }

  /** Takes the next piece, wherever it was cut. */
  push(text: string): void {
    const blocks = (this.#rest + text).split('\n\n');
    this.#rest = blocks.pop() ?? '';
    for (const block of blocks) this.#read(block);
  }

  #read(block: string): void {
    let event = 'message';
    const data: string[] = [];
    for (const line of block.split('\n')) {
      const [, field, value = ''] = /^(\w*):? ?(.*)$/s.exec(line) ?? [];
      if (field === 'event') event = value;
      else if (field === 'data') data.push(value);
    }
    if (data.length > 0) this.#onEvent(event, data.join('\n'));
  }
}
