import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

/** Names the file in which a run of the tests finds who made a folder (`build/setup/tests/leftovers.mjs`). */
const MAKERS_VARIABLE = 'TEST_FOLDERS_OF_FACEPLATE';

const root = join(import.meta.dirname, '../..');
const folders: string[] = [];

/**
 * Makes a folder for the files of a test. It goes when the process ends, after all hooks: hooks run in the order in which
 * they were added, so one that removes the folder may come before one that stops a service, which writes once more. What is
 * large, or must be gone earlier, may be removed by hand as well.
 * @param name short, because sockets below it have paths of at most 107 bytes
 */
export function temporaryFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `faceplate-${name}-`));
  if (folders.push(folder) === 1) process.once('exit', removeAll);
  const makers = process.env[MAKERS_VARIABLE];
  if (makers !== undefined) appendFileSync(makers, `${folder} ${callers().join(' ')}\n`);
  return folder;
}

function removeAll(): void {
  // Children that are being killed may still write.
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** The lines of our files that are being run, the innermost first. */
function callers(): readonly string[] {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 50;
  const { stack = '' } = new Error();
  Error.stackTraceLimit = stackTraceLimit;
  return [...stack.matchAll(/(?<=[( ](?:file:\/\/)?)(\/[^()]+:\d+):\d+/g)]
    .map(([, place = '']) => relative(root, place))
    .filter((place) => !/^server\/testing\/temporaryFolder\.ts|node_modules/.test(place));
}
