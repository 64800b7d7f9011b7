import type { AppEntry } from '../../contract/apps.ts';
import type { PartDriver } from '../part.ts';

/**
 * The programs of a panel that a person can start. What a caller did wrong is thrown as a FaceplateError
 * (PACKAGE_NOT_FOUND, FORBIDDEN, NOT_FOUND, INVALID_REQUEST, CONFLICT); a failing system as an errno exception or
 * as HARDWARE_ERROR.
 */
export interface AppsDriver extends PartDriver {
  /** Every package that can be started, each name once. */
  list(): Promise<AppEntry[]>;
  /** Resolves when the package runs; `onEnded` is called once, when the last process of it is gone. */
  launch(packageName: string, onEnded: () => void): Promise<void>;
  /**
   * Installs a package file; the path is what the caller sent and not trusted.
   * @returns the name under which the package stands in the list from now on
   */
  install(path: string): Promise<string>;
  uninstall(packageName: string): Promise<void>;
  /** Tells when the set of packages may have changed by itself. @returns the function that ends it. */
  watch(onChange: () => void): () => void;
}
