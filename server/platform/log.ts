import { type DestinationStream, type Logger, pino } from 'pino';
import type { Feed } from '../contract/command.ts';
import { FaceplateError } from '../contract/errors.ts';
import type { LogEntry, LogLineLevel } from '../parts/log/contract.ts';
import { withoutLogins } from './redaction.ts';

export type { Logger };

/** What a log line says, `<subject>: <what happened>`; `npm run check` knows the subjects. Values are fields. */
export type LogLine = `${string}: ${string}`;

/** Fields that never reach a log line, at any place in an object of depth two. */
const SECRET_FIELDS = ['authorization', 'token', 'password', 'command', 'url', 'sdp', 'hex', 'text', 'data'];

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
type LogLevel = (typeof LOG_LEVELS)[number];

/** The service's log: JSON lines on standard error, secrets redacted, logins in addresses masked. */
export function createLogger(
  level: LogLevel,
  destination: { write(line: string): unknown } = process.stderr,
): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: SECRET_FIELDS.flatMap((field) => [field, `*.${field}`]), censor: '[redacted]' },
      hooks: { streamWrite: withoutLogins },
    },
    destination as DestinationStream,
  );
}

/** A logger without output, for tests and benchmarks. */
export function silentLogger(): Logger {
  return pino({ level: 'silent' });
}

/** Callers who may follow one feed at one time. */
const MAX_READERS = 32;

/** The last entries of an endless list, and its followers. */
export class Tail<T> {
  readonly #length: number;
  #kept: T[] = [];
  readonly #readers = new Set<(entry: T) => void>();
  #isTelling = false;

  /** @param length the most entries that are stored */
  constructor(length: number) {
    this.#length = length;
  }

  /** Stores an entry and sends it to all followers. What they cause by this is stored, but not sent to them again. */
  add(entry: T): void {
    this.#kept.push(entry);
    // Cut rarely: moving a long array costs as much for one entry as for many.
    if (this.#kept.length >= 2 * this.#length) this.#kept = this.#kept.slice(-this.#length);
    if (this.#isTelling || this.#readers.size === 0) return;
    this.#isTelling = true;
    try {
      for (const read of this.#readers) read(entry);
    } finally {
      this.#isTelling = false;
    }
  }

  /** The stored entries, oldest first. */
  get kept(): readonly T[] {
    return this.#kept.slice(-this.#length);
  }

  /**
   * The stored entries, then each new one.
   * @param choose makes of an entry what the reader gets; undefined leaves it out
   * @throws FaceplateError CONFLICT when too many follow already
   */
  feed<E>(event: string, choose: (entry: T) => E | undefined): Feed<E> {
    if (this.#readers.size >= MAX_READERS)
      throw new FaceplateError('CONFLICT', `At most ${MAX_READERS} callers can follow this at one time.`);
    return {
      event,
      open: (send) => {
        const read = (entry: T): void => {
          const chosen = choose(entry);
          if (chosen !== undefined) send(chosen);
        };
        for (const entry of this.kept) read(entry);
        this.#readers.add(read);
        return () => this.#readers.delete(read);
      },
    };
  }
}

const KEPT = 500;
/** Characters of the longest line that is not cut. */
const LONGEST = 16 * 1024;

const GRAVITY: Readonly<Record<LogLineLevel, number>> = {
  fatal: 60,
  error: 50,
  warn: 40,
  info: 30,
  debug: 20,
  trace: 10,
};

/** Passes the log on, and keeps its last 500 lines for those who read it over the API: redacted, as they are written. */
export class LogTail {
  readonly #out: { write(line: string): unknown };
  readonly #lines = new Tail<string>(KEPT);

  constructor(out: { write(line: string): unknown } = process.stderr) {
    this.#out = out;
  }

  /** Takes one line of the log. */
  write(line: string): void {
    this.#out.write(line);
    this.#lines.add(line.length > LONGEST ? shortened(line) : line);
  }

  /**
   * The stored lines and each new one, of this level and graver ones.
   * @throws FaceplateError CONFLICT when too many follow the log already
   */
  feed(level: LogLineLevel = 'trace'): Feed<LogEntry> {
    return this.#lines.feed('log', (line) => {
      const entry = JSON.parse(line) as LogEntry;
      return GRAVITY[entry.level] >= GRAVITY[level] ? entry : undefined;
    });
  }
}

/** Without the fields: they are what makes a line long. */
function shortened(line: string): string {
  const { time, level, msg = '' } = JSON.parse(line) as LogEntry;
  return JSON.stringify({ time, level, msg: msg.slice(0, LONGEST / 2), shortened: true });
}
