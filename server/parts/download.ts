import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { FaceplateError } from '../contract/errors.ts';
import type { Clock } from '../platform/clock.ts';
import { errnoOf, errnoWords } from '../platform/errno.ts';
import {
  AddressRefused,
  type ClosedPorts,
  type RequestRules,
  requestChecked,
} from '../platform/net/checkedRequest.ts';

/** Longest time without a byte, in milliseconds. */
const SILENCE_MS = 30_000;
/** Pauses before a transfer that broke is resumed, in milliseconds; after the last one it has failed. */
const PAUSES_MS = [500, 1_000, 2_000, 4_000] as const;

/** Bytes that a connection has to bring so that the tries are counted anew. */
const PROGRESS_BYTES = 1024 ** 2;

/** Room on the disk for one file. It ends with `release`, however much was written. */
interface Room {
  /** Bytes that are written next. @throws FaceplateError STORAGE_FULL */
  take(bytes: number): Promise<void>;
  release(): void;
}

/** A new file, and what bounds it. */
export interface DownloadPlace {
  /** Path of a file that is not there yet. */
  readonly path: string;
  /** Aborts when the caller is gone or the service ends. */
  readonly signal: AbortSignal;
  /** Claims room; undefined when the size is not known. @throws FaceplateError STORAGE_FULL */
  claim(bytes: number | undefined): Promise<Room>;
}

export interface DownloadOptions {
  /** What is fetched, for sentences: `archive`. */
  readonly what: string;
  /** Largest file, in bytes: that of an upload. */
  readonly limitBytes: number;
  readonly closedPorts: ClosedPorts;
  readonly authorities?: readonly string[];
  readonly loginOf?: RequestRules['loginOf'];
  readonly lookup?: RequestRules['lookup'];
  readonly clock: Clock;
  /** Called at each piece, with the bytes so far and the size, null while it is unknown. */
  onProgress(received: number, total: number | null): void;
}

/** It does not arrive; the message is the reason, to stand after a colon. */
class Failed extends Error {}
class TooLarge extends Error {}

/** The line broke in the middle, or the server is not well: another try may help. */
class Broken extends Error {}

/**
 * Fetches a file, over several connections where the line breaks: the rest alone is asked for (RFC 9110
 * sections 13.1.5 and 14.2) where the server names its version of the file by a strong ETag or a date.
 * @returns SHA-256 of the file in hex
 * @throws FaceplateError UPDATE_FAILED, TOO_LARGE, STORAGE_FULL; a system error when writing fails; the reason of the
 * place's signal
 */
export async function download(
  address: string,
  place: DownloadPlace,
  options: DownloadOptions,
): Promise<string> {
  const file = await open(place.path, 'wx', 0o600);
  const transfer = new Transfer(address, file, place, options);
  try {
    return await transfer.run();
  } catch (error) {
    const { what, limitBytes } = options;
    if (error instanceof TooLarge)
      throw new FaceplateError('TOO_LARGE', `The ${what} is larger than ${limitBytes / 1024 ** 2} MiB.`);
    if (!(error instanceof Failed)) throw error;
    const sentence = `The ${what} did not arrive: ${error.message}. Nothing was changed.`;
    throw new FaceplateError('UPDATE_FAILED', sentence, { cause: error.cause });
  } finally {
    transfer.release();
    await file.close();
  }
}

class Transfer {
  readonly #address: string;
  readonly #file: FileHandle;
  readonly #place: DownloadPlace;
  readonly #options: DownloadOptions;
  #room: Awaited<ReturnType<DownloadPlace['claim']>> | undefined;
  #digest: Hash = createHash('sha256');
  #received = 0;
  #hasBegun = false;
  #total: number | null = null;
  /** What names the server's version of the file; undefined where it names none. */
  #validator: string | undefined;

  constructor(address: string, file: FileHandle, place: DownloadPlace, options: DownloadOptions) {
    this.#address = address;
    this.#file = file;
    this.#place = place;
    this.#options = options;
  }

  async run(): Promise<string> {
    let furthest = 0;
    for (let broken = 0; ; broken++) {
      try {
        await this.#connection();
        return this.#digest.digest('hex');
      } catch (error) {
        if (!(error instanceof Broken)) throw error;
        // A line that brings the file further each time may break often.
        if (this.#received >= furthest + PROGRESS_BYTES) broken = 0;
        furthest = Math.max(furthest, this.#received);
        const pause = PAUSES_MS[broken];
        // Where no file ever began, the address is wrong rather than the line bad.
        if (pause === undefined || !this.#hasBegun) throw failed(error.message, error.cause);
        await this.#wait(pause);
      }
    }
  }

  release(): void {
    this.#room?.release();
    this.#room = undefined;
  }

  /** One connection, to the end of the file. @throws Broken, Failed, TooLarge, and those of `download` */
  async #connection(): Promise<void> {
    const silence = new Silence(this.#options.clock, this.#place.signal);
    let response: IncomingMessage | undefined;
    try {
      response = await silence.guard(() => this.#ask(silence.signal));
      await this.#begin(response);
      const chunks = response.iterator();
      for (;;) {
        const { done, value } = await silence.guard(() => chunks.next());
        if (done) break;
        await this.#write(value as Buffer);
      }
      if (this.#total !== null && this.#received < this.#total) throw new Broken('it was cut off');
    } finally {
      silence.end();
      response?.destroy();
    }
  }

  #ask(signal: AbortSignal): Promise<IncomingMessage> {
    const { closedPorts, authorities, loginOf, lookup } = this.#options;
    const resumes = this.#received > 0 && this.#validator !== undefined;
    return requestChecked(this.#address, {
      closedPorts,
      signal,
      loginOf,
      ...(authorities && { authorities }),
      ...(lookup && { lookup }),
      ...(resumes && { headers: { range: `bytes=${this.#received}-`, 'if-range': this.#validator } }),
    });
  }

  /** Judges the head of an answer before its first byte is taken. */
  async #begin({ statusCode = 0, headers }: IncomingMessage): Promise<void> {
    if (statusCode >= 500 || statusCode === 416) {
      if (statusCode === 416) this.#validator = undefined;
      throw new Broken(`the server answers ${statusCode}`);
    }
    if (statusCode !== 200 && statusCode !== 206) throw failed(`the server answers ${statusCode}`);
    // The digest is that of the file, not of a packed form of it.
    if ((headers['content-encoding'] ?? 'identity') !== 'identity')
      throw failed('the server packs its answer although it was not asked to');
    const length = wholeNumber(headers['content-length']);
    if (statusCode === 206) return this.#resume(headers['content-range']);
    await this.#file.truncate(0);
    this.#digest = createHash('sha256');
    this.#received = 0;
    this.#total = length;
    this.#hasBegun = true;
    this.#validator = validatorOf(headers);
    if (length !== null && length > this.#options.limitBytes) throw new TooLarge();
    this.release();
    this.#room = await this.#place.claim(length ?? undefined);
    this.#progress();
  }

  #resume(range = ''): void {
    const [, from, size] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(range) ?? [];
    if (this.#validator === undefined || Number(from) !== this.#received)
      throw failed('the server sends another part of the file than it was asked for');
    const total = wholeNumber(size);
    if (total !== null && this.#total !== null && total !== this.#total)
      throw failed('the file changed while it was fetched');
  }

  async #write(chunk: Buffer): Promise<void> {
    if (this.#received + chunk.length > this.#options.limitBytes) throw new TooLarge();
    await this.#room?.take(chunk.length);
    for (let at = 0; at < chunk.length; )
      at += (await this.#file.write(chunk, at, chunk.length - at, this.#received + at)).bytesWritten;
    this.#digest.update(chunk);
    this.#received += chunk.length;
    this.#progress();
  }

  #progress(): void {
    this.#options.onProgress(this.#received, this.#total);
  }

  async #wait(milliseconds: number): Promise<void> {
    const { signal } = this.#place;
    await new Promise<void>((resolve) => {
      const cancel = this.#options.clock.after(milliseconds, done);
      function done() {
        cancel();
        signal.removeEventListener('abort', done);
        resolve();
      }
      signal.addEventListener('abort', done, { once: true });
      if (signal.aborted) done();
    });
    signal.throwIfAborted();
  }
}

/** Ends a connection that sends nothing for too long. Time counts only while bytes are waited for. */
class Silence {
  readonly signal: AbortSignal;
  readonly #clock: Clock;
  readonly #outer: AbortSignal;
  readonly #ended = new AbortController();
  #cancel = () => {};

  constructor(clock: Clock, outer: AbortSignal) {
    this.#clock = clock;
    this.#outer = outer;
    this.signal = AbortSignal.any([outer, this.#ended.signal]);
  }

  /** @throws the reason of the outer signal, Failed, Broken for all that the network throws */
  async guard<T>(work: () => Promise<T>): Promise<T> {
    this.#cancel = this.#clock.after(SILENCE_MS, () => this.#ended.abort());
    try {
      return await work();
    } catch (error) {
      this.#outer.throwIfAborted();
      if (this.#ended.signal.aborted) throw failed(`nothing came for ${SILENCE_MS / 1000} s`, error);
      if (error instanceof AddressRefused) throw failed(error.message, error);
      const errno = errnoOf(error);
      const words = errno === undefined ? (error as Error).message : errnoWords(errno);
      throw new Broken(words, { cause: error });
    } finally {
      this.end();
    }
  }

  end(): void {
    this.#cancel();
  }
}

/** A strong ETag, else the date: only these two may stand in If-Range (RFC 9110 section 13.1.5). */
function validatorOf(headers: IncomingMessage['headers']): string | undefined {
  const { etag } = headers;
  if (etag !== undefined && !etag.startsWith('W/')) return etag;
  return headers['last-modified'];
}

function wholeNumber(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

function failed(reason: string, cause?: unknown): Failed {
  return new Failed(reason, { cause });
}
