import { randomUUID } from 'node:crypto';
import { mkdir, open, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Media } from '../../contract/command.ts';
import type { ParamsOf, ResultOf } from '../../contract/commands.ts';
import { FaceplateError } from '../../contract/errors.ts';
import { Archive } from '../../platform/archive/archive.ts';
import { refused } from '../../platform/archive/archiveNames.ts';
import { receiveFile } from '../../platform/archive/diskSpace.ts';
import { writeZip } from '../../platform/archive/zipWriter.ts';
import { errnoOf, errnoWords } from '../../platform/errno.ts';
import {
  beginRestore,
  commitRestore,
  dropRestore,
  endRestored,
  placeProjects,
  writeRestored,
} from '../../platform/files/dataFolder.ts';
import type { Logger } from '../../platform/log.ts';
import type { CallContext } from '../callContext.ts';
import {
  type BackedUpState,
  backupLimits,
  type ProjectsSource,
  type Restorer,
  type SettingsPlan,
  type SettingsSource,
  stateText,
  tooLarge,
  withContents,
} from './contents.ts';
import { BACKUP_LIMIT } from './contract.ts';
import { OpenedBackup } from './opened.ts';

interface BackupOptions<P extends SettingsPlan> {
  readonly dataDir: string;
  /** Of the service. */
  readonly version: string;
  readonly state: BackedUpState;
  readonly settings: SettingsSource<P>;
  readonly projects: ProjectsSource;
  readonly log: Logger;
}

/** Who asks: a backup with secrets, and taking secrets back, are the owner's. */
interface BackupCall extends CallContext, Restorer {}

const WORK_FOLDER = 'backup.tmp';

/** A restore that is written and checked, and counts for nothing yet. */
interface Prepared<P> {
  readonly plan: P;
  /** undefined where the backup holds no projects. */
  readonly projects: Parameters<ProjectsSource['replaceAll']>[0] | undefined;
  /** The state files that it holds, and those of them that differ from ours. */
  readonly state: readonly string[];
  readonly changed: readonly string[];
  /** Those that this caller may not bring back. */
  readonly kept: readonly string[];
}

/** Saves what makes this panel this panel, and takes it back. One at a time. */
export class BackupService<P extends SettingsPlan> {
  readonly #options: BackupOptions<P>;
  readonly #work: string;
  #running: Promise<unknown> | undefined;

  constructor(options: BackupOptions<P>) {
    this.#options = options;
    this.#work = join(options.dataDir, WORK_FOLDER);
  }

  /** Removes what a crash left. */
  async start(): Promise<void> {
    await rm(this.#work, { recursive: true, force: true });
  }

  async stop(): Promise<void> {
    await this.#running?.catch(() => undefined);
  }

  /** @throws FaceplateError FORBIDDEN, CONFLICT, TOO_LARGE, STORAGE_FULL */
  async create({ passphrase, projects }: ParamsOf<'backup.create'>, call: BackupCall): Promise<Media> {
    if (passphrase !== undefined && !call.isOwner)
      throw new FaceplateError('FORBIDDEN', "A backup with a passphrase needs the owner's token.");
    return this.#alone(async () => {
      const path = join(this.#work, `${randomUUID()}.zip`);
      try {
        await mkdir(this.#work, { recursive: true, mode: 0o700 });
        const { space } = this.#options.projects;
        const { signal } = call;
        await withContents(this.#options, { passphrase, projects }, (files) =>
          writeZip(path, files, { limitBytes: BACKUP_LIMIT, space, signal }),
        );
        const file = await open(path);
        this.#options.log.info({ projects, secrets: passphrase !== undefined }, 'backup: created');
        return { type: 'application/zip', body: file.createReadStream(), fileName: backupName() };
      } catch (error) {
        call.signal.throwIfAborted();
        if (error instanceof FaceplateError && error.code === 'TOO_LARGE') throw tooLarge();
        throw stored(error);
      } finally {
        // The open file stays readable for the caller, and its bytes go with its last reader.
        await rm(path, { force: true });
      }
    });
  }

  /** @throws FaceplateError INVALID_REQUEST, FORBIDDEN, CONFLICT, STORAGE_FULL; nothing changed then */
  async restore(
    { backup, passphrase }: ParamsOf<'backup.restore'>,
    call: BackupCall,
  ): Promise<ResultOf<'backup.restore'>> {
    return this.#alone(async () => {
      const { dataDir, projects } = this.#options;
      let prepared: Prepared<P>;
      try {
        const folder = await beginRestore(dataDir);
        const path = join(folder, 'archive');
        await receiveFile(backup, path, { space: projects.space, signal: call.signal });
        const archive = await Archive.open(path, backupLimits);
        try {
          prepared = await this.#prepare(archive, folder, passphrase, call);
        } finally {
          archive.close();
        }
        await rm(path);
        call.signal.throwIfAborted();
        await commitRestore(dataDir);
      } catch (error) {
        await dropRestore(dataDir);
        call.signal.throwIfAborted();
        throw stored(error);
      }
      return this.#carryOut(prepared);
    });
  }

  /** Checks everything and writes it beside what is there. */
  async #prepare(
    archive: Archive,
    folder: string,
    passphrase: string | undefined,
    { isOwner, scopes, signal }: BackupCall,
  ): Promise<Prepared<P>> {
    const { dataDir, version, state: kinds, settings, projects } = this.#options;
    const backup = await OpenedBackup.of(archive, version, kinds);
    const { manifest } = backup;
    if (manifest.secrets && !isOwner)
      throw new FaceplateError(
        'FORBIDDEN',
        "This backup holds secrets: only the owner's token may restore it.",
      );
    if (manifest.secrets && passphrase === undefined)
      throw new FaceplateError(
        'INVALID_REQUEST',
        'This backup holds secrets: send its passphrase in the header X-Passphrase.',
        { field: 'passphrase' },
      );
    const secrets = manifest.secrets ? await backup.secrets(passphrase ?? '') : undefined;
    const tree = join(folder, 'settings.tree');
    await writeFile(tree, JSON.stringify(merged(await backup.settings(), secrets?.settings ?? {})), {
      mode: 0o600,
    });
    const plan = planned(() => settings.plan(tree, { secrets: manifest.secrets, isOwner, scopes }));
    await rm(tree);
    await writeRestored(join(folder, 'settings.json'), plan.text);
    const state = { ...(await backup.state()), ...secrets?.state };
    const changed: string[] = [];
    const kept: string[] = [];
    for (const [name, text] of Object.entries(state)) {
      // What is the same already needs no restart.
      if ((await stateText(dataDir, name)) === text) continue;
      if (!isOwner && kinds.owners.some((kind) => kind.name === name)) {
        kept.push(name);
        continue;
      }
      changed.push(name);
      await writeRestored(join(folder, 'state', `${name}.json`), text);
    }
    const unpacked = manifest.projects
      ? await backup.unpackProjects(join(folder, 'projects'), projects, signal)
      : undefined;
    if (unpacked !== undefined)
      await writeRestored(
        join(folder, 'projects.json'),
        `${JSON.stringify({ version: 1, value: unpacked })}\n`,
      );
    const restored = Object.keys(state).filter((name) => !kept.includes(name));
    return { plan, projects: unpacked, state: restored, changed, kept };
  }

  /** From here on it counts: what fails now, the next start does. */
  async #carryOut({
    plan,
    projects,
    state,
    changed,
    kept,
  }: Prepared<P>): Promise<ResultOf<'backup.restore'>> {
    const { dataDir, settings, projects: source, log } = this.#options;
    const restartNeeded = [...changed];
    const later = (what: string) => (error: unknown) => {
      log.error({ err: error, what }, 'backup: could not finish the restore, the next start continues it');
      return undefined;
    };
    if (projects !== undefined) {
      const done = await source
        .replaceAll(projects, async () => placeProjects(dataDir))
        .then(() => endRestored(dataDir, ['projects']))
        .then(() => true, later('projects'));
      if (!done) restartNeeded.push('projects');
    }
    const keys = await settings
      .carryOut(plan)
      .then(async (needed) => {
        await endRestored(dataDir, ['settings.json']);
        return needed;
      })
      .catch(later('settings'));
    restartNeeded.push(...(keys ?? plan.restored));
    const restored = [...plan.restored, ...state, ...(projects === undefined ? [] : ['projects'])];
    const { cleared } = plan;
    const skipped = [...plan.skipped, ...kept];
    log.info({ restored, restartNeeded, skipped, cleared }, 'backup: restored');
    return {
      restored,
      restartNeeded,
      ...(skipped.length > 0 && { skipped }),
      ...(cleared.length > 0 && { cleared: [...cleared] }),
    };
  }

  async #alone<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running !== undefined)
      throw new FaceplateError(
        'CONFLICT',
        'A backup is being made or restored. Try again when it has ended.',
      );
    const running = work();
    this.#running = running;
    try {
      return await running;
    } finally {
      this.#running = undefined;
    }
  }
}

/** Settings come back with all their mistakes in one sentence. */
function planned<T>(plan: () => T): T {
  try {
    return plan();
  } catch (error) {
    if (error instanceof FaceplateError) throw error;
    throw refused(
      `The settings of the backup have mistakes: ${(error as Error).message.slice(0, 500)}.`,
      error,
    );
  }
}

/** Two trees as in settings.json, which are at most two levels deep. */
function merged(one: Record<string, unknown>, other: Record<string, unknown>): Record<string, unknown> {
  const both = { ...one };
  for (const [key, value] of Object.entries(other)) {
    const before = both[key];
    both[key] = isTree(before) && isTree(value) ? { ...before, ...value } : value;
  }
  return both;
}

function isTree(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** For example `faceplate-backup-2026-11-22.zip`. */
function backupName(): string {
  return `faceplate-backup-${new Date().toISOString().slice(0, 10)}.zip`;
}

/** A system error becomes STORAGE_FULL. */
function stored(error: unknown): unknown {
  const errno = errnoOf(error);
  if (errno === undefined) return error;
  const sentence = `The backup could not be written: ${errnoWords(errno)}. Nothing was changed.`;
  return new FaceplateError('STORAGE_FULL', sentence, { cause: error });
}
