import { readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf } from '../errno.ts';
import type { Logger } from '../log.ts';
import {
  type KnownPart,
  knownPart,
  readStored,
  type Schema,
  type StateStep,
  type StoredValue,
  stepped,
  storedText,
} from './storedValue.ts';
import { keepCopy, storageRefusal, writeWhole } from './wholeFile.ts';

/** How many names of ignored values one log line lists. */
const MAX_NAMES = 20;

/** What is stored in a state file; its service declares it once, for its own reading and for a backup's. */
export interface StateKind<T> {
  /** The file is `<dataDir>/<name>.json`. */
  readonly name: string;
  readonly schema: Schema<T>;
  readonly defaults: T;
  /**
   * The steps that make version 2 of version 1, version 3 of version 2 and so on. Without a step the file is of version
   * 1.
   */
  readonly steps?: readonly StateStep[];
  /** Whether an unusable file stays in its place, so that the next start does not take it for a missing one either. */
  readonly keepUnusable?: true;
}

interface StateFileOptions<T> extends Omit<StateKind<T>, 'name'> {
  readonly path: string;
  readonly log: Logger;
}

/** Whether a text is what a service of this version, or of an earlier one, writes. */
export function isStateOf<T>({ schema, defaults, steps = [] }: StateKind<T>, text: string): boolean {
  try {
    const stored = readStored(text);
    const value = stepped(stored, steps);
    if (stored.latest <= Math.min(stored.version, 1 + steps.length)) schema.parse(value);
    else if (knownPart(schema, value, defaults).unfit.length > 0) return false;
    return true;
  } catch {
    return false;
  }
}

interface Waiter {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * One JSON value that survives kill -9, loss of power and changes of version. A value of an earlier version is migrated
 * step by step. Of a later version the known part is used; the rest is logged, ignored and stays in the file. Before a
 * version overwrites another version's text it keeps a copy.
 */
export class StateFile<T> {
  readonly #options: StateFileOptions<T>;
  /** The version that is written. */
  readonly #version: number;
  #value: T;
  /** The text that is known to be on disk; null when there is none or it is not known. */
  #onDisk: string | null = null;
  /** The text of another version, until it has been copied. */
  #uncopied: { text: string; version: number } | undefined;
  /** What was read of a later version: new values are written into it. */
  #later: { stored: StoredValue; part: KnownPart<T> } | undefined;
  #wanted: { value: T; text: string } | undefined;
  #waiters: Waiter[] = [];
  #writing = false;
  #isUsable = true;
  #isWhole = true;

  constructor(options: StateFileOptions<T>) {
    this.#options = options;
    this.#version = 1 + (options.steps?.length ?? 0);
    this.#value = options.defaults;
  }

  /** The file of a kind. */
  static of<T>({ name, ...kind }: StateKind<T>, dataDir: string, log: Logger): StateFile<T> {
    return new StateFile({ ...kind, path: join(dataDir, `${name}.json`), log });
  }

  /** The value that is on disk, or the defaults. */
  get value(): T {
    return this.#value;
  }

  /** False after `load` of a file that is there and cannot be used, until a value is saved. */
  get isUsable(): boolean {
    return this.#isUsable;
  }

  /** False after `load` of a file that holds more than `value` shows. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /**
   * Reads the file, and migrates an earlier version. Never fails: an unusable file is set aside, logged, and replaced
   * by the defaults.
   */
  async load(): Promise<T> {
    const { path, defaults, log } = this.#options;
    this.#value = defaults;
    this.#onDisk = null;
    this.#uncopied = undefined;
    this.#later = undefined;
    this.#isUsable = true;
    this.#isWhole = true;
    try {
      const text = await readFile(path, 'utf8');
      const stored = readStored(text);
      if (stored.version !== this.#version) this.#uncopied = { text, version: stored.version };
      this.#value = this.#understood(stored);
      this.#onDisk = text;
      if (stored.version < this.#version) {
        const isWritten = await this.save(this.#value).then(
          () => true,
          () => false,
        );
        if (isWritten)
          log.info({ file: path, from: stored.version, to: this.#version }, 'storage: state file migrated');
      }
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') await this.#giveUp(error);
    }
    return this.#value;
  }

  /**
   * Resolves when this value, or a newer one, is on disk. Calls during a write share the next write; a value that is
   * already on disk is not written again.
   * @throws FaceplateError STORAGE_FULL; `value` is then what it was before
   */
  save(value: T): Promise<void> {
    this.#wanted = { value, text: this.#textOf(value) };
    return new Promise((resolve, reject) => {
      this.#waiters.push({ resolve, reject });
      if (!this.#writing) void this.#writeAll();
    });
  }

  /** @throws what the schema or a step throws, when the value is damaged */
  #understood(stored: StoredValue): T {
    const { path, schema, defaults, steps = [], keepUnusable, log } = this.#options;
    const value = stepped(stored, steps);
    // Even when an earlier version wrote last: additions of a later one are still there.
    const isMixed = stored.latest > Math.min(stored.version, this.#version);
    if (!isMixed) return schema.parse(value);
    const part = knownPart(schema, value, defaults);
    const ignored = [...part.unknown, ...part.unfit];
    if (keepUnusable && part.unfit.length > 0) throw new Error(`does not fit: ${namesOf(part.unfit)}`);
    this.#isWhole = ignored.length === 0;
    if (stored.latest > this.#version) this.#later = { stored, part };
    const { version, latest } = stored;
    if (ignored.length === 0) return part.value;
    log.warn(
      {
        file: path,
        version,
        latest,
        ours: this.#version,
        ignored: namesOf(ignored),
        kept: this.#later !== undefined,
      },
      'storage: state file of a later version, unknown parts are ignored',
    );
    return part.value;
  }

  async #giveUp(error: unknown): Promise<void> {
    const { path, keepUnusable, log } = this.#options;
    this.#isUsable = false;
    this.#isWhole = false;
    if (keepUnusable) {
      log.error({ file: path, err: error }, 'storage: state file is not usable and stays unchanged');
      return;
    }
    this.#uncopied = undefined;
    const aside = `${path}.corrupt-${new Date().toISOString().replaceAll(':', '-')}`;
    log.error({ file: path, aside, err: error }, 'storage: state file is not usable, using the defaults');
    await rename(path, aside).catch((failure: unknown) =>
      log.error({ file: path, err: failure }, 'storage: could not move the state file aside'),
    );
  }

  #textOf(value: T): string {
    if (this.#later === undefined)
      return storedText({ version: this.#version, latest: this.#version, value, beside: {} });
    const { stored, part } = this.#later;
    return storedText({ ...stored, version: this.#version, value: part.restore(value) });
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
        this.#isUsable = true;
        this.#isWhole ||= this.#later === undefined;
        for (const waiter of waiters) waiter.resolve();
      } catch (error) {
        this.#logFailure(error);
        const refusal = storageRefusal(this.#options.path, error);
        for (const waiter of waiters) waiter.reject(refusal);
      }
    }
    this.#writing = false;
  }

  async #write(text: string): Promise<void> {
    const { path } = this.#options;
    if (this.#uncopied) await keepCopy(path, this.#uncopied.text, this.#uncopied.version);
    this.#uncopied = undefined;
    this.#onDisk = null;
    await writeWhole(path, text);
    this.#onDisk = text;
  }

  #logFailure(error: unknown): void {
    if (errnoOf(error) === undefined) return;
    this.#options.log.error(
      { file: this.#options.path, err: error },
      'storage: could not write the state file',
    );
  }
}

function namesOf(paths: readonly string[]): string {
  const more = paths.length > MAX_NAMES ? ` and ${paths.length - MAX_NAMES} more` : '';
  return `${paths.slice(0, MAX_NAMES).join(', ')}${more}`;
}
