import { mkdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';

/** Where Chromium keeps the histograms of its own work: a file in memory for each run, of which each minute changes a lot. */
const HISTOGRAMS = 'BrowserMetrics';

/**
 * Puts the histograms of the next run into a folder of the memory, of which nobody reads them: on a disk of flash memory
 * they would be written for as long as the browser runs. Chromium has no switch for it (InstantiatePersistentHistograms
 * of chrome/app/chrome_main_delegate.cc), and takes the link away again once it runs.
 * @param memory a folder of this user in memory, such as XDG_RUNTIME_DIR
 */
export async function keepHistogramsInMemory(profileDir: string, memory: string): Promise<void> {
  const folder = join(memory, 'histograms');
  const link = join(profileDir, HISTOGRAMS);
  // Both may be left of a run before, with its file of 4 MiB.
  await Promise.all([folder, link].map((path) => rm(path, { recursive: true, force: true })));
  await mkdir(folder, { mode: 0o700 });
  await symlink(folder, link);
}
