import {
  accessSync,
  closeSync,
  constants,
  opendirSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { errnoOf, errnoWords } from '../../platform/errno.ts';

/** Longest attribute that is read, in bytes; the kernel gives a page at most. */
const ATTRIBUTE_SIZE = 4_096;
/** Most entries of a folder that are looked at. */
const MOST_ENTRIES = 1_024;

/**
 * Reads what the kernel shows as files below /sys and /dev. What is not there is empty; what is there but may not be read
 * is noted. Nothing is written.
 */
export class SysFolders {
  readonly #root: string;
  /** One sentence for each thing that could not be read. */
  readonly unread: string[] = [];

  /** @param root where /sys and /dev are, for tests; empty on a machine */
  constructor(root = '') {
    this.#root = root;
  }

  /** The names in a folder in their natural order; empty where there is none. */
  list(folder: string): string[] {
    try {
      // Not readdir: scandir(3) of the C library cannot be redirected to a double of the devices.
      const open = opendirSync(this.#root + folder);
      try {
        const names: string[] = [];
        for (let entry = open.readSync(); entry !== null; entry = open.readSync())
          if (names.push(entry.name) === MOST_ENTRIES) break;
        return names.sort((one, other) => one.localeCompare(other, 'en', { numeric: true }));
      } finally {
        open.closeSync();
      }
    } catch (error) {
      this.failed(folder, error);
      return [];
    }
  }

  /** The text of an attribute without the white space around it; undefined where there is none. */
  text(path: string): string | undefined {
    try {
      const fd = openSync(this.#root + path, constants.O_RDONLY);
      try {
        const bytes = Buffer.alloc(ATTRIBUTE_SIZE);
        const text = bytes.toString('utf8', 0, readSync(fd, bytes));
        // Texts of the device tree end with a zero; a device may give any name.
        return text.replaceAll(/\p{Cc}+/gu, ' ').trim();
      } finally {
        closeSync(fd);
      }
    } catch (error) {
      this.failed(path, error);
      return undefined;
    }
  }

  /** Whether the file or folder is there. */
  has(path: string): boolean {
    try {
      accessSync(this.#root + path);
      return true;
    } catch {
      return false;
    }
  }

  /** The last name of what a link leads to, such as that of a driver; undefined where there is none. */
  target(path: string): string | undefined {
    try {
      return basename(readlinkSync(this.#root + path));
    } catch {
      return undefined;
    }
  }

  /** The links of a folder such as /dev/serial/by-id, by the node that each leads to. */
  links(folder: string): ReadonlyMap<string, string> {
    return new Map(
      this.list(folder).flatMap((name) => {
        try {
          const node = realpathSync.native(this.#root + join(folder, name)).slice(this.#root.length);
          return [[node, join(folder, name)]];
        } catch {
          return [];
        }
      }),
    );
  }

  /** Notes what could not be read, unless it is not there at all. */
  failed(path: string, error: unknown): void {
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    if (!['ENOENT', 'ENOTDIR', 'ENODEV'].includes(errno)) this.unread.push(`${path}: ${errnoWords(errno)}`);
  }
}
