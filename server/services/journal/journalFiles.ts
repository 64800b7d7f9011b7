import { type FileHandle, mkdir, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Bytes of one file. */
const FILE_BYTES = 1024 * 1024;
/** Full files that are kept beside the one that is written: the last 10 MiB. */
const FULL_FILES = 10;
const CHUNK_BYTES = 64 * 1024;
const NEWLINE = 0x0a;
/** Where the time stands in a line: `{"time":"2026-05-04T12:30:00.000000Z"`. */
const TIME_AT = '{"time":"'.length;
const TIME_LENGTH = '2026-05-04T12:30:00.000000Z'.length;

/** A file of the journal: its number, and the time of its first line ('' while it is not known). */
interface Part {
  readonly number: number;
  firstTime: string;
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
  #parts: Part[] = [];
  #file: FileHandle | undefined;
  /** Bytes of the file that is written, as far as they are whole lines. */
  #size = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Opens the last file; half a line at its end, as a kill leaves it, is cut off. @throws an errno exception */
  async start(): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const names = (await readdir(this.#folder)).filter((name) => /^\d{8}\.ndjson$/.test(name)).sort();
    this.#parts = await Promise.all(
      names.map(async (name) => ({
        number: Number(name.slice(0, 8)),
        firstTime: await this.#firstTime(name),
      })),
    );
    const last = this.#parts.at(-1);
    if (last === undefined) return;
    const file = await open(this.#pathOf(last.number), 'r+');
    this.#file = file;
    const { size } = await file.stat();
    this.#size = await wholeLines(file, size);
    if (this.#size < size) await file.truncate(this.#size);
  }

  async stop(): Promise<void> {
    await this.#file?.close();
    this.#file = undefined;
  }

  /**
   * Adds whole lines, synced to the disk: all of them, or none when it throws.
   * @throws an errno exception
   */
  async append(text: string): Promise<void> {
    const bytes = Buffer.from(text);
    if (this.#file === undefined || (this.#size > 0 && this.#size + bytes.length > FILE_BYTES))
      await this.#next();
    const file = this.#file!;
    const part = this.#parts.at(-1)!;
    try {
      for (let done = 0; done < bytes.length; ) {
        const { bytesWritten } = await file.write(bytes, done, bytes.length - done, this.#size + done);
        done += bytesWritten;
      }
      await file.datasync();
    } catch (error) {
      // Part of a line may have been written; what begins here is overwritten the next time.
      await file.truncate(this.#size).catch(() => undefined);
      throw error;
    }
    if (this.#size === 0) part.firstTime = timeOfLine(text);
    this.#size += bytes.length;
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

  /** Begins a new file and removes the oldest. */
  async #next(): Promise<void> {
    const number = (this.#parts.at(-1)?.number ?? 0) + 1;
    const file = await open(this.#pathOf(number), 'w', 0o600);
    await this.#file?.close();
    this.#file = file;
    this.#size = 0;
    this.#parts = [...this.#parts, { number, firstTime: '' }];
    while (this.#parts.length > FULL_FILES + 1) {
      const [oldest, ...rest] = this.#parts;
      this.#parts = rest;
      await rm(this.#pathOf(oldest!.number), { force: true });
    }
  }

  async #firstTime(name: string): Promise<string> {
    const file = await open(join(this.#folder, name));
    try {
      const bytes = Buffer.alloc(TIME_AT + TIME_LENGTH);
      await file.read(bytes, 0, bytes.length, 0);
      return timeOfLine(bytes.toString('latin1'));
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
