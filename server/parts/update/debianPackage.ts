import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FaceplateError } from '../../contract/errors.ts';
import { errnoOf } from '../../platform/errno.ts';
import { aptDryRun } from '../apps/desktop/debianPackage.ts';
import { askHelper, HELPER_SOCKET, type HelperRequest } from '../apps/desktop/rootHelper.ts';
import { debianBoard, inspectDebianBundle } from './debianBundle.ts';
import type { Bundle, UpdateDriver } from './driver.ts';
import { knownKeys } from './knownKeys.ts';
import { isTooOld, MANIFEST, oldestVersion } from './oldestVersion.ts';

interface DebianUpdatesOptions {
  /** `update.keys` */
  readonly keys: string;
  /** Where the root helper keeps the version before. */
  readonly folder?: string;
  readonly manifest?: string;
  readonly socket?: string;
  /** Tries an installation; tests replace it. */
  readonly dryRun?: typeof aptDryRun;
}

/**
 * A plain Debian with our package: the root helper installs another version, keeps the package before, and takes it back
 * by itself (build/linux/prove.sh).
 */
export class DebianUpdates implements UpdateDriver {
  readonly slot = null;
  readonly ending = 'deb';
  readonly restarts = 'service';
  readonly board = debianBoard();
  readonly #options: Required<DebianUpdatesOptions>;

  constructor({
    keys,
    folder = '/var/lib/faceplate-update',
    manifest = MANIFEST,
    socket = HELPER_SOCKET,
    dryRun = aptDryRun,
  }: DebianUpdatesOptions) {
    this.#options = { keys, folder, manifest, socket, dryRun };
  }

  async oldest(): Promise<string> {
    const { keys, manifest, folder: state } = this.#options;
    return oldestVersion({ keys: await knownKeys(keys), manifest, state });
  }

  inspect(path: string): Promise<Bundle> {
    return inspectDebianBundle(path, this.#options.keys);
  }

  /** Nothing is installed before the restart: apt only says whether it could be. */
  async install(path: string, onProgress: (percent: number) => void): Promise<void> {
    try {
      await this.#options.dryRun(path, true);
    } catch (error) {
      if (!(error instanceof FaceplateError)) throw error;
      throw new FaceplateError('UPDATE_FAILED', error.message, { cause: error });
    }
    onProgress(100);
  }

  async discard(): Promise<void> {}

  restart(path: string): Promise<void> {
    return this.#ask({ verb: 'update-begin', path });
  }

  async before(): Promise<string | null> {
    const version = await this.#read('before');
    // One that has not proved itself always has its way back.
    const mayReturn = version === null || (await this.#read('step')) !== null;
    return mayReturn || !isTooOld(version, await this.oldest()) ? version : null;
  }

  return(): Promise<void> {
    return this.#ask({ verb: 'update-return' });
  }

  markGood(): Promise<void> {
    return this.#ask({ verb: 'update-good' });
  }

  /** The program that installs remembers it too, and the service is asked for its word. */
  async isUnproven(): Promise<boolean> {
    return false;
  }

  takenBack(): Promise<string | null> {
    return this.#read('taken-back');
  }

  #ask(request: HelperRequest): Promise<void> {
    return askHelper(this.#options.socket, request);
  }

  async #read(name: string): Promise<string | null> {
    try {
      return (await readFile(join(this.#options.folder, name), 'utf8')).trim() || null;
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return null;
      throw error;
    }
  }
}
