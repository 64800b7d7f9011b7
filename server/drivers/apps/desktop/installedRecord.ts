/**
 * The Debian packages that were installed through Faceplate, each with its desktop entry files. Everything else below
 * /usr/share belongs to the system and is not removed.
 */
export type InstalledRecord = Readonly<Record<string, readonly string[]>>;

/** Where the record is kept; a `StateFile` of server/store fits. */
export interface RecordStore {
  /** What is on disk, or an empty record. */
  readonly value: InstalledRecord;
  load(): Promise<InstalledRecord>;
  save(value: InstalledRecord): Promise<void>;
}

/** Checks what was read from disk. */
export const installedRecordSchema = {
  /** @throws Error where the value is no record */
  parse(value: unknown): InstalledRecord {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('not an object');
    for (const files of Object.values(value)) {
      if (!Array.isArray(files) || !files.every((file) => typeof file === 'string')) {
        throw new Error('not a list of files');
      }
    }
    return value as InstalledRecord;
  },
};
