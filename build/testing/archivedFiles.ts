import { readFileSync } from 'node:fs';

/** An entry of the header of an archive of Electron: a folder has `files`. */
interface Entry {
  readonly files?: Readonly<Record<string, Entry>>;
  /** Lies beside the archive. */
  readonly unpacked?: boolean;
}

/** The files of an asar archive by their paths. It begins with two pickles: sizes, then the header as JSON. */
export function archivedFiles(archive: string): Map<string, Entry> {
  const asar = readFileSync(archive);
  const header = JSON.parse(asar.toString('utf8', 16, 16 + asar.readUInt32LE(12))) as Entry;
  const found = new Map<string, Entry>();
  const walk = (entry: Entry, path: string): void => {
    if (entry.files === undefined) found.set(path.slice(1), entry);
    for (const [name, child] of Object.entries(entry.files ?? {})) walk(child, `${path}/${name}`);
  };
  walk(header, '');
  return found;
}
