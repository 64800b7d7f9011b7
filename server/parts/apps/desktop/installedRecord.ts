import { join } from 'node:path';
import type { Logger } from '../../../platform/log.ts';
import { StateFile } from '../../../platform/stateFile.ts';

/**
 * The Debian packages that were installed through Faceplate, each with its desktop entry files. Everything else below
 * /usr/share belongs to the system and is not removed.
 */
export type InstalledRecord = Readonly<Record<string, readonly string[]>>;

/** Where the record is kept; a `StateFile` of server/platform fits. */
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
    // Reported like a schema's issues: of a later version's record, the other packages are kept.
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
