import type { DeviceDriver } from '../device.ts';
import type { AppEntry } from './contract.ts';

/**
 * The programs of a panel that a person can start. Mistakes of a caller are thrown as a FaceplateError
 * (PACKAGE_NOT_FOUND, FORBIDDEN, NOT_FOUND, INVALID_REQUEST, CONFLICT); system failures as an errno exception or as
 * HARDWARE_ERROR.
 */
export interface AppsDriver extends DeviceDriver {
  /** Every package that can be started, each name once. */
  list(): Promise<AppEntry[]>;
  /** Resolves when the package runs; `onEnded` is called once, when its last process is gone. */
  launch(packageName: string, onEnded: () => void): Promise<void>;
  /**
   * Installs a package file; the path comes from the caller and is not trusted.
   * @returns the name of the package in the list from now on
   */
  install(path: string): Promise<string>;
  uninstall(packageName: string): Promise<void>;
  /** Reports when the set of packages may have changed for other reasons. @returns the function that stops it. */
  watch(onChange: () => void): () => void;
}
