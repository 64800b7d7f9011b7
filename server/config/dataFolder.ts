import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeWhole } from '../platform/files/wholeFile.ts';
import type { Logger } from '../platform/log.ts';
import { compareSemver, isSemver } from '../platform/texts.ts';

/** The latest version that ever wrote a data folder. */
export interface DataVersion {
  /** undefined when the folder is new, or older than `<dataDir>/version`. */
  readonly version: string | undefined;
  /** Later than the running version. */
  readonly isLater: boolean;
}

/** Reads `<dataDir>/version`. Never fails: an invalid version counts as none. @param ours the running version */
export function readDataVersion(dataDir: string, ours: string): DataVersion {
  let text = '';
  try {
    text = readFileSync(join(dataDir, 'version'), 'utf8').trim();
  } catch {
    // A new folder, or one that cannot be read; in that case the reader of the next file in it reports why.
  }
  if (!isSemver(text)) return { version: undefined, isLater: false };
  return { version: text, isLater: compareSemver(text, ours) > 0 };
}

/** Writes our version to `<dataDir>/version` unless a later one is there. A full disk does not prevent the start. */
export async function noteDataVersion(dataDir: string, ours: string, log: Logger): Promise<void> {
  const { version } = readDataVersion(dataDir, ours);
  if (version !== undefined && compareSemver(version, ours) >= 0) return;
  await writeWhole(join(dataDir, 'version'), `${ours}\n`).catch((error: unknown) =>
    log.error({ err: error }, 'config: could not write the version of the data folder'),
  );
}

/**
 * The panel's id in `<dataDir>/id`: 12 hex digits, made at the first start. A file that holds none gets a new one.
 * Where it cannot be written, the panel has another id after its next start.
 */
export async function loadPanelId(dataDir: string, log: Logger): Promise<string> {
  const path = join(dataDir, 'id');
  const stored = (await readFile(path, 'utf8').catch(() => '')).trim();
  if (/^[0-9a-f]{12}$/.test(stored)) return stored;
  const made = randomBytes(6).toString('hex');
  await writeWhole(path, `${made}\n`).catch((error: unknown) =>
    log.error({ file: path, err: error }, 'config: could not write the panel id'),
  );
  return made;
}
