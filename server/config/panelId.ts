import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '../platform/log.ts';
import { writeWhole } from '../platform/wholeFile.ts';

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
