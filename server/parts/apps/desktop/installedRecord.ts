import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { StateFile } from '../../../platform/files/stateFile.ts';
import type { Logger } from '../../../platform/log.ts';
import { isBelow } from '../packageFile.ts';
import { findProgram } from './environment.ts';
import type { Application } from './find.ts';

/**
 * The Debian packages that were installed through Faceplate, each with its desktop entry files. Everything else below
 * /usr/share belongs to the system and is not removed.
 */
type InstalledRecord = Readonly<Record<string, readonly string[]>>;

/** Where the record is stored; a `StateFile` of server/platform fits. */
export interface RecordStore {
  /** What is on disk, or an empty record. */
  readonly value: InstalledRecord;
  load(): Promise<InstalledRecord>;
  save(value: InstalledRecord): Promise<void>;
}

/** Checks what was read from disk. */
export const installedRecordSchema = {
  /** @throws Error when the value is no record */
  parse(value: unknown): InstalledRecord {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('not an object');
    const wrong = Object.entries(value).filter(
      ([, files]) => !Array.isArray(files) || !files.every((file) => typeof file === 'string'),
    );
    // Reported like a schema's issues: of a later version's record, the other packages stay.
    const issues = wrong.map(([name]) => ({ path: [name] }));
    if (issues.length > 0) throw Object.assign(new Error('not a list of files'), { issues });
    return value as InstalledRecord;
  },
};

/** The record in a folder of state; nothing is read yet. */
export function packageRecord(folder: string, log: Logger): RecordStore {
  const path = join(folder, 'installed-packages.json');
  return new StateFile({ path, schema: installedRecordSchema, defaults: {}, log });
}

/** Names of the packages that the panel itself runs on: Debian packages, and the last part of desktop file ids. */
const OF_THE_PANEL = /^(faceplate|chromium|chromium-browser|electron\d*)$/i;
/** Programs below these folders do not belong to the system image, wherever their entry is. */
const ADDED_LATER = ['/opt', '/usr/local'];

/** Whether a package is the panel itself or the browser it runs in. */
export function isOfThePanel(packageName: string): boolean {
  return OF_THE_PANEL.test(packageName.split('.').at(-1) ?? '');
}

interface Surroundings {
  readonly session: NodeJS.ProcessEnv;
  readonly record: InstalledRecord;
  /** Programs this service runs on, links followed. */
  readonly ownPrograms: readonly string[];
}

/**
 * Whether a program belongs to the system image and so is never removed. This covers everything below /usr/share,
 * except what was installed through Faceplate and programs in /opt and /usr/local; what the panel runs on; and snaps,
 * which only snapd may change.
 */
export async function isSystemPackage(
  { id, argv, file, folder }: Application,
  { session, record, ownPrograms }: Surroundings,
): Promise<boolean> {
  if (isOfThePanel(id) || folder.origin === 'snap') return true;
  const found = await findProgram(argv[0]!, session);
  const program = found && (await realpath(found).catch(() => found));
  if (program !== undefined && ownPrograms.includes(program)) return true;
  if (folder.origin !== 'system') return false;
  if (Object.values(record).some((files) => files.includes(file))) return false;
  return program === undefined || !ADDED_LATER.some((added) => isBelow(program, added));
}
