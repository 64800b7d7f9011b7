import { type FileHandle, open, stat } from 'node:fs/promises';
import { errnoOf, errnoWords } from '../../platform/errno.ts';
import { type Line, linesBackwards, linesForwards } from './journalLines.ts';
import { entryOf, type RecordedEntry } from './recordedEntry.ts';

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
