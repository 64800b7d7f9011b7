import { createHash, randomUUID } from 'node:crypto';
import { access, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Upload } from '../../contract/command.ts';
import { FaceplateError } from '../../contract/errors.ts';
import { type DiskClaim, DiskSpace, freeBytesOf, receiveFile } from '../../platform/archive/diskSpace.ts';
import { errnoOf, errnoWords } from '../../platform/errno.ts';
import { syncFolder } from '../../platform/files/wholeFile.ts';
import type { Logger } from '../../platform/log.ts';
import type { ProjectsState } from './contract.ts';

const STAGING = '.staging';

export interface Received {
  readonly path: string;
  /** Hex SHA-256 of the file. */
  readonly sha256: string;
}

/** A new file for an archive that somebody else writes. */
export interface ArchivePlace {
  /** Path of a file that is not there yet. */
  readonly path: string;
  readonly signal: AbortSignal;
  /** Claims room on the disk; undefined when the size is not known. @throws FaceplateError STORAGE_FULL */
  claim(bytes: number | undefined): Promise<DiskClaim>;
}

/** `<dataDir>/projects`: one folder per project with one folder per version in it, and a staging folder. */
export class ProjectFolders {
  readonly #root: string;
  readonly #log: Logger;
  /** Disk space for what is being received and unpacked. */
  readonly space: DiskSpace;

  constructor(root: string, log: Logger, freeBytes = freeBytesOf) {
    this.#root = root;
    this.#log = log;
    this.space = new DiskSpace(() => freeBytes(root));
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

  /**
   * Runs `work` with a new folder beside the projects, on the same file system, with an empty `files` in it. The folder
   * is gone afterwards.
   */
  async staged<T>(work: (staging: string) => Promise<T>): Promise<T> {
    const path = join(this.#root, STAGING, randomUUID());
    await written(() => mkdir(join(path, 'files'), { recursive: true, mode: 0o700 }));
    try {
      return await work(path);
    } finally {
      await this.remove(path);
    }
  }

  /** Writes an arriving archive to a file. @throws FaceplateError STORAGE_FULL, and those of the upload */
  async receive(archive: Upload, staging: string, signal: AbortSignal): Promise<Received> {
    const path = join(staging, 'archive');
    const digest = createHash('sha256');
    const { space } = this;
    await written(() => receiveFile(archive, path, { space, signal, digest }));
    return { path, sha256: digest.digest('hex') };
  }

  /** Has an archive written to a file. @param write gives the SHA-256 @throws FaceplateError STORAGE_FULL, and those of `write` */
  async receiveBy(
    write: (place: ArchivePlace) => Promise<string>,
    staging: string,
    signal: AbortSignal,
  ): Promise<Received> {
    const path = join(staging, 'archive');
    const claim = (bytes: number | undefined) => this.space.claim(bytes);
    return { path, sha256: await written(() => write({ path, signal, claim })) };
  }

  /** Moves the unpacked files to their place, which is not used before the state names it. */
  async place(staging: string, id: string, folder: string): Promise<void> {
    await written(async () => {
      await mkdir(join(this.#root, id), { recursive: true, mode: 0o700 });
      await rename(join(staging, 'files'), this.pathOf(id, folder));
      for (const changed of [join(this.#root, id), this.#root]) await syncFolder(changed);
    });
  }

  /**
   * Removes a version, a whole project or a staging folder; what cannot be removed now is removed at the next start.
   */
  async remove(path: string): Promise<void> {
    await rm(path, { recursive: true, force: true }).catch((error: unknown) =>
      this.#log.warn({ path, err: error }, 'projects: could not remove files'),
    );
  }

  /** @see remove */
  async removeProject(id: string): Promise<void> {
    await this.remove(join(this.#root, id));
  }

  /** Removes the rest of an unfinished installation. */
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

/** Runs `work`; a system error becomes STORAGE_FULL, except one about a name. */
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

/** Names of the folders in a folder; none when it does not exist. */
async function namesIn(path: string): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}
