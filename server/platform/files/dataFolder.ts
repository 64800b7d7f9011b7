import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { errnoOf } from '../errno.ts';
import { statFields } from '../processes.ts';
import { syncFolder, syncFolderNow, writeWhole } from './wholeFile.ts';

/**
 * Changes of the whole data folder, all or nothing, also after kill -9 and loss of power: a restore is written beside
 * what is there and counts from the rename that names it; a reset counts from its marker. What was not finished before
 * the service ended, its next start finishes before anything else reads the folder.
 */

/** A restore that is being written; it counts for nothing. */
const WRITING = 'restore.new';
/** A restore that counts. */
const RESTORE = 'restore';
/** A restore that another one replaces. */
const REPLACED = 'restore.old';
const RESET = 'reset';
/** What is left of a reset once the data folder is empty: the browser's data, and the note for the journal. */
const AFTER_RESET = 'reset.rest';

/** What a reset leaves: who the panel is, and the programs that stay installed. */
const KEPT = ['id', 'installed-packages.json', 'packages', RESET, AFTER_RESET];

/** A new folder for a restore, with nothing in it. */
export async function beginRestore(dataDir: string): Promise<string> {
  const folder = join(dataDir, WRITING);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/** Removes what `beginRestore` made. */
export async function dropRestore(dataDir: string): Promise<void> {
  await rm(join(dataDir, WRITING), { recursive: true, force: true });
}

/** From here on the restore counts. @returns its folder */
export async function commitRestore(dataDir: string): Promise<string> {
  const [writing, folder, old] = [WRITING, RESTORE, REPLACED].map((name) => join(dataDir, name)) as [
    string,
    string,
    string,
  ];
  await syncFolder(writing);
  await rm(old, { recursive: true, force: true });
  moved(folder, old);
  await rename(writing, folder);
  await syncFolder(dataDir);
  await rm(old, { recursive: true, force: true });
  return folder;
}

/** Moves the restored projects to their places. May be repeated. */
export function placeProjects(dataDir: string): void {
  const from = join(dataDir, RESTORE, 'projects');
  const to = join(dataDir, 'projects');
  for (const id of namesIn(from)) {
    mkdirSync(join(to, id), { recursive: true, mode: 0o700 });
    for (const version of namesIn(join(from, id))) moved(join(from, id, version), join(to, id, version));
    syncFolderNow(join(to, id));
    syncFolderNow(to);
  }
}

/** Forgets parts of a restore that are in place; the whole of it when nothing is left. */
export async function endRestored(
  dataDir: string,
  parts: readonly ('settings.json' | 'projects')[],
): Promise<void> {
  const folder = join(dataDir, RESTORE);
  for (const part of parts) {
    // The list is removed last: as long as it is there, the next start places the projects.
    await rm(join(folder, part), { recursive: true, force: true });
    if (part === 'projects') await rm(join(folder, 'projects.json'), { force: true });
  }
  if (namesIn(folder).length === 0) await rm(folder, { recursive: true, force: true });
  await syncFolder(dataDir);
}

/** Marks the data folder for a reset, which counts from here on. @param note for the journal, after the reset */
export async function markReset(dataDir: string, note: unknown): Promise<void> {
  await writeWhole(join(dataDir, RESET), `${JSON.stringify(note)}\n`);
}

/**
 * Finishes a reset or a restore of before. Comes first of all at a start; nothing else may have the folder open. Waits
 * for nothing but the disk, because Electron must be prepared before anything else is awaited.
 * @throws a system error; what counted is finished by the next start then
 */
export function finishPending(dataDir: string): void {
  if (existsSync(join(dataDir, RESET))) finishReset(dataDir);
  removed(join(dataDir, WRITING));
  const folder = join(dataDir, RESTORE);
  if (!existsSync(folder)) moved(join(dataDir, REPLACED), folder);
  removed(join(dataDir, REPLACED));
  if (existsSync(folder)) finishRestore(dataDir, folder);
}

/** Where the data folder is, unless a setting says otherwise. */
export function usualDataFolder(environment: NodeJS.ProcessEnv): string {
  return join(environment.XDG_STATE_HOME || join(homedir(), '.local', 'state'), 'faceplate');
}

/** Whether a start finds the folder as it is now: nothing is to be finished first, and no other process has it open. */
export function isDataFolderAtRest(dataDir: string): boolean {
  const pending = [RESET, AFTER_RESET, RESTORE, WRITING, REPLACED];
  return !pending.some((name) => existsSync(join(dataDir, name))) && !isOpenElsewhere(dataDir);
}

/** What a reset left to do for this start; undefined where there was none. */
export async function afterReset(dataDir: string): Promise<{ readonly note: unknown } | undefined> {
  try {
    return { note: JSON.parse(await readFile(join(dataDir, AFTER_RESET), 'utf8')) as unknown };
  } catch {
    return undefined;
  }
}

/** The browser's data are gone, the journal has its note. */
export async function endReset(dataDir: string): Promise<void> {
  await rm(join(dataDir, AFTER_RESET), { force: true });
}

function finishReset(dataDir: string): void {
  for (const name of namesIn(dataDir)) if (!KEPT.includes(name)) removed(join(dataDir, name));
  syncFolderNow(dataDir);
  renameSync(join(dataDir, RESET), join(dataDir, AFTER_RESET));
  syncFolderNow(dataDir);
}

function finishRestore(dataDir: string, folder: string): void {
  moved(join(folder, 'settings.json'), join(dataDir, 'settings.json'));
  if (existsSync(join(folder, 'projects.json'))) {
    mkdirSync(join(dataDir, 'projects'), { recursive: true, mode: 0o700 });
    placeProjects(dataDir);
    moved(join(folder, 'projects.json'), join(dataDir, 'projects', 'state.json'));
    syncFolderNow(join(dataDir, 'projects'));
  }
  for (const name of namesIn(join(folder, 'state'))) moved(join(folder, 'state', name), join(dataDir, name));
  syncFolderNow(dataDir);
  removed(folder);
}

/** Writes a file of a restore, synced. */
export async function writeRestored(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(path, text, { mode: 0o600, flag: 'wx', flush: true });
  await syncFolder(dirname(path));
}

/** Renames; does nothing where an earlier try did it already, also on a disk that takes no writes. */
function moved(from: string, to: string): void {
  if (!existsSync(from)) return;
  try {
    renameSync(from, to);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
  }
}

function removed(path: string): void {
  rmSync(path, { recursive: true, force: true });
}

function namesIn(path: string): string[] {
  try {
    return readdirSync(path);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  }
}

/** Which process has the data folder open. */
const NAME = 'running';

/** Notes that this process has the folder open. It counts while the process lives, so nothing waits for the disk. */
export function noteOpen(dataDir: string): void {
  try {
    writeFileSync(join(dataDir, NAME), `${identityOf(process.pid)}\n`, { mode: 0o600 });
  } catch {
    // A second start then knows less.
  }
}

/** Whether another process that still runs has the folder open. */
export function isOpenElsewhere(dataDir: string): boolean {
  try {
    const text = readFileSync(join(dataDir, NAME), 'utf8').trim();
    const pid = Number(text.split(' ')[0]);
    return pid !== process.pid && identityOf(pid) === text;
  } catch {
    return false;
  }
}

/** A process with its start in ticks since a boot (proc_pid_stat(5)): no later one has the same. @throws when it is gone */
function identityOf(pid: number): string {
  const started = statFields(`/proc/${pid}/stat`)[19];
  if (started === undefined) throw new Error('The process is gone.');
  return `${pid} ${started} ${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}`;
}
