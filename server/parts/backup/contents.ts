import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Scope } from '../../contract/access.ts';
import { FaceplateError } from '../../contract/errors.ts';
import type { UnpackLimits } from '../../platform/archive/archive.ts';
import type { DiskSpace } from '../../platform/archive/diskSpace.ts';
import type { PackedFile } from '../../platform/archive/zipWriter.ts';
import { errnoOf } from '../../platform/errno.ts';
import { isStateOf, type StateKind } from '../../platform/files/stateFile.ts';
import type { ProjectsState } from '../projects/contract.ts';
import type { BackupManifest } from './contract.ts';

/** What a restore would do to the settings. */
export interface SettingsPlan {
  /** All of settings.json as it then is. */
  readonly text: string;
  /** Keys of the backup that are taken. */
  readonly restored: readonly string[];
  /** Keys of the backup that are left alone. */
  readonly skipped: readonly string[];
  /** Secrets of the panel that are cleared. */
  readonly cleared: readonly string[];
}

/** Who restores. */
export interface Restorer {
  readonly isOwner: boolean;
  /** What the restorer's token opens. */
  readonly scopes: readonly Scope[];
}

/** What a backup needs of the settings. */
export interface SettingsSource<P extends SettingsPlan = SettingsPlan> {
  /** Trees for settings.json: what anybody may see, and the secrets. */
  kept(): { readonly plain: unknown; readonly secret: unknown };
  /** Checks the settings of a backup, a file like settings.json. @throws Error in words when they do not fit, or a FaceplateError */
  plan(path: string, options: Restorer & { readonly secrets: boolean }): P;
  /** @returns the keys that need a restart */
  carryOut(plan: P): Promise<readonly string[]>;
}

/** The state files of a backup, as their services declare them. */
export interface BackedUpState {
  /** Anybody with the right to a backup reads them and takes them back. */
  readonly open: readonly StateKind<unknown>[];
  /** Anybody reads them; taken back by somebody else than the owner they would be a way around a rule. */
  readonly owners: readonly StateKind<unknown>[];
  /** They let somebody in, and are sealed. */
  readonly secret: readonly StateKind<unknown>[];
}

/** What a backup needs of the projects. */
export interface ProjectsSource {
  readonly space: DiskSpace;
  readonly limits: UnpackLimits;
  /** Runs `work` while no project changes. */
  hold<T>(work: (state: ProjectsState, folderOf: (id: string) => string) => Promise<T>): Promise<T>;
  /** @throws FaceplateError INVALID_REQUEST when a project of this name cannot have the id */
  mustBeProject(id: string, name: string): void;
  /** Replaces all projects. @param place moves the folders that `state` names to their places */
  replaceAll(state: ProjectsState, place: () => Promise<void>): Promise<void>;
}

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

/** What begins the file, and is signed with it: another version of the format gets another text. */
const MAGIC = Buffer.from('FACEPLATE SECRETS 1\n');
const SALT_BYTES = 16;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
/**
 * scrypt (RFC 7914): 32 MiB and about half a second of work for each guess. Fixed by the format, so that a file cannot
 * ask for more.
 */
const COST = { N: 2 ** 15, r: 8, p: 3, maxmem: 64 * 1024 ** 2 };

/**
 * Encrypts a text with a passphrase: AES-256-GCM (NIST SP 800-38D) with a key by scrypt. The file is magic, salt, iv,
 * tag and cipher text, one after the other; magic and salt are authenticated.
 */
export async function seal(text: string, passphrase: string): Promise<Buffer> {
  const salt = randomBytes(SALT_BYTES);
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', await keyOf(Buffer.from(passphrase), salt), iv);
  cipher.setAAD(Buffer.concat([MAGIC, salt]));
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([MAGIC, salt, iv, cipher.getAuthTag(), sealed]);
}

/** @returns the text; undefined when the passphrase is wrong or the bytes were changed */
export async function unseal(bytes: Buffer, passphrase: Buffer): Promise<string | undefined> {
  const parts: Buffer[] = [];
  let at = 0;
  for (const count of [MAGIC.length, SALT_BYTES, IV_BYTES, TAG_BYTES]) {
    parts.push(bytes.subarray(at, at + count));
    at += count;
  }
  const [magic, salt, iv, tag] = parts as [Buffer, Buffer, Buffer, Buffer];
  if (!magic.equals(MAGIC) || tag.length < TAG_BYTES) return undefined;
  const cipher = createDecipheriv('aes-256-gcm', await keyOf(passphrase, salt), iv, {
    authTagLength: TAG_BYTES,
  });
  cipher.setAAD(Buffer.concat([magic, salt]));
  cipher.setAuthTag(tag);
  try {
    return Buffer.concat([cipher.update(bytes.subarray(at)), cipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}

function keyOf(passphrase: Buffer, salt: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(passphrase, salt, KEY_BYTES, COST, (error, key) => (error ? reject(error) : resolve(key)));
  });
}
