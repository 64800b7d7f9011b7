import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { FaceplateError } from '../../contract/errors.ts';
import { type Archive, ByteBudget } from '../../platform/archive/archive.ts';
import { refused } from '../../platform/archive/archiveNames.ts';
import { isStateOf, type StateKind } from '../../platform/files/stateFile.ts';
import { compareSemver, isSemver } from '../../platform/texts.ts';
import type { ProjectsState } from '../projects/contract.ts';
import { type BackedUpState, backupLimits, type ProjectsSource, unseal } from './contents.ts';
import { type BackupManifest, backupManifest, backupProjects, backupSecrets } from './contract.ts';

/** Longest text that is read as a whole, in bytes. */
const MAX_TEXT_BYTES = 8 * 1024 ** 2;

type File = Archive['files'][number];

/** A backup that somebody sent: every part is checked when it is asked for. */
export class OpenedBackup {
  readonly manifest: BackupManifest;
  readonly #archive: Archive;
  readonly #kinds: BackedUpState;

  private constructor(archive: Archive, manifest: BackupManifest, kinds: BackedUpState) {
    this.#archive = archive;
    this.manifest = manifest;
    this.#kinds = kinds;
  }

  /**
   * @param version of this service: what a later one wrote is refused
   * @throws FaceplateError INVALID_REQUEST when it is no backup, or holds a file that no backup holds
   */
  static async of(archive: Archive, version: string, kinds: BackedUpState): Promise<OpenedBackup> {
    const file = archive.find('backup.json');
    if (file === undefined) throw refused('This zip file is no backup of a panel: it has no backup.json.');
    const tree = parsed(await archive.read(file, MAX_TEXT_BYTES), 'backup.json');
    const format = (tree as { format?: unknown } | null)?.format;
    if (typeof format === 'number' && format > 1)
      throw refused('The backup is of a later version than this panel.');
    const manifest = fitting(backupManifest, tree, 'backup.json');
    if (!isSemver(manifest.version)) throw refused('backup.json of the backup names no version.');
    if (compareSemver(manifest.version, version) > 0)
      throw refused(
        `The backup is of version ${manifest.version}, this panel of ${version}: update the panel first.`,
      );
    for (const { path } of archive.files)
      if (!isKnown(path, manifest, kinds))
        throw refused(`The backup holds a file that no backup has: ${path.slice(0, 80)}.`);
    return new OpenedBackup(archive, manifest, kinds);
  }

  /** The settings that are no secret, as a tree. @throws FaceplateError INVALID_REQUEST */
  async settings(): Promise<Record<string, unknown>> {
    const tree = await this.#json('settings.json');
    if (typeof tree !== 'object' || tree === null || Array.isArray(tree))
      throw refused('settings.json of the backup is no JSON object.');
    return tree as Record<string, unknown>;
  }

  /** Text of the state files that are no secret, by name. @throws FaceplateError INVALID_REQUEST */
  async state(): Promise<Record<string, string>> {
    const texts: Record<string, string> = {};
    for (const kind of openOf(this.#kinds)) {
      const file = this.#archive.find(`state/${kind.name}.json`);
      if (file !== undefined)
        texts[kind.name] = stateOf(kind, await this.#archive.read(file, MAX_TEXT_BYTES));
    }
    return texts;
  }

  /**
   * The secrets.
   * @param passphrase a header as it came: one character for each byte
   * @throws FaceplateError INVALID_REQUEST
   */
  async secrets(
    passphrase: string,
  ): Promise<{ settings: Record<string, unknown>; state: Record<string, string> }> {
    const file = this.#archive.find('secrets.bin');
    if (file === undefined) throw refused('The backup has lost its secrets.bin.');
    const sealed = await this.#archive.read(file, MAX_TEXT_BYTES);
    // Programs send UTF-8, browsers Latin-1 where that is enough: only trying tells which.
    const candidates = [Buffer.from(passphrase, 'latin1'), Buffer.from(passphrase, 'utf8')];
    const tries = /^[\x20-\x7e]*$/.test(passphrase) ? candidates.slice(0, 1) : candidates;
    for (const candidate of tries) {
      const text = await unseal(sealed, candidate);
      if (text === undefined) continue;
      const secrets = fitting(backupSecrets, parsed(Buffer.from(text), 'secrets.bin'), 'secrets.bin');
      for (const [name, value] of Object.entries(secrets.state)) {
        const kind = this.#kinds.secret.find((one) => one.name === name);
        if (kind === undefined) throw refused(`secrets.bin of the backup holds ${name.slice(0, 80)}.`);
        stateOf(kind, Buffer.from(value));
      }
      return secrets;
    }
    throw new FaceplateError('INVALID_REQUEST', 'The passphrase is wrong, or the secrets were changed.', {
      field: 'passphrase',
    });
  }

  /**
   * Unpacks the projects below `folder`: `<id>/<version folder>/…`.
   * @returns what projects/state.json has to hold
   * @throws FaceplateError INVALID_REQUEST, STORAGE_FULL, or a system error
   */
  async unpackProjects(folder: string, source: ProjectsSource, signal: AbortSignal): Promise<ProjectsState> {
    const listed = fitting(backupProjects, await this.#json('projects.json'), 'projects.json');
    const state: ProjectsState = { active: listed.active, projects: {}, stale: [] };
    if (listed.active !== null && !Object.hasOwn(listed.projects, listed.active))
      throw refused('The backup names an active project that it does not hold.');
    const filesOf = new Map<string, File[]>(Object.keys(listed.projects).map((id) => [id, []]));
    for (const file of this.#archive.files) {
      const [top, id = '', ...rest] = file.path.split('/');
      if (top !== 'projects') continue;
      const files = filesOf.get(id);
      if (files === undefined || rest.length === 0)
        throw refused(`The backup holds a file of no project: ${file.path.slice(0, 80)}.`);
      files.push(file);
    }
    const claim = await source.space.claim(Math.min(this.#archive.promisedBytes, backupLimits.bytes));
    try {
      for (const [id, { name, version, installedAt }] of Object.entries(listed.projects)) {
        source.mustBeProject(id, name);
        const files = filesOf.get(id) ?? [];
        const { limits } = source;
        if (files.length > limits.files)
          throw refused(`The project ${id} has more than ${limits.files} files.`);
        const prefix = `projects/${id}/`;
        if (!files.some(({ path }) => path === `${prefix}index.html`))
          throw refused(`The project ${id} of the backup has no index.html.`);
        const versionFolder = `${version}-${randomUUID()}`;
        const budget = new ByteBudget(limits.bytes, claim);
        for (const file of files) {
          const target = join(folder, id, versionFolder, file.path.slice(prefix.length));
          await mkdir(dirname(target), { recursive: true, mode: 0o700 });
          await this.#archive.extract(file, target, budget, signal);
        }
        const current = { version, folder: versionFolder, installedAt, size: budget.used };
        state.projects[id] = { name, current, previous: null };
      }
    } finally {
      claim.release();
    }
    return state;
  }

  async #json(name: string): Promise<unknown> {
    const file = this.#archive.find(name);
    if (file === undefined) throw refused(`The backup has lost its ${name}.`);
    return parsed(await this.#archive.read(file, MAX_TEXT_BYTES), name);
  }
}

function openOf({ open, owners }: BackedUpState): readonly StateKind<unknown>[] {
  return [...open, ...owners];
}

/** The text of a state file, as its service writes it. @throws FaceplateError INVALID_REQUEST */
function stateOf(kind: StateKind<unknown>, bytes: Buffer): string {
  const name = `${kind.name}.json`;
  parsed(bytes, name);
  const text = bytes.toString('utf8');
  if (!isStateOf(kind, text)) throw refused(`${name} of the backup is not what a panel writes.`);
  return text;
}

function isKnown(path: string, { projects, secrets }: BackupManifest, kinds: BackedUpState): boolean {
  if (path === 'backup.json' || path === 'settings.json') return true;
  if (path === 'secrets.bin') return secrets;
  if (path === 'projects.json' || path.startsWith('projects/')) return projects;
  return openOf(kinds).some(({ name }) => path === `state/${name}.json`);
}

function parsed(bytes: Buffer, name: string): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as unknown;
  } catch (error) {
    throw refused(`${name} of the backup is not readable JSON.`, error);
  }
}

/** A schema of the contract. */
interface Schema<T> {
  safeParse(value: unknown): { success: true; data: T } | { success: false };
}

function fitting<T>(schema: Schema<T>, value: unknown, name: string): T {
  const result = schema.safeParse(value);
  if (!result.success) throw refused(`${name} of the backup is not what a panel writes.`);
  return result.data;
}
