import type { z } from 'zod';
import type { Access } from './access.ts';
import type { ErrorCode } from './errors.ts';

/** Where a command is offered over HTTP. `:name` segments of the path are fields of the params. */
export interface HttpSurface {
  readonly method: 'GET' | 'POST' | 'DELETE' | 'PATCH';
  readonly path: string;
  /** Fields of the params that come from the query; without them the query is ignored. */
  readonly query?: readonly string[];
  /** Longest body in bytes; a longer one is refused unread. Without it 1 MiB, which only callers with a token may send. */
  readonly bodyLimit?: number;
  /** The body is a file instead of JSON, passed on as an `Upload` in this field while it arrives. */
  readonly upload?: {
    readonly field: string;
    readonly types: readonly string[];
    readonly limitBytes: number;
  };
  /**
   * A second form of the call beside JSON, as another standard has it: the body is text of this type in one field, other
   * fields come from the query. It is answered with 201, the path as Location, and one field of the result as text of the
   * same type; PATCH is refused with 405.
   */
  readonly text?: {
    readonly type: string;
    readonly field: string;
    readonly query: readonly string[];
    readonly answer: string;
  };
  /** Fields of the params that come from these headers: `{ passphrase: 'x-passphrase' }`. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Media types of the answer where it is not JSON alone: the result is then the bytes of the first type, a `Media`, or
   * for `text/event-stream` a `Feed`; any other result is sent as JSON.
   */
  readonly answer?: readonly string[];
  /** It is a WebSocket of this subprotocol (RFC 6455), and the result a `Dialogue`. */
  readonly socket?: string;
}

/** An answer that is no JSON. */
export interface Media {
  readonly type: string;
  readonly body: string | Uint8Array | AsyncIterable<Uint8Array>;
  /** The name under which a browser saves it. */
  readonly fileName?: string;
  /** Of a picture: it names this state of it (RFC 9110 section 8.8.3), and a caller who has it gets 304. No cache keeps it. */
  readonly etag?: string;
  /** When a picture was taken, ISO 8601. */
  readonly takenAt?: string;
  /** It has no end of its own: it ends with the token of its caller, and where its reader takes nothing of it. */
  readonly isEndless?: true;
}

/** For the schema of a result that may be no JSON. */
export function isMedia(value: unknown): value is Media {
  return typeof value === 'object' && value !== null && 'type' in value && 'body' in value;
}

/** An answer without an end: stored entries first, then each new one, until the caller is gone. */
export interface Feed<T = unknown> {
  /** Name of its events. */
  readonly event: string;
  /** Sends the stored entries at once, then each new one. @returns the function that ends it */
  open(send: (entry: T) => void): () => void;
}

/** For the schema of a result that is a feed. */
export function isFeed(value: unknown): value is Feed {
  return typeof value === 'object' && value !== null && 'event' in value && 'open' in value;
}

/** The other end of a dialogue. */
export interface Peer {
  /** @param onTaken called once the peer has received it, and everything before it */
  send(message: string | Uint8Array, onTaken?: () => void): void;
}

/** An answer that is a conversation. Its receiver begins it with `open`, and ends it in any case. */
export interface Dialogue {
  open(peer: Peer): void;
  /** A text message of the peer; one that is not understood is ignored. */
  receive(message: string): void;
  end(): void;
}

/** For the schema of a result that is a dialogue. */
export function isDialogue(value: unknown): value is Dialogue {
  return typeof value === 'object' && value !== null && 'receive' in value && 'end' in value;
}

/** A file that is arriving. Reading it throws a FaceplateError when it does not arrive completely. */
export interface Upload {
  /** Bytes that the sender announced; undefined when it announced none. */
  readonly size: number | undefined;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** For the schema of a field that holds an upload: only the surface that receives it can make one, no caller can. */
export function isUpload(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'bytes' in value && 'size' in value;
}

/** Where a command is offered in the page: as a method with positional arguments, or as an action of a message bridge. */
type PageSurface =
  | {
      readonly kind: 'method';
      readonly object: 'container' | 'MobileBridge' | 'sip';
      readonly method: string;
      readonly args: readonly string[];
      /** The promise resolves with this field of the answer, as JSON text, instead of the answer itself. */
      readonly jsonOf?: string;
    }
  | {
      readonly kind: 'action';
      /**
       * The page script of `streamBridge` (preload/streamBridge.ts) calls its actions, and the script that shows the
       * pictures of calls calls those of `sipVideo`; pages call neither.
       */
      readonly object: 'gpioBridge' | 'streamBridge' | 'sipVideo';
      readonly action: string;
      /** Fields that the action sets (`ledOn` is led.on with `on: true`). */
      readonly fixed?: Readonly<Record<string, unknown>>;
    };

/** One thing that a caller can ask for. Surfaces, OpenAPI, page types and docs are made from this alone. */
export interface Command<P extends z.ZodType = z.ZodType, R extends z.ZodType = z.ZodType> {
  /** One sentence for the docs. */
  readonly summary: string;
  readonly params: P;
  readonly result: R;
  /** Its own errors, beyond those of every call (validation, token, INTERNAL, SHUTTING_DOWN). */
  readonly errors: readonly ErrorCode[];
  /** Time limit in milliseconds; past it the caller gets HARDWARE_TIMEOUT and the handler's signal aborts. */
  readonly timeoutMs: number;
  readonly http?: HttpSurface;
  readonly page?: readonly PageSurface[];
  readonly access: Access;
  /** It only reads, although its scope is more than `view`: the journal leaves it out. */
  readonly reads?: true;
  /** What each entry of its feed holds, for the docs. */
  readonly entry?: z.ZodType;
}

/** Who may call without a token sends no more than the contract says: it has to name a limit. */
type Bounded =
  | { readonly access?: Access & { readonly http?: 'token' }; readonly http?: HttpSurface }
  | { readonly access?: Access; readonly http?: HttpSurface & { readonly bodyLimit: number } };

/** Time limit of a command that does not declare one, in milliseconds. */
const DEFAULT_TIMEOUT_MS = 5_000;

/** Declares a command; `timeoutMs` and `errors` have defaults, and `access` is closed unless it is given. */
export function defineCommand<P extends z.ZodType, R extends z.ZodType>(
  command: Omit<Command<P, R>, 'timeoutMs' | 'errors' | 'access' | 'http'> &
    Bounded & {
      timeoutMs?: number;
      errors?: readonly ErrorCode[];
    },
): Command<P, R> {
  return { timeoutMs: DEFAULT_TIMEOUT_MS, errors: [], access: {}, ...command };
}
