import type { FileHandle } from 'node:fs/promises';

/** Longest line that is looked at, in bytes; an entry has 4 KiB of params and a few names. */
export const MAX_LINE_BYTES = 64 * 1024;
const CHUNK_BYTES = 64 * 1024;
const NEWLINE = 0x0a;

/** A line of a file. */
export interface Line {
  /** From 1 at the top. */
  readonly number: number;
  /** Undefined: it is too long. */
  readonly text: string | undefined;
}

/** The bytes of one line, as far as they were read; of one that is too long none is kept. */
class OpenLine {
  #parts: Buffer[] = [];
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  /** @param part a piece of the chunk, which is used again: what is kept is copied */
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
export async function* linesForwards(file: FileHandle, size: number): AsyncGenerator<Line> {
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
export async function* linesBackwards(file: FileHandle, size: number, count: number): AsyncGenerator<Line> {
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
      // After the last newline there is no line, unless something stands there.
      if (!isBottom || line.bytes > 0) yield { number: number--, text: line.take() };
      isBottom = false;
      end = begin;
    }
  }
  if (size > 0) yield { number, text: line.take() };
}
