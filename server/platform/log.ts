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

const DIM = '2';
const COLOURS: Readonly<Record<string, string>> = { fatal: '31;1', error: '31', warn: '33', info: '36' };
/** What a terminal would obey instead of showing it: control characters (ECMA-48), those of eight bits too. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Makes lines for people of the log's JSON lines: time, level, what happened, and the values behind it. What strangers
 * wrote into a value stays text.
 * @param isColoured false where NO_COLOR is set
 */
export class ReadableLog {
  readonly #out: { write(text: string): unknown };
  readonly #paint: (code: string | undefined, text: string) => string;

  constructor(out: { write(text: string): unknown }, isColoured: boolean) {
    this.#out = out;
    this.#paint = (code, text) =>
      isColoured && code !== undefined ? `\u001b[${code}m${text}\u001b[0m` : text;
  }

  write(line: string): void {
    this.#out.write(`${this.#readable(line)}\n`);
  }

  #readable(line: string): string {
    let entry: Record<string, unknown>;
    try {
      entry = JSON.parse(line) as Record<string, unknown>;
    } catch {
      return shown(line.trimEnd());
    }
    const { level, time, msg, err, ...values } = entry;
    const word = String(level);
    const clock = new Date(String(time)).toTimeString().slice(0, 8);
    const head = `${this.#paint(DIM, clock)} ${this.#paint(COLOURS[word], word.padEnd(5))} ${shown(String(msg ?? ''))}`;
    const told = Object.entries(values).map(([name, value]) => `${shown(name)}=${valueText(value)}`);
    const more = told.length === 0 ? '' : `  ${this.#paint(DIM, told.join(' '))}`;
    return `${head}${more}${this.#failure(err)}`;
  }

  /** What failed, with the place where it did. */
  #failure(error: unknown): string {
    if (typeof error !== 'object' || error === null) return '';
    const { stack, message } = error as { stack?: unknown; message?: unknown };
    const lines = String(stack ?? message ?? '').split('\n');
    return lines.map((one) => `\n         ${this.#paint(DIM, shown(one))}`).join('');
  }
}

function valueText(value: unknown): string {
  const written =
    typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : (JSON.stringify(value) ?? '');
  return shown(written);
}

function shown(written: string): string {
  return written.replaceAll(CONTROLS, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
