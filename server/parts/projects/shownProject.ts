import type { Logger } from '../../platform/log.ts';
import type { ProjectFolders } from './projectFolders.ts';
import type { ProjectRecords } from './projectRecords.ts';

/** What the projects need from the kiosk. */
export interface ProjectScreen {
  /** Shows the active project now; loads the page again even when it is the same. @param active null for the demo */
  show(active: string | null): Promise<void>;
  /**
   * Deletes the service workers and caches of a project's origin, never its local storage.
   * @throws when no browser can be asked now
   */
  clearCaches(id: string): Promise<void>;
}

/** The joins that a project may have. */
export interface ProjectJoins {
  /** Whether the files of a project may be installed. @throws FaceplateError INVALID_REQUEST with the path of the entry */
  check(folder: string): Promise<void>;
  /** This project is shown from now on. Never rejects. @param folder of its files; undefined for the demo */
  follow(active: string | null, folder: string | undefined): Promise<void>;
}

interface ShownProjectOptions {
  readonly folders: ProjectFolders;
  readonly records: ProjectRecords;
  readonly screen: ProjectScreen;
  readonly joins: ProjectJoins;
  readonly log: Logger;
}

/** The project that the panel shows. It is the active one of the records, unless the files of that are lost. */
export class ShownProject {
  readonly #options: ShownProjectOptions;
  /** Null for the demo. */
  id: string | null = null;

  constructor(options: ShownProjectOptions) {
    this.#options = options;
  }

  /** Takes the active project of the loaded records. Never fails. */
  async start(): Promise<void> {
    const { folders, records, log } = this.#options;
    const { active } = records.value;
    const project = active === null ? undefined : records.find(active);
    this.id = project === undefined ? null : active;
    if (
      active !== null &&
      project !== undefined &&
      !(await folders.holdsPage(active, project.current.folder))
    ) {
      log.error({ project: active }, 'projects: files of the active project are missing, showing the demo');
      this.id = null;
    }
    await this.#followJoins();
  }

  /** Folder of a project's pages, or undefined when no project has the id. */
  folderOf(id: string): string | undefined {
    const project = this.#options.records.find(id);
    return project && this.#options.folders.pathOf(id, project.current.folder);
  }

  /** The change is already made: a screen that does not follow is no reason to refuse it. */
  async show(id: string | null): Promise<void> {
    this.id = id;
    await this.#followJoins();
    await this.#options.screen.show(id).catch((error: unknown) => {
      this.#options.log.warn({ err: error }, 'projects: could not show the project yet');
    });
  }

  /** The kiosk is available: does now what had to wait for it. */
  async screenReady(): Promise<void> {
    const wasStale = this.id !== null && this.#options.records.value.stale.includes(this.id);
    await this.clearStale();
    if (wasStale) await this.show(this.id);
  }

  /**
   * Clears the caches of projects whose files changed. Without a browser the projects stay on the list, also over a
   * restart.
   */
  async clearStale(): Promise<void> {
    const { records, screen, log } = this.#options;
    const { stale } = records.value;
    if (stale.length === 0) return;
    try {
      for (const id of stale) await screen.clearCaches(id);
      await records.save({ ...records.value, stale: [] });
    } catch (error) {
      log.debug({ err: error }, 'projects: could not clear the caches yet');
    }
  }

  /** Before its page loads. */
  async #followJoins(): Promise<void> {
    await this.#options.joins.follow(this.id, this.id === null ? undefined : this.folderOf(this.id));
  }
}
