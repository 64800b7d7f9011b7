import type { z } from 'zod';
import type { ErrorCode } from './errors.ts';

/** Where a command is offered over HTTP. `:name` segments of the path are fields of the params. */
export interface HttpSurface {
  readonly method: 'GET' | 'POST' | 'DELETE' | 'PATCH';
  readonly path: string;
  /** Fields of the params that stand in the query; without it the query is not looked at. */
  readonly query?: readonly string[];
  /** The body is no JSON but a file, handed on as an `Upload` in this field while it arrives. */
  readonly upload?: {
    readonly field: string;
    readonly types: readonly string[];
    readonly limitBytes: number;
  };
  /** Media type of the answer's bytes; without it the answer is JSON. */
  readonly answer?: 'image/png';
}

/** A file that is arriving. Reading it throws a FaceplateError where it does not come whole. */
export interface Upload {
  /** Bytes that the sender announced; undefined where it did not. */
  readonly size: number | undefined;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** For the schema of a field that holds an upload: the surface that received it has made it, no caller can. */
export function isUpload(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'bytes' in value && 'size' in value;
}

/** Where a command is offered in the page: as a method with positional arguments, or as an action of a message bridge. */
export type PageSurface =
  | {
      readonly kind: 'method';
      readonly object: 'container' | 'MobileBridge' | 'sip';
      readonly method: string;
      readonly args: readonly string[];
      /** The promise is of this field of the answer, as JSON text, instead of the answer itself. */
      readonly jsonOf?: string;
    }
  | {
      readonly kind: 'action';
      /**
       * The actions of `streamBridge` are called by its page script (preload/streamBridge.ts), those of `sipVideo` by the
       * one that shows the pictures of calls; neither by pages.
       */
      readonly object: 'gpioBridge' | 'streamBridge' | 'sipVideo';
      readonly action: string;
      /** Fields the action stands for (`ledOn` is led.on with `on: true`). */
      readonly fixed?: Readonly<Record<string, unknown>>;
    };

/** One thing a caller can ask for. Surfaces, OpenAPI, page types and docs are made from this and nothing else. */
export interface Command<P extends z.ZodType = z.ZodType, R extends z.ZodType = z.ZodType> {
  /** One sentence for the docs. */
  readonly summary: string;
  readonly params: P;
  readonly result: R;
  /** Errors of its own, beyond those that every call can meet (validation, token, INTERNAL, SHUTTING_DOWN). */
  readonly errors: readonly ErrorCode[];
  /** Time limit in milliseconds; past it the caller gets HARDWARE_TIMEOUT and the handler's signal aborts. */
  readonly timeoutMs: number;
  readonly http?: HttpSurface;
  readonly page?: readonly PageSurface[];
  /** Setting that has to be on before a page may call it; else FORBIDDEN. */
  readonly pageNeeds?: 'bridge.allowInstall';
  /** Offered on the settings page: also while it is locked, or only behind the PIN. */
  readonly settingsPage?: 'locked' | 'unlocked';
}

/** Time limit of a command that does not declare one, in milliseconds. */
const DEFAULT_TIMEOUT_MS = 5_000;

/** Declares a command; `timeoutMs` and `errors` have defaults. */
export function defineCommand<P extends z.ZodType, R extends z.ZodType>(
  command: Omit<Command<P, R>, 'timeoutMs' | 'errors'> & {
    timeoutMs?: number;
    errors?: readonly ErrorCode[];
  },
): Command<P, R> {
  return { timeoutMs: DEFAULT_TIMEOUT_MS, errors: [], ...command };
}
