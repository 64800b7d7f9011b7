import type { ErrorAnswer } from '../../../contract/errors.ts';
import { store } from '../ui/store.ts';
import { CallError, type EventListener, type Follower, type Panel, type Params } from './panel.ts';
import { type CommandRow, EventText, type PreparedRequest, requestFor, rowOf } from './requests.ts';

/** How often a call without an answer is reported, in milliseconds. */
const WAITING_MS = 2_000;
/** Pauses before a stream that broke is tried again, in milliseconds. */
const AGAIN_MS = [1_000, 2_000, 5_000, 10_000];

interface HttpPanelOptions {
  readonly token: () => string | undefined;
  /** The panel does not know the token any more. */
  readonly onUnknownToken: () => void;
  /** A call has no answer yet; again and again until it has one. */
  readonly onWaiting?: (command: string) => void;
}

/** The door of a browser: the HTTP API, with a token. */
export class HttpPanel implements Panel {
  readonly door = 'browser';
  readonly #options: HttpPanelOptions;

  constructor(options: HttpPanelOptions) {
    this.#options = options;
  }

  async call(command: string, params: Params): Promise<unknown> {
    const response = await this.#waiting(command, this.#fetch(requestFor(mustHave(command), params)));
    return response.json();
  }

  async media(command: string, params: Params): Promise<Blob> {
    const response = await this.#waiting(command, this.#fetch(requestFor(mustHave(command), params)));
    return response.blob();
  }

  // fetch tells nothing of what has left.
  upload(
    command: string,
    params: Params,
    file: Blob,
    onProgress: (part: number) => void,
    signal: AbortSignal,
  ): Promise<unknown> {
    const row = mustHave(command);
    const { method, path, headers } = requestFor(row, params);
    return new Promise((resolve, reject) => {
      const sending = new XMLHttpRequest();
      sending.open(method, path);
      for (const [name, value] of Object.entries(this.#headers(headers)))
        sending.setRequestHeader(name, value);
      sending.setRequestHeader('content-type', row.upload?.type ?? 'application/octet-stream');
      sending.responseType = 'text';
      sending.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0);
      sending.onerror = () => reject(unreachable());
      sending.onabort = () => reject(new CallError('The upload was ended.', 'ABORTED'));
      sending.onload = () => {
        const answer = parsed(sending.responseText);
        if (sending.status < 400) resolve(answer);
        else reject(this.#failure(sending.status, answer as ErrorAnswer));
      };
      signal.addEventListener('abort', () => sending.abort());
      sending.send(file);
    });
  }

  follow(command: string, params: Params, follower: Follower): () => void {
    const row = rowOf(command);
    if (row === undefined) {
      follower.ended(missing(command));
      return () => {};
    }
    return this.#stream(requestFor(row, params), follower, (_, data) => follower.entry(JSON.parse(data)));
  }

  events(listener: EventListener): () => void {
    const request = { method: 'GET', path: '/api/remote/events', headers: {}, body: undefined };
    const follower = { entry: () => {}, open: () => {}, ended: () => {} };
    return this.#stream(request, follower, (event, data) => listener(event, JSON.parse(data)));
  }

  socket(path: string, protocol: string): WebSocket | undefined {
    const token = this.#options.token();
    return token === undefined ? undefined : new WebSocket(path, [protocol, `bearer.${token}`]);
  }

  /** Reads a stream, again and again until it is ended, or refused. */
  #stream(
    request: PreparedRequest,
    follower: Follower,
    onEvent: (event: string, data: string) => void,
  ): () => void {
    const ending = new AbortController();
    let failures = 0;
    const read = async (signal: AbortSignal) => {
      const response = await this.#fetch(request, signal);
      failures = 0;
      follower.open();
      const text = new EventText(onEvent);
      const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
      for (let piece = await reader.read(); !piece.done; piece = await reader.read()) text.push(piece.value);
    };
    const again = async () => {
      while (!ending.signal.aborted) {
        await untilShown(ending.signal);
        const leaving = leavingSignal(ending.signal);
        try {
          await read(leaving.signal);
          if (!ending.signal.aborted) follower.ended(undefined);
        } catch (error) {
          if (ending.signal.aborted) return;
          if (isLeft.get()) continue;
          const isFinal = error instanceof CallError && !AWAY.includes(error.code);
          follower.ended(isFinal ? error : undefined);
          if (isFinal) return;
        } finally {
          leaving.forget();
        }
        await pause(AGAIN_MS[Math.min(failures++, AGAIN_MS.length - 1)]!, ending.signal);
      }
    };
    void again();
    return () => ending.abort();
  }

  async #waiting<R>(command: string, answer: Promise<R>): Promise<R> {
    const timer = setInterval(() => this.#options.onWaiting?.(command), WAITING_MS);
    try {
      return await answer;
    } finally {
      clearInterval(timer);
    }
  }

  async #fetch(request: PreparedRequest, signal?: AbortSignal): Promise<Response> {
    const { method, path, headers, body } = request;
    const response = await fetch(path, {
      method,
      headers: this.#headers(headers),
      cache: 'no-store',
      ...(body !== undefined && { body }),
      ...(signal !== undefined && { signal }),
    }).catch((error: Error) => {
      if (error.name === 'AbortError') throw error;
      if (!isLeft.get()) isReachable.set(false);
      throw unreachable();
    });
    if (response.ok) {
      isReachable.set(true);
      return response;
    }
    const failure = this.#failure(response.status, parsed(await response.text()) as ErrorAnswer);
    isReachable.set(!AWAY.includes(failure.code));
    throw failure;
  }

  #headers(given: Readonly<Record<string, string>>): Record<string, string> {
    const token = this.#options.token();
    return { ...given, ...(token !== undefined && { authorization: `Bearer ${token}` }) };
  }

  #failure(status: number, answer: Partial<ErrorAnswer> | undefined): CallError {
    if (status === 401 && this.#options.token() !== undefined) this.#options.onUnknownToken();
    return new CallError(
      answer?.error ?? `The panel answered with ${status}.`,
      answer?.code ?? `HTTP_${status}`,
      answer?.field,
    );
  }
}

/** Codes of a panel that is not there now. */
const AWAY = ['UNREACHABLE', 'STARTING', 'SHUTTING_DOWN'];

/** Whether the panel answers; a browser learns it by its calls. */
export const isReachable = store(true);

/**
 * Whether a person went on to another page. A browser keeps this one for the way back, with its connections, and has six
 * of them to a host over HTTP/1.1: a stream that stayed open would take one for ever.
 */
export const isLeft = store(false);
globalThis.addEventListener?.('pagehide', () => isLeft.set(true));
globalThis.addEventListener?.('pageshow', () => isLeft.set(false));

/** Resolves as soon as the page is there, or the signal ends it. */
function untilShown(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (!isLeft.get() || signal.aborted) return resolve();
    const done = () => {
      unsubscribe();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const unsubscribe = isLeft.subscribe(() => isLeft.get() || done());
    signal.addEventListener('abort', done);
  });
}

/** A signal that ends with the given one, or when the page is left. */
function leavingSignal(ending: AbortSignal): { readonly signal: AbortSignal; forget(): void } {
  const leaving = new AbortController();
  const leave = () => leaving.abort();
  ending.addEventListener('abort', leave);
  const unsubscribe = isLeft.subscribe(() => isLeft.get() && leave());
  return {
    signal: leaving.signal,
    forget() {
      ending.removeEventListener('abort', leave);
      unsubscribe();
    },
  };
}

function mustHave(command: string): CommandRow {
  const row = rowOf(command);
  if (row === undefined) throw missing(command);
  return row;
}

function missing(command: string): CallError {
  return new CallError(`This version of the panel has no ${command}.`, 'NOT_FOUND');
}

function unreachable(): CallError {
  return new CallError('The panel cannot be reached.', 'UNREACHABLE');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

const KEPT = 'token';

/** Where there is no storage (a private window), the token lives as long as the tab. */
function kept(): string | undefined {
  try {
    return localStorage.getItem(KEPT) ?? undefined;
  } catch {
    return undefined;
  }
}

/** The token of this browser; undefined while it is signed out. */
export const token = store<string | undefined>(kept());
/** Why a person has to sign in again. */
export const signedOutBecause = store<'unknown' | undefined>(undefined);

/** Keeps the token for the next visit. */
export function signIn(given: string): void {
  signedOutBecause.set(undefined);
  try {
    localStorage.setItem(KEPT, given);
  } catch {
    // It stays in memory.
  }
  token.set(given);
}

/** Forgets the token. @param reason why, where it was not the person's wish */
export function signOut(reason?: 'unknown'): void {
  try {
    localStorage.removeItem(KEPT);
  } catch {
    // It was in memory only.
  }
  signedOutBecause.set(reason);
  token.set(undefined);
}
