import { FaceplateError } from '../../contract/errors.ts';
import { debianBoard, inspectDebianBundle } from './debianBundle.ts';
import type { Bundle, UpdateDriver } from './driver.ts';

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
