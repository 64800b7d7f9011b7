import { type FileHandle, open, stat } from 'node:fs/promises';
import { errnoOf, errnoWords } from '../../platform/errno.ts';

/** Why a replay cannot begin, as a sentence for the person who started it. */
export class ReplayError extends Error {
  constructor(sentence: string) {
    super(sentence);
    this.name = 'ReplayError';
  }
}

/** A line of a journal: an entry, or what is wrong with it. */
export interface Recorded {
  /** Its number in the file. */
  readonly line: number;
  readonly entry?: RecordedEntry;
  readonly trouble?: 'no entry' | 'too long';
}

/** What a first look at the file tells. */
interface Facts {
  /** Bytes that are read: a journal that grows meanwhile, such as our own, is not followed. */
  readonly size: number;
  readonly lines: number;
  readonly entries: number;
  /** As the API gives it; the files of a panel have the oldest entry first. */
  readonly isNewestFirst: boolean;
}

/** The journal of a panel in a file, of which any part may be damaged. Read as a stream, oldest entry first. */
export class RecordedJournal {
  readonly facts: Facts;
  readonly #file: FileHandle;

  private constructor(file: FileHandle, facts: Facts) {
    this.#file = file;
    this.facts = facts;
  }

  /** @throws ReplayError when there is no such file, or no entry in it */
  static async open(path: string): Promise<RecordedJournal> {
    const file = await opened(path);
    try {
      const facts = await looked(file);
      if (facts.size === 0) throw new ReplayError(`${path} is empty.`);
      if (facts.entries === 0)
        throw new ReplayError(
          `${path} holds no entry of a journal. GET /api/manage/journal?format=ndjson gives one entry in each line.`,
        );
      return new RecordedJournal(file, facts);
    } catch (error) {
      await file.close();
      throw sentenceOf(path, error);
    }
  }

  /** All lines but empty ones. @throws an errno exception */
  async *read(): AsyncGenerator<Recorded> {
    const { size, lines, isNewestFirst } = this.facts;
    const all = isNewestFirst ? linesBackwards(this.#file, size, lines) : linesForwards(this.#file, size);
    for await (const line of all) {
      const recorded = recordedOf(line);
      if (recorded !== undefined) yield recorded;
    }
  }

  /** Safe to call twice. */
  async close(): Promise<void> {
    await this.#file.close();
  }
}

async function opened(path: string): Promise<FileHandle> {
  try {
    const found = await stat(path);
    if (found.isDirectory())
      throw new ReplayError(
        `${path} is a folder. Put its files together first: cat ${path}/*.ndjson > journal.ndjson`,
      );
    // A pipe would wait for its writer for ever.
    if (!found.isFile()) throw new ReplayError(`${path} is no file.`);
    return await open(path);
  } catch (error) {
    throw sentenceOf(path, error);
  }
}

function sentenceOf(path: string, error: unknown): unknown {
  const errno = errnoOf(error);
  if (errno === undefined) return error;
  if (errno === 'ENOENT') return new ReplayError(`There is no file ${path}.`);
  return new ReplayError(`${path} cannot be read: ${errnoWords(errno)}.`);
}

/** Reads the whole file once: how many lines and entries it has, and in which order. */
async function looked(file: FileHandle): Promise<Facts> {
  const { size } = await file.stat();
  let lines = 0;
  let entries = 0;
  /** Steps from a line to a later time, minus those to an earlier one: damage turns a few of them. */
  let rising = 0;
  let before = Number.NaN;
  let beforeText = '';
  for await (const line of linesForwards(file, size)) {
    lines = line.number;
    const entry = recordedOf(line)?.entry;
    if (entry === undefined) continue;
    entries++;
    // Times of one millisecond differ in their microseconds.
    if (entry.at > before || (entry.at === before && entry.time > beforeText)) rising++;
    if (entry.at < before || (entry.at === before && entry.time < beforeText)) rising--;
    before = entry.at;
    beforeText = entry.time;
  }
  return { size, lines, entries, isNewestFirst: rising < 0 };
}

/** @returns undefined for an empty line */
function recordedOf({ number, text }: Line): Recorded | undefined {
  if (text === undefined) return { line: number, trouble: 'too long' };
  if (text.trim() === '') return undefined;
  const entry = entryOf(text);
  return entry === undefined ? { line: number, trouble: 'no entry' } : { line: number, entry };
}

/** How deep params may be nested: those of the contract are flat. */
const MAX_DEPTH = 32;
const UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/;

/** What is used of an entry of a journal. */
export interface RecordedEntry {
  readonly time: string;
  /** The same in milliseconds since 1970. */
  readonly at: number;
  readonly command: string;
  /** Whose call it was. */
  readonly caller: string;
  readonly params: unknown;
  /** `OK`, or the code of the error. */
  readonly code: string;
  /** How long it took, in milliseconds. */
  readonly ms: number;
}

/**
 * Reads a line of a journal, also one of a later version: fields that are not known here are left aside.
 * @returns undefined when it is no entry
 */
export function entryOf(line: string): RecordedEntry | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { time, command, caller, params, code, ms } = value as Partial<Record<keyof RecordedEntry, unknown>>;
  if (typeof time !== 'string' || typeof command !== 'string' || typeof code !== 'string') return undefined;
  const at = UTC.test(time) ? Date.parse(time) : Number.NaN;
  if (Number.isNaN(at) || !isFlatterThan(params, MAX_DEPTH)) return undefined;
  const name = (caller as { name?: unknown } | null | undefined)?.name;
  return {
    time,
    at,
    command,
    caller: typeof name === 'string' ? name : '',
    params,
    code,
    ms: typeof ms === 'number' && ms > 0 ? ms : 0,
  };
}

function isFlatterThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((child) => isFlatterThan(child, levels - 1));
}

/** Longest line that is looked at, in bytes; an entry has 4 KiB of params and a few names. */
export const MAX_LINE_BYTES = 64 * 1024;
const CHUNK_BYTES = 64 * 1024;
const NEWLINE = 0x0a;

/** A line of a file. */
interface Line {
  /** From 1 at the top. */
  readonly number: number;
  /** Undefined: it is too long. */
  readonly text: string | undefined;
}

/** The bytes of one line, as far as they were read; of one that is too long none is stored. */
class OpenLine {
  #parts: Buffer[] = [];
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  /** @param part a piece of the chunk, which is used again: what is stored is copied */
  add(part: Buffer, atFront: boolean): void {
    this.#bytes += part.length;
    if (this.#bytes > MAX_LINE_BYTES) this.#parts = [];
    else if (part.length > 0) this.#parts[atFront ? 'unshift' : 'push'](Buffer.from(part));
  }

  /** Its text; another line begins. */
  take(): string | undefined {
    const text = this.#bytes > MAX_LINE_BYTES ? undefined : Buffer.concat(this.#parts).toString();
    this.#parts = [];
    this.#bytes = 0;
    return text;
  }
}

/**
 * The lines of the first `size` bytes, from the top. Holds one chunk and one line in memory.
 * @throws an errno exception
 */
async function* linesForwards(file: FileHandle, size: number): AsyncGenerator<Line> {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  const line = new OpenLine();
  let number = 0;
  for (let at = 0; at < size; ) {
    const { bytesRead } = await file.read(chunk, 0, Math.min(CHUNK_BYTES, size - at), at);
    // Cut by somebody meanwhile.
    if (bytesRead === 0) break;
    at += bytesRead;
    let begin = 0;
    for (;;) {
      const end = chunk.subarray(0, bytesRead).indexOf(NEWLINE, begin);
      if (end < 0) break;
      line.add(chunk.subarray(begin, end), false);
      yield { number: ++number, text: line.take() };
      begin = end + 1;
    }
    line.add(chunk.subarray(begin, bytesRead), false);
  }
  if (line.bytes > 0) yield { number: ++number, text: line.take() };
}

/**
 * The same lines from the bottom.
 * @param count how many lines there are
 * @throws an errno exception
 */
async function* linesBackwards(file: FileHandle, size: number, count: number): AsyncGenerator<Line> {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  const line = new OpenLine();
  let number = count;
  let isBottom = true;
  for (let at = size; at > 0; ) {
    const wanted = Math.min(CHUNK_BYTES, at);
    at -= wanted;
    const { bytesRead } = await file.read(chunk, 0, wanted, at);
    let end = bytesRead;
    for (;;) {
      const begin = end === 0 ? -1 : chunk.lastIndexOf(NEWLINE, end - 1);
      line.add(chunk.subarray(begin + 1, end), true);
      if (begin < 0) break;
      // After the last newline there is no line, unless bytes follow.
      if (!isBottom || line.bytes > 0) yield { number: number--, text: line.take() };
      isBottom = false;
      end = begin;
    }
  }
  if (size > 0) yield { number, text: line.take() };
}
