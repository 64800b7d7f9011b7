import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { access, mkdir, readdir, rename, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Upload } from '../../contract/command.ts';
import { FaceplateError } from '../../contract/errors.ts';
import type { ProjectsState } from '../../contract/projects.ts';
import { errnoOf, errnoWords } from '../../observe/errno.ts';
import type { Logger } from '../../observe/log.ts';
import { syncFolder } from '../../store/syncFolder.ts';

const STAGING = '.staging';
/** Left free for everything else that the panel writes, in bytes. */
const RESERVE_BYTES = 64 * 1024 ** 2;

export interface Received {
  readonly path: string;
  /** Hex SHA-256 of the file. */
  readonly sha256: string;
}

/** `<dataDir>/projects`: one folder per project with one folder per version in it, and a staging folder. */
export class ProjectFolders {
  readonly #root: string;
  readonly #log: Logger;
  readonly #freeBytes: (path: string) => Promise<number>;

  constructor(root: string, log: Logger, freeBytes = freeBytesOf) {
    this.#root = root;
    this.#log = log;
    this.#freeBytes = freeBytes;
  }

  pathOf(id: string, folder: string): string {
    return join(this.#root, id, folder);
  }

  async holdsPage(id: string, folder: string): Promise<boolean> {
    return access(join(this.pathOf(id, folder), 'index.html')).then(
      () => true,
      () => false,
    );
  }

  /** A new folder beside the projects, on the same file system, with an empty `files` in it. */
  async makeStaging(): Promise<string> {
    const path = join(this.#root, STAGING, randomUUID());
    return written(async () => {
      await mkdir(join(path, 'files'), { recursive: true, mode: 0o700 });
      return path;
    });
  }

  /** @throws FaceplateError STORAGE_FULL when `bytes` would leave too little */
  async needs(bytes: number): Promise<void> {
    const free = await this.#freeBytes(this.#root);
    if (free >= bytes + RESERVE_BYTES) return;
    const mib = (count: number) => `${Math.ceil(count / 1024 ** 2)} MiB`;
    throw new FaceplateError(
      'STORAGE_FULL',
      `The project needs ${mib(bytes + RESERVE_BYTES)} of free space, the panel has ${mib(free)}. Nothing was changed.`,
    );
  }

  /** Writes an archive that arrives to a file. @throws FaceplateError STORAGE_FULL, and those of the upload */
  async receive({ size, bytes }: Upload, staging: string, signal: AbortSignal): Promise<Received> {
    await this.needs(size ?? 0);
    const path = join(staging, 'archive');
    const digest = createHash('sha256');
    await written(() =>
      pipeline(
        bytes,
        async function* (chunks: AsyncIterable<Uint8Array>) {
          for await (const chunk of chunks) {
            digest.update(chunk);
            yield chunk;
          }
        },
        createWriteStream(path, { flags: 'wx', mode: 0o600 }),
        { signal },
      ),
    );
    return { path, sha256: digest.digest('hex') };
  }

  /** Moves the unpacked files to their place; nobody looks there before the state names it. */
  async place(staging: string, id: string, folder: string): Promise<void> {
    await written(async () => {
      await mkdir(join(this.#root, id), { recursive: true, mode: 0o700 });
      await rename(join(staging, 'files'), this.pathOf(id, folder));
      for (const changed of [join(this.#root, id), this.#root]) await syncFolder(changed);
    });
  }

  /** Removes a version, or a whole project, or a staging folder; what cannot be removed now is removed at the next start. */
  async remove(path: string): Promise<void> {
    await rm(path, { recursive: true, force: true }).catch((error: unknown) =>
      this.#log.warn({ path, err: error }, 'project files could not be removed'),
    );
  }

  /** @see remove */
  async removeProject(id: string): Promise<void> {
    await this.remove(join(this.#root, id));
  }

  /** Removes what an installation left that did not come to its end. */
  async clean(state: ProjectsState): Promise<void> {
    for (const id of await namesIn(this.#root)) {
      const project = Object.hasOwn(state.projects, id) ? state.projects[id] : undefined;
      if (project === undefined) {
        await this.remove(join(this.#root, id));
        continue;
      }
      const known = [project.current.folder, project.previous?.folder];
      for (const folder of await namesIn(join(this.#root, id)))
        if (!known.includes(folder)) await this.remove(this.pathOf(id, folder));
    }
  }

  /** Removes the archives and files of installations that a crash cut short. */
  async cleanStaging(): Promise<void> {
    await this.remove(join(this.#root, STAGING));
  }
}

/** Runs `work`; a system error, but that of a name, becomes STORAGE_FULL. */
export async function written<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    throw new FaceplateError(
      'STORAGE_FULL',
      `The project could not be written: ${errnoWords(errno)}. Nothing was changed.`,
      { cause: error },
    );
  }
}

/** Names of the folders in a folder; none where it does not exist. */
async function namesIn(path: string): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

async function freeBytesOf(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path);
  return bavail * bsize;
}
