import type { Dirent } from 'node:fs';
import { constants, open, readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { isBelow, isPackageName } from '../packageFile.ts';
import {
  booleanValue,
  type DesktopEntry,
  localeValue,
  messageLocale,
  parseDesktopEntry,
  parseExec,
  stringValue,
} from './desktopEntry.ts';
import { type ApplicationFolder, findProgram } from './environment.ts';

/** A program that a person can start. */
export interface Application {
  /** Desktop file id without `.desktop`: the package name. */
  readonly id: string;
  readonly label: string;
  /** Where the entry was found; links are not followed. */
  readonly file: string;
  readonly folder: ApplicationFolder;
  readonly argv: readonly string[];
  /** `Path=` of the entry. */
  readonly workingFolder: string | undefined;
  readonly terminal: boolean;
  /** Name of the flatpak the entry was exported by. */
  readonly flatpak: string | undefined;
}

/** Longest desktop entry in bytes; the largest known ones, with a hundred languages, have a tenth of it. */
const MAX_ENTRY_BYTES = 1024 * 1024;
/** Limits on the content of a folder, so that no folder can keep the service busy. */
const MAX_FILES = 4_000;
const MAX_DEPTH = 8;
const MAX_LABEL = 200;

/** All programs of these folders; of two with one id the first counts, even when it only hides the other. */
export async function findApplications(
  folders: readonly ApplicationFolder[],
  session: NodeJS.ProcessEnv,
): Promise<Map<string, Application>> {
  const found = new Map<string, Application | null>();
  for (const folder of folders) {
    const trees = await Promise.all(folder.trees.map((tree) => realpath(tree).catch(() => tree)));
    for (const { id, file } of await entryFiles(folder.path)) {
      if (found.has(id)) continue;
      const text = await readBounded(file, trees);
      const entry = text === undefined ? null : parseDesktopEntry(text);
      if (entry) found.set(id, await toApplication(entry, { id, file, folder, session }));
    }
  }
  const shown = [...found].filter((pair): pair is [string, Application] => pair[1] !== null);
  return new Map(shown);
}

interface Place {
  readonly id: string;
  readonly file: string;
  readonly folder: ApplicationFolder;
  readonly session: NodeJS.ProcessEnv;
}

/** @returns null when the entry is no program, is hidden, or cannot be started. */
async function toApplication(entry: DesktopEntry, place: Place): Promise<Application | null> {
  const { id, file, folder, session } = place;
  const application = readApplication(entry, { id, file, folder, locale: messageLocale(session) });
  const tryExec = stringValue(entry, 'TryExec');
  if (application && tryExec && !(await findProgram(tryExec, session))) return null;
  return application;
}

/**
 * What an entry says, without looking at the machine. `OnlyShowIn` and `NotShowIn` name desktops and do not concern a
 * kiosk. An entry without an Exec line (D-Bus activation only) is left out: its end could not be noticed.
 * @returns null when the entry is no program, is hidden, or has no valid Exec line
 */
export function readApplication(
  entry: DesktopEntry,
  place: Pick<Application, 'id' | 'file' | 'folder'> & { readonly locale: string },
): Application | null {
  const { locale, ...where } = place;
  if (stringValue(entry, 'Type') !== 'Application') return null;
  if (booleanValue(entry, 'Hidden') || booleanValue(entry, 'NoDisplay')) return null;
  const label = cleanLabel(localeValue(entry, 'Name', locale) ?? '') || where.id;
  const exec = stringValue(entry, 'Exec');
  const icon = localeValue(entry, 'Icon', locale) || undefined;
  const argv = exec === undefined ? null : parseExec(exec, { name: label, icon, file: where.file });
  if (argv === null) return null;
  return {
    ...where,
    label,
    argv,
    workingFolder: stringValue(entry, 'Path') || undefined,
    terminal: booleanValue(entry, 'Terminal'),
    flatpak: stringValue(entry, 'X-Flatpak') || undefined,
  };
}

/** Desktop files below a folder with their ids: `a/b.desktop` is `a-b` (section 2, desktop file ID). */
async function entryFiles(root: string): Promise<{ id: string; file: string }[]> {
  const files: { id: string; file: string }[] = [];
  const walk = async (folder: string, prefix: string, depth: number): Promise<void> => {
    const children = await readdir(folder, { withFileTypes: true }).catch((): Dirent[] => []);
    for (const child of children.sort((one, other) => (one.name < other.name ? -1 : 1))) {
      if (files.length >= MAX_FILES) return;
      const file = join(folder, child.name);
      if (child.isDirectory() && depth < MAX_DEPTH) await walk(file, `${prefix}${child.name}-`, depth + 1);
      const id = idOf(prefix + child.name);
      if (id !== undefined && (child.isFile() || child.isSymbolicLink())) files.push({ id, file });
    }
  };
  await walk(root, '', 1);
  return files;
}

/**
 * Package name of a file in a folder of entries; undefined when it is no entry, or when the API cannot carry the name.
 */
export function idOf(fileName: string): string | undefined {
  const id = fileName.endsWith('.desktop') ? fileName.slice(0, -'.desktop'.length) : '';
  return isPackageName(id) ? id : undefined;
}

/** Text of a regular file of limited size that is really below one of the trees; otherwise undefined. */
async function readBounded(path: string, trees: readonly string[]): Promise<string | undefined> {
  try {
    const real = await realpath(path);
    if (!trees.some((tree) => isBelow(real, tree))) return undefined;
    // Not blocking: a FIFO would block the service until a program writes into it.
    const file = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const { size } = await file.stat().then((stats) => (stats.isFile() ? stats : { size: Infinity }));
      if (size > MAX_ENTRY_BYTES) return undefined;
      const { bytesRead, buffer } = await file.read(Buffer.alloc(size), 0, size, 0);
      return buffer.toString('utf8', 0, bytesRead);
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}

/** One line of limited length without control characters. */
function cleanLabel(text: string): string {
  return [...text.replaceAll(/\p{Cc}+/gu, ' ').trim()].slice(0, MAX_LABEL).join('');
}
