import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FaceplateError } from '../../contract/errors.ts';
import { errnoOf } from '../../platform/errno.ts';
import { aptDryRun } from '../apps/desktop/debianPackage.ts';
import { askHelper, HELPER_SOCKET, type HelperRequest } from '../apps/desktop/rootHelper.ts';
import { reasonOf, runTool } from '../apps/desktop/runTool.ts';
import { isSignedBy, takeSignature } from '../apps/signedPackage.ts';
import type { Bundle, UpdateDriver } from './driver.ts';
import { isTooOld, knownKeys, MANIFEST, oldestVersion } from './oldestVersion.ts';

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

/** Our package. */
const PACKAGE = 'faceplate';
const LOOK_TIMEOUT_MS = 60_000;
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

/** The bundles that fit a plain Debian on a machine. @param arch as Node names it */
export function debianBoard(arch: string = process.arch): string {
  return `debian-${ARCHITECTURES[arch] ?? arch}`;
}

/**
 * Looks at a package file as one of ours: a .deb whose last member signs all bytes before it. No tool reads what no known
 * key signed.
 * @param path in a folder of ours; while it is judged the file is shorter by its signature
 * @param keysPath PEM file of certificates
 * @throws FaceplateError UPDATE_FAILED where Debian's tools are missing
 */
export async function inspectDebianBundle(path: string, keysPath: string): Promise<Bundle> {
  const keys = await knownKeys(keysPath);
  try {
    const { bytes, member } = await takeSignature(path);
    try {
      if (keys === undefined || !(await isSignedBy(path, bytes, keys))) return { signature: 'unknown' };
      return await readFields(path);
    } finally {
      await appendFile(path, member);
    }
  } catch (error) {
    if (!(error instanceof FaceplateError)) throw error;
    if (error.code === 'INVALID_REQUEST') return { signature: 'none' };
    throw new FaceplateError('UPDATE_FAILED', `The bundle cannot be judged: ${error.message}`, {
      cause: error,
    });
  }
}

async function readFields(path: string): Promise<Bundle> {
  const fields = ['Package', 'Version', 'Architecture'];
  const outcome = await runTool('dpkg-deb', ['--field', path, ...fields], { timeoutMs: LOOK_TIMEOUT_MS });
  if (outcome.exitCode !== 0)
    throw new FaceplateError('INVALID_REQUEST', `This is no package: ${reasonOf(outcome)}.`);
  const of = (name: string) => new RegExp(`^${name}: (\\S+)$`, 'm').exec(outcome.output)?.[1] ?? '';
  if (of('Package') !== PACKAGE) return { signature: 'none' };
  return { signature: 'known', version: of('Version'), board: `debian-${of('Architecture')}` };
}

/** Faceplate as it runs from its sources: it judges bundles as a panel does, and installs none. */
export class SourcesUpdates implements UpdateDriver {
  readonly slot = null;
  readonly ending = 'deb';
  readonly restarts = 'service';
  readonly board = debianBoard();
  readonly #keys: string;

  /** @param keys `update.keys` */
  constructor(keys: string) {
    this.#keys = keys;
  }

  inspect(path: string): Promise<Bundle> {
    return inspectDebianBundle(path, this.#keys);
  }

  /** Nothing is installed here. */
  async oldest(): Promise<string> {
    return '0.0.0';
  }

  async install(): Promise<void> {
    throw noPackage();
  }

  async discard(): Promise<void> {}

  async restart(): Promise<void> {
    throw noPackage();
  }

  async before(): Promise<null> {
    return null;
  }

  async return(): Promise<void> {
    throw noPackage();
  }

  async markGood(): Promise<void> {}

  async isUnproven(): Promise<boolean> {
    return false;
  }

  async takenBack(): Promise<null> {
    return null;
  }
}

function noPackage(): FaceplateError {
  return new FaceplateError(
    'UNSUPPORTED_HARDWARE',
    'Faceplate runs from its sources here: only an installed package can be updated.',
  );
}
