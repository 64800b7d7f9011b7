import type { ResultOf } from '../../contract/commands.ts';

/** Room on the disk for one file. It ends with `release`, however much was written. */
interface Room {
  /** Bytes that are written next. @throws FaceplateError STORAGE_FULL */
  take(bytes: number): Promise<void>;
  release(): void;
}

/** A new file for an archive, and what bounds it. */
export interface ArchivePlace {
  /** Path of a file that is not there yet. */
  readonly path: string;
  /** Aborts when the caller is gone or the projects end. */
  readonly signal: AbortSignal;
  /** Claims room; undefined when the size is not known. @throws FaceplateError STORAGE_FULL */
  claim(bytes: number | undefined): Promise<Room>;
}

/** What a fetch needs from the projects. */
export interface ProjectInstaller {
  /**
   * Installs the archive that `write` puts in its place. The place is gone afterwards, also after a crash.
   * @param write gives the SHA-256 of the file in hex
   * @throws FaceplateError INVALID_REQUEST, CONFLICT (another project has the id), STORAGE_FULL, and what `write` throws;
   * nothing changed then
   */
  installWritten(
    name: string,
    write: (place: ArchivePlace) => Promise<string>,
    signal: AbortSignal,
  ): Promise<ResultOf<'projects.install'>>;
  /** @throws FaceplateError PROJECT_NOT_FOUND, STORAGE_FULL */
  activate(params: { id: string }): Promise<unknown>;
}
