import type { Clock } from '../../../platform/clock.ts';
import type { Headers } from '../message/headers.ts';
import { type Params, parseNumber, parseParams } from '../message/syntax.ts';

/** RFC 4028 section 5: the shortest interval, in seconds. */
export const MIN_SE = 90;
/** What we request as a caller, in seconds. */
export const SESSION_EXPIRES = 1_800;
const MAX_SE = 2 ** 31 - 1;

interface SessionExpires {
  /** Seconds. */
  readonly seconds: number;
  readonly refresher: 'uac' | 'uas' | undefined;
}

/** @returns undefined if the header is missing or malformed. */
export function sessionExpiresOf(headers: Headers): SessionExpires | undefined {
  const value = headers.get('session-expires');
  if (value === undefined) return undefined;
  const [text, ...rest] = value.split(';');
  const seconds = parseNumber(text!, MAX_SE);
  const params: Params = parseParams(rest.join(';')) ?? new Map();
  const refresher = params.get('refresher')?.toLowerCase();
  if (seconds === undefined) return undefined;
  return { seconds, refresher: refresher === 'uac' || refresher === 'uas' ? refresher : undefined };
}

/** @returns the header's number in seconds; undefined if there is none. */
export function minSeOf(headers: Headers): number | undefined {
  const value = headers.get('min-se');
  return value === undefined ? undefined : parseNumber(value.split(';')[0]!, MAX_SE);
}

/** Refreshes a session, or detects that the other end does not (RFC 4028 section 10). */
export class SessionTimer {
  readonly #clock: Clock;
  readonly #onRefresh: () => void;
  readonly #onExpired: () => void;
  #cancel = (): void => {};

  constructor(clock: Clock, events: { onRefresh: () => void; onExpired: () => void }) {
    this.#clock = clock;
    this.#onRefresh = events.onRefresh;
    this.#onExpired = events.onExpired;
  }

  /**
   * A session of this length starts now. The refresher acts after half of it; the other end ends it shortly before it
   * expires.
   */
  restart(seconds: number, weRefresh: boolean): void {
    this.#cancel();
    const session = Math.max(seconds, MIN_SE);
    const expiry = session - Math.min(32, session / 3);
    const end = this.#after(expiry * 1_000, this.#onExpired);
    const refresh = weRefresh ? this.#after((session / 2) * 1_000, this.#onRefresh) : (): void => {};
    this.#cancel = () => {
      end();
      refresh();
    };
  }

  stop(): void {
    this.#cancel();
    this.#cancel = () => {};
  }

  /** Node's timers are limited to 24 days. */
  #after(milliseconds: number, run: () => void): () => void {
    return this.#clock.after(Math.min(milliseconds, 2 ** 31 - 1), run);
  }
}
