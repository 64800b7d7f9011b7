import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { FaceplateError } from '../../contract/errors.ts';
import type { PackedFile } from '../../platform/archive/zipWriter.ts';
import { errnoOf } from '../../platform/errno.ts';
import { isStateOf, type StateKind } from '../../platform/stateFile.ts';
import type { BackupManifest } from './contract.ts';
import type { BackedUpState, ProjectsSource, SettingsSource } from './driver.ts';
import { seal } from './sealed.ts';

/** How many files a backup may hold, and how many bytes they may have when they are unpacked. */
export const backupLimits = { files: 100_000, bytes: 8 * 1024 ** 3 };

interface Sources {
  readonly dataDir: string;
  readonly version: string;
  readonly state: BackedUpState;
  readonly settings: SettingsSource;
  readonly projects: ProjectsSource;
}

interface Wish {
  readonly passphrase: string | undefined;
  readonly projects: boolean;
}

/**
 * Collects the files of a backup and hands them to `write` while no project changes.
 * @throws FaceplateError TOO_LARGE when no panel would take it back, or what `write` throws
 */
export async function withContents(
  { dataDir, version, state: kinds, settings, projects }: Sources,
  wish: Wish,
  write: (files: readonly PackedFile[]) => Promise<void>,
): Promise<void> {
  const { plain, secret } = settings.kept();
  const manifest: BackupManifest = {
    format: 1,
    version,
    createdAt: new Date().toISOString(),
    projects: wish.projects,
    secrets: wish.passphrase !== undefined,
  };
  const files: PackedFile[] = [json('backup.json', manifest), json('settings.json', plain)];
  for (const [name, text] of await stateTexts(dataDir, [...kinds.open, ...kinds.owners]))
    files.push({ name: `state/${name}.json`, source: Buffer.from(text) });
  if (wish.passphrase !== undefined) {
    const state = Object.fromEntries(await stateTexts(dataDir, kinds.secret));
    const sealed = await seal(JSON.stringify({ settings: secret, state }), wish.passphrase);
    files.push({ name: 'secrets.bin', source: sealed });
  }
  if (!wish.projects) return write(files);
  await projects.hold(async (state, folderOf) => {
    const kept = Object.entries(state.projects).map(([id, { name, current }]) => {
      const { version, installedAt } = current;
      return [id, { name, version, installedAt }];
    });
    files.push(json('projects.json', { active: state.active, projects: Object.fromEntries(kept) }));
    const bytes = Object.values(state.projects).reduce((sum, { current }) => sum + current.size, 0);
    for (const id of Object.keys(state.projects)) await addFolder(files, folderOf(id), `projects/${id}`);
    if (files.length > backupLimits.files || bytes > backupLimits.bytes) throw tooLarge();
    await write(files);
  });
}

export function tooLarge(): FaceplateError {
  return new FaceplateError('TOO_LARGE', 'The backup is larger than 512 MiB. Leave the projects out.');
}

/** The text of each state file that is there, by name; a damaged one is left out, since no panel would take it back. */
async function stateTexts(
  dataDir: string,
  kinds: readonly StateKind<unknown>[],
): Promise<[string, string][]> {
  const texts: [string, string][] = [];
  for (const kind of kinds) {
    const text = await stateText(dataDir, kind.name);
    if (text !== undefined && isStateOf(kind, text)) texts.push([kind.name, text]);
  }
  return texts;
}

/** The text of a state file; undefined when it is not there. */
export async function stateText(dataDir: string, name: string): Promise<string | undefined> {
  try {
    return await readFile(join(dataDir, `${name}.json`), 'utf8');
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
    return undefined;
  }
}

async function addFolder(files: PackedFile[], folder: string, name: string): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    files.push({ name: `${name}/${relative(folder, path)}`, source: { path } });
  }
}

function json(name: string, value: unknown): PackedFile {
  return { name, source: Buffer.from(`${JSON.stringify(value, null, 2)}\n`) };
}
