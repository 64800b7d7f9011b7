import { type FileHandle, mkdir, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { InTurn } from '../../platform/async.ts';
import type { Clock } from '../../platform/clock.ts';
import { StrangerBudget } from '../../platform/limits.ts';
import type { Logger } from '../../platform/log.ts';
import type { JournalEntry } from './contract.ts';

/** How much is stored, and how safely. */
interface Kept {
  /** Bytes of one file. */
  readonly fileBytes: number;
  /** Bytes that are stored at least; the oldest file is removed when the others have as much. */
  readonly keptBytes: number;
  /** Whether each append waits until it is on the disk. */
  readonly isSynced: boolean;
}

const MIB = 1024 * 1024;
/** The journal itself. */
export const OF_CALLERS: Kept = { fileBytes: MIB, keptBytes: 10 * MIB, isSynced: true };
/** What strangers cause: less than 1 MiB in all, also just before the oldest file is removed. */
const OF_STRANGERS: Kept = { fileBytes: MIB / 4, keptBytes: (MIB * 5) / 8, isSynced: false };
const CHUNK_BYTES = 64 * 1024;
const NEWLINE = 0x0a;
/** The place of the time in a line: `{"time":"2026-05-04T12:30:00.000000Z"`. */
const TIME_AT = '{"time":"'.length;
const TIME_LENGTH = '2026-05-04T12:30:00.000000Z'.length;

/** A file of the journal. */
interface Part {
  readonly number: number;
  /** Of its first line; '' while it has none. */
  firstTime: string;
  /** Bytes, as far as they are whole lines. */
  size: number;
}

/** The time of a line, without reading its JSON. */
export function timeOfLine(line: string): string {
  return line.slice(TIME_AT, TIME_AT + TIME_LENGTH);
}

/**
 * The lines of the journal on disk, oldest first in numbered files: only ever appended to, the oldest file removed when
 * there are too many. Every line begins with its time.
 */
export class JournalFiles {
  readonly #folder: string;
  readonly #kept: Kept;
  #parts: Part[] = [];
  #file: FileHandle | undefined;

  constructor(folder: string, kept: Kept) {
    this.#folder = folder;
    this.#kept = kept;
  }

  /** Opens the last file; half a line at its end, as a kill leaves it, is cut off. @throws an errno exception */
  async start(): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const names = (await readdir(this.#folder)).filter((name) => /^\d{8}\.ndjson$/.test(name)).sort();
    this.#parts = await Promise.all(names.map((name) => this.#partOf(name)));
    const last = this.#parts.at(-1);
    if (last === undefined) return;
    const file = await open(this.#pathOf(last.number), 'r+');
    this.#file = file;
    const { size } = last;
    last.size = await wholeLines(file, size);
    if (last.size < size) await file.truncate(last.size);
  }

  async stop(): Promise<void> {
    await this.#file?.close();
    this.#file = undefined;
  }

  /**
   * Adds whole lines: all of them, or none when it throws.
   * @throws an errno exception
   */
  async append(text: string): Promise<void> {
    const bytes = Buffer.from(text);
    const last = this.#parts.at(-1);
    const isFull = last !== undefined && last.size > 0 && last.size + bytes.length > this.#kept.fileBytes;
    if (this.#file === undefined || isFull) await this.#next();
    const file = this.#file!;
    const part = this.#parts.at(-1)!;
    try {
      for (let done = 0; done < bytes.length; ) {
        const { bytesWritten } = await file.write(bytes, done, bytes.length - done, part.size + done);
        done += bytesWritten;
      }
      if (this.#kept.isSynced) await file.datasync();
    } catch (error) {
      // Part of a line may have been written; what begins here is overwritten the next time.
      await file.truncate(part.size).catch(() => undefined);
      throw error;
    }
    if (part.size === 0) part.firstTime = timeOfLine(text);
    part.size += bytes.length;
    await this.#removeOldest();
  }

  /**
   * Lines from the newest to the oldest, a few at a time. Reads from the end, and only as far as it is asked to.
   * @param before leaves out files that hold only this time and later ones
   * @throws an errno exception
   */
  async *backwards(before?: string): AsyncGenerator<readonly string[]> {
    for (const { number, firstTime } of this.#parts.toReversed()) {
      if (before !== undefined && firstTime !== '' && firstTime >= before) continue;
      const file = await open(this.#pathOf(number)).catch((error: NodeJS.ErrnoException) => {
        // Removed since, as the oldest one.
        if (error.code === 'ENOENT') return undefined;
        throw error;
      });
      if (file === undefined) return;
      try {
        yield* linesBackwards(file, (await file.stat()).size);
      } finally {
        await file.close();
      }
    }
  }

  async #next(): Promise<void> {
    const number = (this.#parts.at(-1)?.number ?? 0) + 1;
    const file = await open(this.#pathOf(number), 'w', 0o600);
    await this.#file?.close();
    this.#file = file;
    this.#parts = [...this.#parts, { number, firstTime: '', size: 0 }];
  }

  async #removeOldest(): Promise<void> {
    for (;;) {
      const [oldest, ...rest] = this.#parts;
      if (rest.reduce((sum, { size }) => sum + size, 0) < this.#kept.keptBytes) return;
      this.#parts = rest;
      await rm(this.#pathOf(oldest!.number), { force: true });
    }
  }

  async #partOf(name: string): Promise<Part> {
    const file = await open(join(this.#folder, name));
    try {
      const bytes = Buffer.alloc(TIME_AT + TIME_LENGTH);
      await file.read(bytes, 0, bytes.length, 0);
      const firstTime = timeOfLine(bytes.toString('latin1'));
      return { number: Number(name.slice(0, 8)), firstTime, size: (await file.stat()).size };
    } finally {
      await file.close();
    }
  }

  #pathOf(number: number): string {
    return join(this.#folder, `${String(number).padStart(8, '0')}.ndjson`);
  }
}

/** Bytes up to the end of the last whole line. */
async function wholeLines(file: FileHandle, size: number): Promise<number> {
  for (let end = size; end > 0; ) {
    const begin = Math.max(0, end - CHUNK_BYTES);
    const chunk = Buffer.alloc(end - begin);
    await file.read(chunk, 0, chunk.length, begin);
    const at = chunk.lastIndexOf(NEWLINE);
    if (at >= 0) return begin + at + 1;
    end = begin;
  }
  return 0;
}

async function* linesBackwards(file: FileHandle, size: number): AsyncGenerator<readonly string[]> {
  /** The beginning of what was read: the end of a line whose start is not read yet. */
  let open: Buffer = Buffer.alloc(0);
  for (let end = size; end > 0; ) {
    const begin = Math.max(0, end - CHUNK_BYTES);
    const chunk = Buffer.alloc(end - begin);
    await file.read(chunk, 0, chunk.length, begin);
    const bytes = Buffer.concat([chunk, open]);
    const whole = begin === 0 ? 0 : bytes.indexOf(NEWLINE) + 1;
    open = whole === 0 && begin > 0 ? bytes : bytes.subarray(0, whole);
    if (whole > 0 || begin === 0) {
      const lines = bytes.toString('utf8', whole).split('\n').reverse();
      yield lines.filter((line) => line !== '');
    }
    end = begin;
  }
}

/** Microseconds within a millisecond. */
const PER_MS = 1_000;

/**
 * Times of entries: UTC with microseconds, each later than the one before. Entries of one millisecond are a microsecond
 * apart; while a clock that was set back has not caught up, all are.
 */
export class UniqueTimes {
  readonly #date: () => number;
  #ms = 0;
  #us = 0;

  /** @param date milliseconds since 1970 */
  constructor(date: () => number) {
    this.#date = date;
  }

  /** Begins after a time that was made before. */
  after(time: string): void {
    const ms = Date.parse(time);
    if (Number.isNaN(ms)) return;
    this.#ms = ms;
    this.#us = Number(/\.\d{3}(\d{3})Z$/.exec(time)?.[1] ?? 0);
  }

  next(): string {
    const now = Math.floor(this.#date());
    if (now > this.#ms) {
      this.#ms = now;
      this.#us = 0;
    } else if (++this.#us === PER_MS) {
      this.#ms++;
      this.#us = 0;
    }
    return written(this.#ms, String(this.#us));
  }
}

/** A time of any number of digits as `UniqueTimes` writes it, so that the two can be compared as texts. */
export function normalTime(time: string): string {
  const fraction = /\.(\d+)Z$/.exec(time)?.[1] ?? '';
  const ms = Date.parse(time.replace(/\.\d+Z$/, 'Z'));
  const digits = fraction.slice(0, 6).padEnd(6, '0');
  return written(ms + Number(digits.slice(0, 3)), digits.slice(3));
}

function written(ms: number, us: string): string {
  return `${new Date(ms).toISOString().slice(0, -1)}${us.padStart(3, '0')}Z`;
}

/** Longest line, in bytes. */
const MAX_LINE_BYTES = 300;
/** Most lines that wait for a slow disk: those of ten minutes. With them the files stay below their bound. */
const MOST_WAITING = 310;
/** Characters that stay of each text that a stranger chose, the most that fits. */
const SHORTER = [64, 32, 16, 8, 4, 0];

interface StrangerEntriesOptions {
  readonly folder: string;
  readonly clock: Clock;
  readonly times: UniqueTimes;
  readonly log: Logger;
}

/**
 * The entries of strangers: so many in a minute, short, without params, in files of their own. A caller without a scope
 * neither pushes out the entries of others nor wears out the disk. Written once a minute, and when the panel stops.
 */
export class StrangerEntries {
  readonly #options: StrangerEntriesOptions;
  readonly #files: JournalFiles;
  readonly #budget: StrangerBudget;
  /** Not on the disk yet, oldest first. */
  #waiting: string[] = [];
  readonly #writes = new InTurn();

  constructor(options: StrangerEntriesOptions) {
    this.#options = options;
    this.#files = new JournalFiles(options.folder, OF_STRANGERS);
    this.#budget = new StrangerBudget(options.clock, (dropped) => this.#minuteEnded(dropped));
  }

  /** @throws an errno exception */
  start(): Promise<void> {
    return this.#files.start();
  }

  async stop(): Promise<void> {
    this.#budget.end();
    await this.#writes.idle();
    await this.#files.stop();
  }

  note(call: Omit<JournalEntry, 'time'>): void {
    const { name, address } = call.caller;
    if (this.#budget.take(address ?? name)) this.#push(call);
  }

  /** As `JournalFiles.backwards`, with what is not on the disk yet. */
  async *backwards(before?: string): AsyncGenerator<readonly string[]> {
    const waiting = this.#waiting.toReversed();
    const oldest = waiting.at(-1);
    yield waiting.map((line) => line.trimEnd());
    for await (const lines of this.#files.backwards(before)) {
      // Some of those may have been written meanwhile.
      yield oldest === undefined ? lines : lines.filter((line) => timeOfLine(line) < timeOfLine(oldest));
    }
  }

  #push(call: Omit<JournalEntry, 'time' | 'params'>, params?: object): void {
    if (this.#waiting.length < MOST_WAITING)
      this.#waiting.push(shortLine(this.#options.times.next(), call, params));
  }

  #minuteEnded(dropped: number): void {
    if (dropped > 0) {
      const caller = { id: 'panel', name: 'panel', address: null };
      const counted = { command: 'journal.refused', surface: 'panel', caller, code: 'OK', ms: 0 } as const;
      this.#push(counted, { dropped });
    }
    void this.#writes.follow(() => this.#write(), this.#onLost);
  }

  /** What cannot be written is lost. */
  async #write(): Promise<void> {
    const lines = [...this.#waiting];
    if (lines.length === 0) return;
    await this.#files.append(lines.join('')).catch(this.#onLost);
    // They are read from here until they are in the file.
    this.#waiting = this.#waiting.slice(lines.length);
  }

  readonly #onLost = (error: unknown): void =>
    this.#options.log.warn({ err: error }, 'journal: could not record refused calls');
}

/** An entry as a line of at most 300 bytes. */
function shortLine(
  time: string,
  { command, surface, caller, code, ms }: Omit<JournalEntry, 'time' | 'params'>,
  params: object = {},
): string {
  const lines = SHORTER.map((most) => {
    const { id, name, address } = caller;
    const shown = { id: cut(id, most), name: cut(name, most), address: address && cut(address, most) };
    return `${JSON.stringify({ time, command, surface, caller: shown, params, code, ms })}\n`;
  });
  return lines.find((line) => Buffer.byteLength(line) <= MAX_LINE_BYTES) ?? lines.at(-1)!;
}

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}
