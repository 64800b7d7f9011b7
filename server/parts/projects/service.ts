import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { ParamsOf, ResultOf } from '../../contract/commands.ts';
import { FaceplateError } from '../../contract/errors.ts';
import { type UnpackLimits, unpackLimits } from '../../platform/archive/archive.ts';
import { refused } from '../../platform/archive/archiveNames.ts';
import type { DiskSpace } from '../../platform/archive/diskSpace.ts';
import { CallQueue, RunningWork } from '../../platform/async.ts';
import type { Logger } from '../../platform/log.ts';
import type { CallContext } from '../callContext.ts';
import type { ProjectsState, StoredVersion } from './contract.ts';
import { unpackProject } from './projectArchive.ts';
import { ProjectChanges } from './projectChange.ts';
import { type ArchivePlace, ProjectFolders, type Received, written } from './projectFolders.ts';
import { type Project, ProjectRecords, projectIdFor } from './projectRecords.ts';
import { type ProjectJoins, type ProjectScreen, ShownProject } from './shownProject.ts';

interface ProjectsOptions {
  readonly dataDir: string;
  readonly screen: ProjectScreen;
  readonly joins: ProjectJoins;
  readonly log: Logger;
  readonly limits?: UnpackLimits;
  /** Free bytes of the file system that holds a path. */
  readonly freeBytes?: (path: string) => Promise<number>;
}

/** The end of the caller never cuts queued work short: the work watches its own signal and cleans up. */
const never = new AbortController().signal;

/**
 * Installs, shows, rolls back and removes projects, one change at a time. The state file decides: a version counts from
 * the write that names it, and what no write names is removed.
 */
export class ProjectsService {
  readonly #folders: ProjectFolders;
  readonly #records: ProjectRecords;
  readonly #joins: ProjectJoins;
  readonly #log: Logger;
  readonly #limits: UnpackLimits;
  readonly #changes = new ProjectChanges();
  readonly #queue = new CallQueue();
  readonly #installing = new RunningWork();
  readonly #stopping = new AbortController();
  readonly #shown: ShownProject;

  constructor({ dataDir, screen, joins, log, limits = unpackLimits, freeBytes }: ProjectsOptions) {
    const root = join(dataDir, 'projects');
    this.#folders = new ProjectFolders(root, log, freeBytes);
    this.#records = new ProjectRecords(root, log);
    this.#joins = joins;
    this.#shown = new ShownProject({ folders: this.#folders, records: this.#records, screen, joins, log });
    this.#log = log;
    this.#limits = limits;
  }

  /** Reads what is installed and removes what a crash left half done. Never fails. */
  async start(): Promise<void> {
    const isKnown = await this.#records.load();
    await this.#folders.cleanStaging();
    // Without a completely known state, leftovers cannot be distinguished from projects.
    if (isKnown) await this.#folders.clean(this.#records.value);
    await this.#shown.start();
  }

  /** Ends a running installation, with SHUTTING_DOWN for its caller. */
  async stop(): Promise<void> {
    this.#stopping.abort(new FaceplateError('SHUTTING_DOWN'));
    await this.#installing.done();
    await this.#queue.idle();
  }

  /** Id of the project that the panel shows; null for the demo. */
  get active(): string | null {
    return this.#shown.id;
  }

  /** Folder of a project's pages, or undefined when no project has the id. */
  folderOf(id: string): string | undefined {
    return this.#shown.folderOf(id);
  }

  list(): ResultOf<'projects.list'> {
    return { projects: this.#records.list(this.#shown.id) };
  }

  /** @throws FaceplateError INVALID_REQUEST, CONFLICT (another project has the id), STORAGE_FULL; nothing changed then */
  async install(
    { name, archive }: ParamsOf<'projects.install'>,
    { signal }: CallContext,
  ): Promise<ResultOf<'projects.install'>> {
    return this.#install(name, signal, (staging, ends) => this.#folders.receive(archive, staging, ends));
  }

  /**
   * Installs the archive that `write` puts in its place. The place is gone afterwards, also after a crash.
   * @param write gives the SHA-256 of the file in hex
   * @throws as `install`, and what `write` throws
   */
  async installWritten(
    name: string,
    write: (place: ArchivePlace) => Promise<string>,
    signal: AbortSignal,
  ): Promise<ResultOf<'projects.install'>> {
    return this.#install(name, signal, (staging, ends) => this.#folders.receiveBy(write, staging, ends));
  }

  /**
   * Makes a new version of a project from the one that is there.
   * @throws FaceplateError PROJECT_NOT_FOUND, CONFLICT (it was another one than the caller thinks), and as `install`
   */
  async patch(
    { id, archive, removed, sha256 }: ParamsOf<'projects.patch'>,
    { signal }: CallContext,
  ): Promise<ResultOf<'projects.patch'>> {
    const { name } = this.#records.get(id);
    const version = sha256.slice(0, 12).toLowerCase();
    await this.#untilStopped(signal, (ends) =>
      this.#folders.staged(async (staging) => {
        const { path } = await this.#folders.receive(archive, staging, ends);
        await this.#queue.run(never, async () => {
          ends.throwIfAborted();
          const from = this.#folders.pathOf(id, this.#records.get(id).current.folder);
          const options = { limits: this.#limits, signal: ends, space: this.#folders.space };
          const change = { from, archive: path, removed, sha256 };
          const { size, digests } = await written(() =>
            this.#changes.unpack(change, join(staging, 'files'), options),
          );
          const folder = await this.#place({ id, name, version, size }, staging, ends);
          this.#changes.remember(this.#folders.pathOf(id, folder), digests);
        });
      }),
    );
    return { id, version, active: id === this.#shown.id };
  }

  async #install(
    name: string,
    signal: AbortSignal,
    receive: (staging: string, signal: AbortSignal) => Promise<Received>,
  ): Promise<ResultOf<'projects.install'>> {
    return this.#untilStopped(signal, (ends) => this.#receiveAndInstall(name, receive, ends));
  }

  /** Runs an installation that also the stop of the service ends, and waits for. */
  async #untilStopped<T>(signal: AbortSignal, work: (ends: AbortSignal) => Promise<T>): Promise<T> {
    const ends = AbortSignal.any([signal, this.#stopping.signal]);
    try {
      return await this.#installing.add(work(ends));
    } catch (error) {
      throw ends.aborted ? ends.reason : error;
    }
  }

  /** Installs an archive of this machine, named like its file, and makes it the active project. */
  async installFile(path: string): Promise<void> {
    const name = basename(path).replace(/\.(?:zip|ch5z)$/i, '');
    const { size } = await stat(path);
    const archive = { size, bytes: createReadStream(path) };
    const { id } = await this.install({ name, archive }, { signal: never });
    await this.activate({ id });
  }

  /** @throws FaceplateError PROJECT_NOT_FOUND, STORAGE_FULL */
  async activate({ id }: ParamsOf<'projects.activate'>): Promise<ResultOf<'projects.activate'>> {
    return this.#queue.run(never, async () => {
      this.#records.get(id);
      await this.#records.save({ ...this.#records.value, active: id });
      this.#log.info({ project: id }, 'projects: activated');
      await this.#shown.show(id);
      return { id, active: true };
    });
  }

  /** @throws FaceplateError PROJECT_NOT_FOUND, CONFLICT (no version before), STORAGE_FULL */
  async rollback({ id }: ParamsOf<'projects.rollback'>): Promise<ResultOf<'projects.rollback'>> {
    return this.#queue.run(never, async () => {
      const { name, current, previous } = this.#records.get(id);
      if (previous === null)
        throw new FaceplateError('CONFLICT', 'The project has no version before this one to go back to.');
      await this.#put(id, { name, current: previous, previous: null }, true);
      await this.#folders.remove(this.#folders.pathOf(id, current.folder));
      this.#log.info({ project: id, version: previous.version }, 'projects: rolled back');
      return { id, version: previous.version };
    });
  }

  /** @throws FaceplateError PROJECT_NOT_FOUND, STORAGE_FULL */
  async remove({ id }: ParamsOf<'projects.remove'>): Promise<ResultOf<'projects.remove'>> {
    return this.#queue.run(never, async () => {
      this.#records.get(id);
      const { active, projects, stale } = this.#records.value;
      const { [id]: _removed, ...others } = projects;
      // The next project with this id must not meet the service workers of the removed one.
      const next = { active: active === id ? null : active, projects: others, stale: withId(stale, id) };
      await this.#records.save(next);
      const wasShown = this.#shown.id === id;
      if (wasShown) this.#shown.id = null;
      await this.#folders.removeProject(id);
      this.#log.info({ project: id }, 'projects: removed');
      await this.#shown.clearStale();
      if (wasShown) await this.#shown.show(null);
      return { status: 'removed' };
    });
  }

  /** Where room on the disk is claimed, also for backups. */
  get space(): DiskSpace {
    return this.#folders.space;
  }

  /** What a project may hold. */
  get limits(): UnpackLimits {
    return this.#limits;
  }

  /** Runs `work` on the projects and the folders of their current versions; none of them changes meanwhile. */
  async hold<T>(work: (state: ProjectsState, folderOf: (id: string) => string) => Promise<T>): Promise<T> {
    return this.#queue.run(never, () =>
      work(this.#records.value, (id) => this.#folders.pathOf(id, this.#records.get(id).current.folder)),
    );
  }

  /** @throws FaceplateError INVALID_REQUEST when a project of this name cannot have the id */
  mustBeProject(id: string, name: string): void {
    if (projectIdFor(name) !== id) throw refused(`The project "${name}" cannot have the id ${id}.`);
  }

  /**
   * Replaces all projects, as a backup does.
   * @param place moves the folders that `state` names to their places
   * @throws FaceplateError STORAGE_FULL, or what `place` throws
   */
  async replaceAll(state: ProjectsState, place: () => Promise<void>): Promise<void> {
    await this.#queue.run(never, async () => {
      const before = this.#records.value.projects;
      await place();
      const stale = [
        ...new Set([...this.#records.value.stale, ...Object.keys(before), ...Object.keys(state.projects)]),
      ];
      await this.#records.save({ ...state, stale });
      this.#shown.id = state.active;
      for (const [id, { current, previous }] of Object.entries(before))
        for (const version of [current, previous])
          if (version !== null && version.folder !== state.projects[id]?.current.folder)
            await this.#folders.remove(this.#folders.pathOf(id, version.folder));
      this.#log.info({ projects: Object.keys(state.projects) }, 'projects: restored');
      await this.#shown.clearStale();
      await this.#shown.show(state.active);
    });
  }

  /** The kiosk is available: does now what had to wait for it. */
  async screenReady(): Promise<void> {
    await this.#queue.run(never, () => this.#shown.screenReady());
  }

  async #receiveAndInstall(
    name: string,
    receive: (staging: string, signal: AbortSignal) => Promise<Received>,
    signal: AbortSignal,
  ): Promise<ResultOf<'projects.install'>> {
    const id = projectIdFor(name);
    this.#records.mustBeFree(id, name);
    return this.#folders.staged(async (staging) => {
      const received = await receive(staging, signal);
      return this.#queue.run(never, () => this.#installReceived(id, name, received, staging, signal));
    });
  }

  async #installReceived(
    id: string,
    name: string,
    { path, sha256 }: Received,
    staging: string,
    signal: AbortSignal,
  ): Promise<ResultOf<'projects.install'>> {
    signal.throwIfAborted();
    this.#records.mustBeFree(id, name);
    const version = sha256.slice(0, 12);
    const { space } = this.#folders;
    const size = await written(() =>
      unpackProject(path, staging, join(staging, 'files'), { limits: this.#limits, signal, space }),
    );
    await this.#place({ id, name, version, size }, staging, signal);
    return { id, name, active: id === this.#shown.id };
  }

  /** Makes the unpacked files the current version. @returns its folder */
  async #place(
    { id, name, version, size }: { id: string; name: string; version: string; size: number },
    staging: string,
    signal: AbortSignal,
  ): Promise<string> {
    signal.throwIfAborted();
    await this.#joins.check(join(staging, 'files'));
    const folder = `${version}-${randomUUID()}`;
    await this.#folders.place(staging, id, folder);
    await this.#replace(id, name, { version, folder, installedAt: new Date().toISOString(), size });
    this.#log.info({ project: id, version, size }, 'projects: installed');
    return folder;
  }

  /** Makes a version in its folder the current one; an identical version is only repaired. */
  async #replace(id: string, name: string, current: StoredVersion): Promise<void> {
    const before = this.#records.find(id);
    const isSame = before?.current.version === current.version;
    const previous = (isSame ? before?.previous : before?.current) ?? null;
    const dropped = isSame ? before?.current : before?.previous;
    try {
      await this.#put(id, { name, current, previous }, before !== undefined && !isSame);
    } catch (error) {
      await this.#folders.remove(this.#folders.pathOf(id, current.folder));
      throw error;
    }
    if (dropped) await this.#folders.remove(this.#folders.pathOf(id, dropped.folder));
  }

  /** Writes a project's entry; when it is active, the panel shows it at once. */
  async #put(id: string, project: Project, changed: boolean): Promise<void> {
    const state = this.#records.value;
    await this.#records.save({
      ...state,
      projects: { ...state.projects, [id]: project },
      stale: changed ? withId(state.stale, id) : state.stale,
    });
    await this.#shown.clearStale();
    // It may have been hidden because its files were lost.
    if (id === state.active) await this.#shown.show(id);
  }
}

function withId(ids: readonly string[], id: string): string[] {
  return [...new Set([...ids, id])];
}
