import { linkSync, readFileSync, renameSync } from 'node:fs';
import { basename, join } from 'node:path';
import { errnoOf } from '../platform/errno.ts';
import { writeWholeNow } from '../platform/wholeFile.ts';
import { GOOD_SETTINGS, readStarts, writeStarts } from './starts.ts';

/**
 * Puts the last settings that worked in the place of a settings.json that nobody can read, which is kept beside it.
 * Comes before the settings are read. Where no settings are known to have worked, the file stays: the start ends with its
 * mistake.
 */
export function mendSettings(dataDir: string): void {
  const path = join(dataDir, 'settings.json');
  const why = whyUnreadable(path);
  if (why === undefined) return;
  try {
    const kept = join(dataDir, GOOD_SETTINGS);
    if (whyUnreadable(kept) !== undefined) return;
    const good = readFileSync(kept, 'utf8');
    const now = new Date().toISOString();
    const aside = `${path}.corrupt-${now.replaceAll(':', '-')}`;
    setAside(path, aside);
    writeWholeNow(path, good);
    const starts = readStarts(dataDir);
    const reason = `${why}; kept as ${basename(aside)}`;
    writeStarts(dataDir, {
      ...starts,
      undone: { ...starts.undone, 'settings.json': { reason, at: now, of: '' } },
    });
  } catch {
    // The reader of the settings says what is wrong.
  }
}

function whyUnreadable(path: string): string | undefined {
  try {
    const tree: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return typeof tree === 'object' && tree !== null && !Array.isArray(tree)
      ? undefined
      : 'is no JSON object';
  } catch (error) {
    if (error instanceof SyntaxError) return 'is not valid JSON';
    const errno = errnoOf(error);
    return errno === 'ENOENT' ? undefined : `cannot be read (${errno})`;
  }
}

/** A second name, so that there is a settings.json at every moment: without one the panel would take its defaults. */
function setAside(path: string, aside: string): void {
  try {
    linkSync(path, aside);
  } catch {
    renameSync(path, aside);
  }
}
