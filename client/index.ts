import {
  type CallRow,
  type Commands,
  calls,
  type ErrorCode,
  type Events,
  type Feeds,
  type FileBody,
} from './calls.ts';
import { eventsIn } from './eventStream.ts';

export type { Commands, ErrorCode, Events, Feeds, FileBody } from './calls.ts';

/** Port of a panel whose address names neither it nor a scheme. */
const USUAL_PORT = '8080';

/** Params that may be left out, because the call needs none. */
type Given<P> =
  Record<string, never> extends P ? [params?: P, options?: CallOptions] : [params: P, options?: CallOptions];

interface CallOptions {
  readonly signal?: AbortSignal;
}

interface PanelOptions {
  /** As `POST /api/manage/tokens` or a pairing code gives it. */
  readonly token?: string;
  /** Another `fetch`, such as one with a proxy or with authorities of its own. */
  readonly fetch?: typeof fetch;
}

/** One event of the panel: its name, and what it tells. */
type PanelEvent = {
  [N in keyof Events]: { readonly name: N; readonly payload: Events[N] };
}[keyof Events];

/**
 * The address of a panel as a base of its calls: `192.0.2.7`, `panel:8080` or `https://panel.example`.
 * @throws TypeError for what is no address
 */
export function panelUrl(address: string): URL {
  const url = new URL(/^https?:\/\//i.test(address) ? address : `http://${address}`);
  if (!/^https?:\/\//i.test(address) && !/^(?:\[[^\]]*\]|[^/:?#]*):\d/.test(address)) url.port = USUAL_PORT;
  return new URL(url.origin);
}

/**
 * A panel. Every call is one of docs/api.md:
 *
 * ```ts
 * const panel = new Panel('192.0.2.7', { token });
 * await panel.call('display.set', { on: false });
 * for await (const { name, payload } of panel.events()) console.log(name, payload);
 * ```
 */
export class Panel {
  readonly address: string;
  readonly #token: string | undefined;
  readonly #fetch: typeof fetch;

  /** @throws TypeError for what is no address */
  constructor(address: string, options: PanelOptions = {}) {
    this.address = panelUrl(address).origin;
    this.#token = options.token;
    this.#fetch = options.fetch ?? ((...args) => globalThis.fetch(...args));
  }

  /**
   * Calls a command. Files are bytes, other answers JSON or text.
   * @throws PanelError when the panel refuses, PanelUnreachable, the reason of `signal`
   */
  async call<N extends keyof Commands>(
    command: N,
    ...[params, options]: Given<Commands[N]['params']>
  ): Promise<Commands[N]['result']> {
    return (await this.callAny(
      command,
      (params ?? {}) as Record<string, unknown>,
      options,
    )) as Commands[N]['result'];
  }

  /** As `call`, for names and fields that are known only at run time. @throws TypeError for an unknown command */
  async callAny(
    command: string,
    params: Readonly<Record<string, unknown>>,
    options: CallOptions = {},
  ): Promise<unknown> {
    const response = await this.#ask(rowOf(command), params, options);
    const type = response.headers.get('content-type') ?? '';
    try {
      if (type.startsWith('application/json')) return await response.json();
      if (type.startsWith('text/') || type.startsWith('application/x-ndjson')) return await response.text();
      return new Uint8Array(await response.arrayBuffer());
    } catch (error) {
      options.signal?.throwIfAborted();
      throw this.#lost(error);
    }
  }

  /**
   * Follows a feed: first what is stored, then what happens. It ends with the signal, or with PanelUnreachable when the
   * panel is gone.
   * @throws as `call`
   */
  async *follow<N extends keyof Feeds>(
    feed: N,
    ...[params, options]: Given<Feeds[N]['params']>
  ): AsyncGenerator<Feeds[N]['entry']> {
    for await (const { data } of this.#stream(
      rowOf(feed),
      (params ?? {}) as Record<string, unknown>,
      options,
    ))
      yield JSON.parse(data) as Feeds[N]['entry'];
  }

  /** Follows what happens on the panel; a snapshot comes first. @throws as `call` */
  async *events(options: CallOptions = {}): AsyncGenerator<PanelEvent> {
    const row = { method: 'GET', path: '/api/remote/events' };
    for await (const { event, data } of this.#stream(row, {}, options))
      yield { name: event, payload: JSON.parse(data) } as PanelEvent;
  }

  async *#stream(row: CallRow, params: Readonly<Record<string, unknown>>, options: CallOptions = {}) {
    const response = await this.#ask(row, params, options);
    try {
      if (response.body !== null) yield* eventsIn(response.body as ReadableStream<Uint8Array>);
    } catch (error) {
      options.signal?.throwIfAborted();
      throw this.#lost(error);
    }
    options.signal?.throwIfAborted();
    throw new PanelUnreachable(`${this.address} ended the stream.`);
  }

  async #ask(
    row: CallRow,
    params: Readonly<Record<string, unknown>>,
    { signal }: CallOptions,
  ): Promise<Response> {
    const { url, headers, body } = requestOf(row, params);
    if (this.#token !== undefined) headers.authorization = `Bearer ${this.#token}`;
    let response: Response;
    try {
      response = await this.#fetch(new URL(url, this.address), {
        method: row.method,
        headers,
        redirect: 'error',
        ...(signal && { signal }),
        ...(body !== undefined && { body }),
        // Bodies that are read while they are sent need it (WHATWG Fetch, section 5.3).
        ...(body instanceof ReadableStream && { duplex: 'half' }),
      } as RequestInit);
    } catch (error) {
      signal?.throwIfAborted();
      throw this.#lost(error);
    }
    if (!response.ok) throw await errorOf(response, this.address);
    return response;
  }

  #lost(error: unknown): PanelUnreachable {
    const { message, cause } = error as Error;
    const reason =
      cause instanceof Error ? cause.message || String((cause as { code?: unknown }).code) : message;
    return new PanelUnreachable(`${this.address} cannot be reached: ${reason}.`, error);
  }
}

function rowOf(command: string): CallRow {
  const row = Object.hasOwn(calls, command) ? calls[command as keyof typeof calls] : undefined;
  if (row === undefined) throw new TypeError(`There is no command ${command}.`);
  return row;
}

/** Puts each field of a call where it belongs. */
function requestOf(
  { path, query = [], headers = [], file, method }: CallRow,
  params: Readonly<Record<string, unknown>>,
) {
  const left = { ...params };
  const take = (name: string): unknown => {
    const value = left[name];
    delete left[name];
    return value;
  };
  const place = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = take(name);
    if (value === undefined || value === '') throw new TypeError(`The field "${name}" is needed.`);
    return encodeURIComponent(String(value));
  });
  const search = new URLSearchParams();
  for (const name of query)
    for (const value of [take(name)].flat()) if (value !== undefined) search.append(name, String(value));
  const sent: Record<string, string> = {};
  for (const name of headers) {
    const value = take(name);
    if (value !== undefined) sent[name] = String(value);
  }
  const url = search.size > 0 ? `${place}?${search}` : place;
  if (file !== undefined) {
    sent['content-type'] = file;
    return { url, headers: sent, body: take('body') as FileBody };
  }
  if (method === 'GET' || Object.keys(left).length === 0) return { url, headers: sent, body: undefined };
  sent['content-type'] = 'application/json';
  return { url, headers: sent, body: JSON.stringify(left) };
}

/** The panel refused a call, or failed. */
export class PanelError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  /** Path of the bad field, where there is one. */
  readonly field: string | undefined;

  /** @param status of HTTP */
  constructor(code: ErrorCode, sentence: string, status: number, field?: string) {
    super(sentence);
    this.name = 'PanelError';
    this.code = code;
    this.status = status;
    this.field = field;
  }
}

/** No answer came from a panel, or none that a panel gives. */
export class PanelUnreachable extends Error {
  constructor(sentence: string, cause?: unknown) {
    super(sentence, { cause });
    this.name = 'PanelUnreachable';
  }
}

/** The error that an answer holds. */
async function errorOf(response: Response, address: string): Promise<PanelError | PanelUnreachable> {
  const text = await response.text().catch(() => '');
  try {
    const { error, code, field } = JSON.parse(text) as { error: unknown; code: unknown; field?: unknown };
    if (typeof error === 'string' && typeof code === 'string')
      return new PanelError(
        code as ErrorCode,
        error,
        response.status,
        typeof field === 'string' ? field : undefined,
      );
  } catch {
    // Not one of ours.
  }
  return new PanelUnreachable(`${address} answers ${response.status}, not as a panel does.`);
}
