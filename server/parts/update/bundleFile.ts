import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Upload } from '../../contract/command.ts';
import { FaceplateError } from '../../contract/errors.ts';
import { type DiskSpace, receiveFile } from '../../platform/archive/diskSpace.ts';
import type { Clock } from '../../platform/clock.ts';
import { errnoOf } from '../../platform/errno.ts';
import { storageRefusal } from '../../platform/files/wholeFile.ts';
import type { ClosedPorts } from '../../platform/net/checkedRequest.ts';
import { compareSemver, isSemver } from '../../platform/texts.ts';
import { type DownloadOptions, download } from '../download.ts';
import { BUNDLE_LIMIT } from './contract.ts';
import type { Bundle } from './driver.ts';

interface BundleFileOptions {
  /** The folder of the bundle; it is ours alone. */
  readonly folder: string;
  /** How its name ends. */
  readonly ending: string;
  readonly space: DiskSpace;
  readonly closedPorts: () => ClosedPorts;
  /** Certificate authorities that https is judged by, as PEM. */
  readonly authorities: () => readonly string[];
  /** Logins of servers that have bundles. */
  readonly loginOf: DownloadOptions['loginOf'];
  readonly lookup?: DownloadOptions['lookup'];
  readonly clock: Clock;
}

type OnProgress = (received: number, total: number | null) => void;

/** The one bundle that is under way: as it arrives, and until the restart has taken it. */
export class BundleFile {
  readonly path: string;
  readonly #options: BundleFileOptions;

  constructor(options: BundleFileOptions) {
    this.#options = options;
    this.path = join(options.folder, `bundle.${options.ending}`);
  }

  async clear(): Promise<void> {
    await rm(this.#options.folder, { recursive: true, force: true });
  }

  /** @throws FaceplateError STORAGE_FULL, those of the upload; the reason of the signal */
  async receive({ size, bytes }: Upload, signal: AbortSignal, onProgress: OnProgress): Promise<void> {
    let received = 0;
    async function* counted() {
      for await (const chunk of bytes) {
        yield chunk;
        received += chunk.length;
        onProgress(received, size ?? null);
      }
    }
    await this.#stored(async () => {
      // Room first: a file that does not fit is refused before its first byte.
      await receiveFile({ size, bytes: counted() }, this.path, { space: this.#options.space, signal });
      if (received === 0) throw new FaceplateError('INVALID_REQUEST', 'The body must be the bundle.');
    }, signal);
  }

  /** @throws FaceplateError INVALID_REQUEST (`sha256` differs), UPDATE_FAILED, TOO_LARGE, STORAGE_FULL; the reason of the signal */
  async fetch(url: string, sha256: string, signal: AbortSignal, onProgress: OnProgress): Promise<void> {
    const { space, closedPorts, authorities, loginOf, lookup, clock } = this.#options;
    const place = { path: this.path, signal, claim: (size: number | undefined) => space.claim(size) };
    await this.#stored(async () => {
      const digest = await download(url, place, {
        what: 'bundle',
        limitBytes: BUNDLE_LIMIT,
        closedPorts: closedPorts(),
        authorities: authorities(),
        loginOf,
        clock,
        ...(lookup && { lookup }),
        onProgress,
      });
      if (digest === sha256.toLowerCase()) return;
      const sentence = 'The SHA-256 of the bundle is another one. Nothing was changed.';
      throw new FaceplateError('INVALID_REQUEST', sentence, { field: 'sha256' });
    }, signal);
  }

  async #stored(work: () => Promise<void>, signal: AbortSignal): Promise<void> {
    try {
      signal.throwIfAborted();
      await this.clear();
      await mkdir(this.#options.folder, { recursive: true, mode: 0o700 });
      await work();
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof FaceplateError || errnoOf(error) === undefined) throw error;
      throw storageRefusal(this.path, error);
    }
  }
}

interface Wanted {
  readonly board: string;
  readonly installed: string;
  /** Whether an older version may be taken too. */
  readonly older: boolean;
  /** The oldest version that may be taken all the same. */
  readonly oldest: string;
}

/**
 * The version of a bundle that this panel may take.
 * @throws FaceplateError INVALID_REQUEST
 */
export function assertCompatible(bundle: Bundle, { board, installed, older, oldest }: Wanted): string {
  if (bundle.signature === 'none') throw refused('The bundle is not signed');
  if (bundle.signature !== 'known')
    throw refused('The bundle is signed by a key that this panel does not know');
  if (bundle.board !== board) throw refused(`The bundle is for ${bundle.board}, this panel is ${board}`);
  // What has no version that can be compared is none of ours.
  if (!isSemver(bundle.version)) throw refused('The bundle has no version');
  if (!older && compareSemver(bundle.version, installed) < 0)
    throw refused(`The bundle is older than ${installed}`);
  if (compareSemver(bundle.version, oldest) < 0)
    throw refused(`The bundle is older than ${oldest}, the oldest version that this panel takes`);
  return bundle.version;
}

function refused(sentence: string): FaceplateError {
  return new FaceplateError('INVALID_REQUEST', `${sentence}. Nothing was changed.`);
}
