import { constants, type FSWatcher, watch } from 'node:fs';
import { type FileHandle, open, opendir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import { MAX_PHOTO_BYTES, type Photo, type PhotoSource, shownKind } from './photo.ts';

interface PhotoFolderOptions {
  readonly path: string;
  readonly clock: Clock;
}

/** So many files are pictures at most; the others are left out. */
const MAX_PHOTOS = 10_000;
/** A folder with more than this is not read to its end. */
const MAX_ENTRIES = 50_000;
/** So many files are opened for one picture. */
const MOST_FILES_OPENED = 50;
/** Copying many files is one change. */
const SETTLE_MS = 1_000;
/** Network drives report no changes, and a folder may be mounted later. */
const RESCAN_MS = 60_000;
/**
 * Follows no link, so that nothing outside the folder is shown, and does not wait for the other end of a pipe.
 */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Made with the first folder: it takes 7 ms, which the start of the service would have to wait for. */
let byName: Intl.Collator | undefined;

/** The pictures of a folder by name, `2` before `10`, without its sub-folders. It is read anew when it changes. */
export class PhotoFolder implements PhotoSource {
  readonly #options: PhotoFolderOptions;
  #names: readonly string[] = [];
  /** Of the picture that was shown last: the next is the one after it, also when others came and went. */
  #last = '';
  #watcher: FSWatcher | undefined;
  #cancelScan = () => {};
  #onChange: (() => void) | undefined;

  constructor(options: PhotoFolderOptions) {
    this.#options = options;
  }

  async start(onChange: () => void): Promise<void> {
    this.#onChange = onChange;
    await this.#scan();
  }

  get count(): number {
    return this.#names.length;
  }

  async next(): Promise<Photo | undefined> {
    const names = this.#names;
    const found = names.findIndex((name) => compare(name, this.#last) > 0);
    const first = Math.max(found, 0);
    for (let tried = 0; tried < Math.min(names.length, MOST_FILES_OPENED); tried++) {
      const name = names[(first + tried) % names.length]!;
      this.#last = name;
      const photo = await openPhoto(join(this.#options.path, name));
      if (photo !== undefined) return photo;
    }
    return undefined;
  }

  stop(): void {
    this.#onChange = undefined;
    this.#cancelScan();
    this.#watcher?.close();
    this.#watcher = undefined;
  }

  async #scan(): Promise<void> {
    const found = await readNames(this.#options.path);
    const names = found ?? [];
    if (this.#onChange === undefined) return;
    this.#watch(found !== undefined);
    this.#scanIn(RESCAN_MS);
    const isSame = names.length === this.#names.length && names.every((name, n) => name === this.#names[n]);
    if (isSame) return;
    this.#names = names;
    this.#onChange();
  }

  #scanIn(milliseconds: number): void {
    this.#cancelScan();
    this.#cancelScan = this.#options.clock.after(milliseconds, () => void this.#scan());
  }

  #watch(isThere: boolean): void {
    if (!isThere) {
      this.#watcher?.close();
      this.#watcher = undefined;
      return;
    }
    if (this.#watcher !== undefined) return;
    try {
      this.#watcher = watch(this.#options.path, { persistent: false }, () => this.#scanIn(SETTLE_MS));
      // The slow look continues.
      this.#watcher.on('error', () => this.#watch(false));
    } catch {
      // As above: no more watches in the system, or a drive that has none.
    }
  }
}

/** Names that differ only in case have an order too. */
function compare(one: string, other: string): number {
  byName ??= new Intl.Collator('en', { numeric: true, sensitivity: 'base' });
  return byName.compare(one, other) || (one < other ? -1 : Number(one > other));
}

/** @returns undefined when there is no such folder */
async function readNames(path: string): Promise<string[] | undefined> {
  const names: string[] = [];
  try {
    let seen = 0;
    for await (const entry of await opendir(await realpath(path))) {
      if (++seen > MAX_ENTRIES || names.length >= MAX_PHOTOS) break;
      if (entry.isFile() && !entry.name.startsWith('.')) names.push(entry.name);
    }
  } catch {
    return undefined;
  }
  return names.sort(compare);
}

/** @returns undefined for what is no picture, too large, gone, not readable or no plain file */
async function openPhoto(path: string): Promise<Photo | undefined> {
  let file: FileHandle | undefined;
  try {
    const opened = await open(path, FLAGS);
    file = opened;
    const facts = await opened.stat();
    if (!facts.isFile() || facts.size > MAX_PHOTO_BYTES) return undefined;
    const kind = await shownKind((offset, length) => readPart(opened, offset, length), facts.size);
    if (kind === undefined) return undefined;
    const body = opened.createReadStream({ start: 0, end: facts.size - 1 });
    file = undefined;
    return { type: kind.type, length: facts.size, body };
  } catch {
    return undefined;
  } finally {
    await file?.close().catch(() => {});
  }
}

async function readPart(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

export interface PhotoAddressesOptions {
  readonly addresses: readonly string[];
  /** @throws Error when it cannot be fetched within these bounds */
  readonly fetch: (
    address: string,
    limits: { maxBytes: number; timeoutMs: number; signal: AbortSignal },
  ) => Promise<{ bytes: Buffer }>;
  readonly log: Logger;
}

/** Until the last byte of one picture. */
const FETCH_MS = 10_000;
/** So many addresses are asked for one picture. */
const MOST_ASKED = 3;
/** Most bytes of fetched pictures that are stored: they are shown while their server does not answer. */
const STORED_BYTES = 32_000_000;

interface Fetched {
  readonly type: string;
  readonly bytes: Buffer;
}

/**
 * Pictures at addresses. Each is fetched when its turn comes, so that an address may have another picture each time;
 * while it cannot be loaded, the last one from there replaces it.
 */
export class PhotoAddresses implements PhotoSource {
  readonly #options: PhotoAddressesOptions;
  /** The one that was shown last is the last. */
  readonly #fetched = new Map<string, Fetched>();
  readonly #failing = new Set<string>();
  #end = new AbortController();
  #next = 0;

  constructor(options: PhotoAddressesOptions) {
    this.#options = options;
  }

  /** Addresses do not change by themselves. */
  async start(): Promise<void> {
    this.#end = new AbortController();
  }

  get count(): number {
    return this.#options.addresses.length;
  }

  async next(): Promise<Photo | undefined> {
    const { signal } = this.#end;
    for (let tried = 0; tried < Math.min(this.count, MOST_ASKED) && !signal.aborted; tried++) {
      const address = this.#options.addresses[this.#next % this.count]!;
      this.#next = (this.#next + 1) % this.count;
      const found = (await this.#fetch(address, signal)) ?? this.#fetched.get(address);
      if (found !== undefined) return { type: found.type, length: found.bytes.length, body: found.bytes };
    }
    return undefined;
  }

  stop(): void {
    this.#end.abort();
    this.#fetched.clear();
  }

  async #fetch(address: string, signal: AbortSignal): Promise<Fetched | undefined> {
    const limits = { maxBytes: MAX_PHOTO_BYTES, timeoutMs: FETCH_MS, signal };
    try {
      const { bytes } = await this.#options.fetch(address, limits);
      const kind = await shownKind(async (at, length) => bytes.subarray(at, at + length), bytes.length);
      if (kind === undefined) throw new Error('It is no picture that a browser shows, or it is too large.');
      this.#failing.delete(address);
      const picture = { type: kind.type, bytes };
      if (!signal.aborted) this.#store(address, picture);
      return picture;
    } catch (error) {
      if (!this.#failing.has(address) && !signal.aborted)
        this.#options.log.warn({ err: error, host: hostOf(address) }, 'saver: could not fetch a photo');
      this.#failing.add(address);
      return undefined;
    }
  }

  #store(address: string, picture: Fetched): void {
    this.#fetched.delete(address);
    this.#fetched.set(address, picture);
    let sum = [...this.#fetched.values()].reduce((total, { bytes }) => total + bytes.length, 0);
    for (const [oldest, { bytes }] of this.#fetched) {
      if (sum <= STORED_BYTES) break;
      this.#fetched.delete(oldest);
      sum -= bytes.length;
    }
  }
}

/** The rest of an address may hold a secret. */
function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host : '';
}
