import { type FSWatcher, watch } from 'node:fs';
import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { FaceplateError } from '../../../contract/errors.ts';
import { bootSlot } from '../../../platform/bootSlot.ts';
import type { Logger } from '../../../platform/log.ts';
import type { AppEntry } from '../contract.ts';
import type { AppsDriver } from '../driver.ts';
import { checkPackageFile, noPackages } from '../packageFile.ts';
import {
  type ApplicationFolder,
  applicationFolders,
  type KioskUser,
  sessionEnvironment,
} from './environment.ts';
import { type Application, findApplications } from './find.ts';
import { Flatpak } from './flatpak.ts';
import { installPackage, type PackageTools, uninstallPackage } from './install.ts';
import { isSystemPackage, packageRecord, type RecordStore } from './installedRecord.ts';
import { type Launching, StarterFiles, StarterFlatpak, StarterLauncher } from './kioskSide.ts';
import { Launcher } from './launch.ts';
import { debianChanger } from './rootHelper.ts';
import { UserFiles } from './userFiles.ts';

export interface DesktopAppsOptions {
  /** The setting `apps.installDir`. */
  readonly installDir: string;
  /** Environment of the kiosk session: display, session bus, language. Nothing of Faceplate in it is passed on. */
  readonly environment: NodeJS.ProcessEnv;
  /** The user that packages run as when the service may switch users; without one nothing is launched then. */
  readonly user?: KioskUser;
  /** The socket of the starter that acts as the user when the service may not become that user. */
  readonly starter?: string;
  /** Remembers the Debian packages that were installed here. */
  readonly record: RecordStore;
  /** Programs the panel runs on besides this process, such as the browser: their packages are never removed. */
  readonly ownPrograms?: readonly string[];
  /** The address of the helper of the Debian package, when it is not systemd's default. */
  readonly helperSocket?: string;
  /** Whether this panel runs from a disk image, on which Debian packages do not change. */
  readonly isImage?: boolean;
  /** Other folders than the session's. */
  readonly folders?: readonly ApplicationFolder[];
  readonly log: Logger;
}

/** The programs of a Linux desktop, by their desktop entries. See README.md of this folder. */
export class DesktopApps implements AppsDriver {
  readonly name = 'desktop';
  readonly path = null;
  readonly simulated = false;
  readonly #options: DesktopAppsOptions;
  readonly #session: NodeJS.ProcessEnv;
  readonly #folders: readonly ApplicationFolder[];
  readonly #launcher: Launching;

  constructor(options: DesktopAppsOptions) {
    const { environment, user, folders, starter, log } = options;
    this.#options = options;
    this.#session = sessionEnvironment(environment, user);
    this.#folders = folders ?? applicationFolders(this.#session);
    this.#launcher =
      starter === undefined
        ? new Launcher({ session: this.#session, user, log })
        : new StarterLauncher(starter);
  }

  async start(): Promise<void> {
    const { installDir, record, log } = this.#options;
    await record.load();
    await mkdir(installDir, { recursive: true, mode: 0o700 }).catch((error: unknown) =>
      log.warn({ folder: installDir, err: error }, 'apps: could not create the folder for package files'),
    );
    this.#launcher.start();
  }

  async stop(): Promise<void> {
    await this.#launcher.stop();
  }

  async list(): Promise<AppEntry[]> {
    const { session, record, ownPrograms } = await this.#tools();
    const applications = [...(await this.#applications()).values()];
    return Promise.all(
      applications.map(async (application) => ({
        packageName: application.id,
        label: application.label,
        isSystem: await isSystemPackage(application, { session, ownPrograms, record: record.value }),
      })),
    );
  }

  async launch(packageName: string, onEnded: () => void): Promise<void> {
    await this.#launcher.launch(await this.#find(packageName), onEnded);
  }

  async install(path: string): Promise<string> {
    const file = await checkPackageFile(this.#options.installDir, path);
    if (file.kind === 'deb' && this.#options.isImage) throw noPackages();
    return installPackage(file, await this.#tools());
  }

  async uninstall(packageName: string): Promise<void> {
    await uninstallPackage(await this.#find(packageName), await this.#tools());
  }

  /** Folders that do not exist yet are not watched. */
  watch(onChange: () => void): () => void {
    const watchers: FSWatcher[] = [];
    for (const { path } of this.#folders) {
      try {
        const watcher = watch(path, { persistent: false }, onChange);
        watcher.on('error', () => watcher.close());
        watchers.push(watcher);
      } catch {
        // The list is still read on every request.
      }
    }
    return () => {
      for (const watcher of watchers) watcher.close();
    };
  }

  #applications(): Promise<Map<string, Application>> {
    return findApplications(this.#folders, this.#session);
  }

  /** Compares with the existing packages: a caller's name never becomes a path or a command. */
  async #find(packageName: string): Promise<Application> {
    const application = (await this.#applications()).get(packageName);
    if (application) return application;
    throw new FaceplateError('PACKAGE_NOT_FOUND', `No package is called ${packageName}.`);
  }

  async #tools(): Promise<PackageTools> {
    const { user, starter, record, helperSocket, ownPrograms = [] } = this.#options;
    const own = [process.execPath, process.env.APPIMAGE, ...ownPrograms].filter((path) => path !== undefined);
    return {
      session: this.#session,
      user,
      record,
      flatpak: starter ? new StarterFlatpak(starter, this.#session) : new Flatpak(this.#session, user),
      debian: () => debianChanger(helperSocket),
      files: starter ? new StarterFiles(starter) : new UserFiles(user),
      ownPrograms: await Promise.all(own.map((path) => realpath(path).catch(() => path))),
      applications: () => this.#applications(),
    };
  }
}

/** What programs need to know of the kiosk session. */
interface Session {
  readonly user: (Omit<KioskUser, 'home'> & { readonly home: string | undefined }) | undefined;
  readonly starter: string | undefined;
  readonly browser: string | undefined;
  readonly profileDir: string;
}

/**
 * Whose packages the driver `desktop` serves: those of the kiosk session. A user without a home has the
 * browser's profile folder as its home.
 * @param installDir where package files may lie; empty for the data folder's own
 */
export function desktopOptions(
  { user, starter, browser, profileDir }: Session,
  { installDir, dataDir, log }: { installDir: string; dataDir: string; log: Logger },
): Omit<DesktopAppsOptions, 'log'> {
  return {
    installDir: installDir || join(dataDir, 'packages'),
    environment: process.env,
    ...(user && { user: { ...user, home: user.home ?? profileDir } }),
    ...(starter && { starter }),
    record: packageRecord(dataDir, log),
    ...(bootSlot() !== null && { isImage: true }),
    ...(browser && { ownPrograms: [browser] }),
  };
}
