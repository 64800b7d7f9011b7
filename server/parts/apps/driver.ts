import { FaceplateError } from '../../contract/errors.ts';
import type { DeviceDriver } from '../device.ts';
import type { AppEntry } from './contract.ts';
import { checkPackageFile, nameFromFile } from './packageFile.ts';

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

interface SimulatedAppsOptions {
  /** The setting `apps.installDir`. */
  readonly installDir: string;
}

/** Packages in memory. Files are checked as on a real panel, but nothing is unpacked or run. */
export class SimulatedApps implements AppsDriver {
  readonly name = 'simulated';
  readonly path = null;
  readonly simulated = true;
  readonly #installDir: string;
  readonly #entries = new Map<string, AppEntry>();

  constructor({ installDir }: SimulatedAppsOptions) {
    this.#installDir = installDir;
    this.#add({ packageName: 'org.faceplate.Clock', label: 'Clock', isSystem: true });
    this.#add({ packageName: 'org.faceplate.Calculator', label: 'Calculator', isSystem: false });
  }

  async start(): Promise<void> {}

  async stop(): Promise<void> {}

  async list(): Promise<AppEntry[]> {
    return [...this.#entries.values()];
  }

  /** A simulated package has nothing to show: it ends at once. */
  async launch(packageName: string, onEnded: () => void): Promise<void> {
    this.#find(packageName);
    setImmediate(onEnded);
  }

  async install(path: string): Promise<string> {
    const file = await checkPackageFile(this.#installDir, path);
    const packageName = nameFromFile(file.path);
    if (this.#entries.get(packageName)?.isSystem) {
      throw new FaceplateError('CONFLICT', `The system has a package ${packageName} already.`);
    }
    this.#add({ packageName, label: packageName, isSystem: false });
    return packageName;
  }

  async uninstall(packageName: string): Promise<void> {
    if (this.#find(packageName).isSystem) {
      throw new FaceplateError('FORBIDDEN', `${packageName} belongs to the system and cannot be removed.`);
    }
    this.#entries.delete(packageName);
  }

  /** The list never changes without a call. */
  watch(): () => void {
    return () => undefined;
  }

  #add(entry: AppEntry): void {
    this.#entries.set(entry.packageName, entry);
  }

  #find(packageName: string): AppEntry {
    const entry = this.#entries.get(packageName);
    if (!entry) throw new FaceplateError('PACKAGE_NOT_FOUND', `No package is called ${packageName}.`);
    return entry;
  }
}
