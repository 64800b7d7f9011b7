import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { FaceplateError } from '../contract/errors.ts';
import { errnoOf, errnoWords } from '../observe/errno.ts';
import type { Logger } from '../observe/log.ts';
import { syncFolder } from './syncFolder.ts';

interface StateFileOptions<T> {
  readonly path: string;
  /** A schema of the contract: returns the checked value or throws. */
  readonly schema: { parse(value: unknown): T };
  readonly defaults: T;
  readonly log: Logger;
}

interface Waiter {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * One JSON value that survives kill -9 and loss of power: every write goes to a temporary file of the same folder,
 * is synced, renamed over the old one, and the folder is synced (rename(2): the name always holds a whole file).
 */
export class StateFile<T> {
  readonly #options: StateFileOptions<T>;
  #value: T;
  /** Text known to be on disk; null where there is none or it is not known. */
  #onDisk: string | null = null;
  #wanted: { value: T; text: string } | undefined;
  #waiters: Waiter[] = [];
  #writing = false;

  constructor(options: StateFileOptions<T>) {
    this.#options = options;
    this.#value = options.defaults;
  }

  /** The value that is on disk, or the defaults. */
  get value(): T {
    return this.#value;
  }

  /** Reads the file. Never fails: a file that cannot be used is set aside, logged, and replaced by the defaults. */
  async load(): Promise<T> {
    const { path, schema, defaults, log } = this.#options;
    this.#value = defaults;
    this.#onDisk = null;
    try {
      this.#value = schema.parse(JSON.parse(await readFile(path, 'utf8')));
      this.#onDisk = toText(this.#value);
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return this.#value;
      const aside = `${path}.corrupt-${new Date().toISOString().replaceAll(':', '-')}`;
      log.error(
        { file: path, aside, err: error },
        'state file cannot be used; the defaults are used instead',
      );
      await rename(path, aside).catch((failure: unknown) =>
        log.error({ file: path, err: failure }, 'state file could not be set aside'),
      );
    }
    return this.#value;
  }

  /**
   * Resolves when this value, or a newer one, is on disk. Calls that come while a write runs share the next one;
   * what is on disk already is not written again.
   * @throws FaceplateError STORAGE_FULL; `value` is then what it was before
   */
  save(value: T): Promise<void> {
    this.#wanted = { value, text: toText(value) };
    return new Promise((resolve, reject) => {
      this.#waiters.push({ resolve, reject });
      if (!this.#writing) void this.#writeAll();
    });
  }

  async #writeAll(): Promise<void> {
    this.#writing = true;
    while (this.#wanted) {
      const wanted = this.#wanted;
      const waiters = this.#waiters;
      this.#wanted = undefined;
      this.#waiters = [];
      try {
        if (wanted.text !== this.#onDisk) await this.#write(wanted.text);
        this.#value = wanted.value;
        for (const waiter of waiters) waiter.resolve();
      } catch (error) {
        const refusal = this.#refusal(error);
        for (const waiter of waiters) waiter.reject(refusal);
      }
    }
    this.#writing = false;
  }

  async #write(text: string): Promise<void> {
    const { path } = this.#options;
    const folder = dirname(path);
    const temporary = `${path}.tmp`;
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const file = await open(temporary, 'w', 0o600);
      try {
        await file.writeFile(text);
        await file.sync();
      } finally {
        await file.close();
      }
      this.#onDisk = null;
      await rename(temporary, path);
      await syncFolder(folder);
      this.#onDisk = text;
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => undefined);
      throw error;
    }
  }

  #refusal(error: unknown): unknown {
    const errno = errnoOf(error);
    if (errno === undefined) return error;
    this.#options.log.error({ file: this.#options.path, err: error }, 'state file could not be written');
    const name = basename(this.#options.path);
    return new FaceplateError(
      'STORAGE_FULL',
      `The state file ${name} could not be written: ${errnoWords(errno)}. Nothing was changed.`,
      { cause: error },
    );
  }
}

function toText(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}
