import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { browserLists } from './lists/browser.ts';
import { contractLists } from './lists/contracts.ts';
import { ENTITY_LIST, entityList } from './lists/entities.ts';
import { profileList } from './lists/profiles.ts';

/**
 * Writes the files that are made from the folders of the parts, from the contract, from the import rules and from the
 * committed figures of the benches: `node build/generate/main.ts`. With `--check` it only compares, names what is stale and
 * exits 1.
 */
const root = join(import.meta.dirname, '../..');
const isCheck = process.argv.includes('--check');

// The lists come first: all else is made from what they collect.
settle({
  'server/contract/lists.ts': contractLists(root),
  'server/parts/boards/partProfiles.ts': profileList(root),
  [ENTITY_LIST]: entityList(root),
  ...(await browserLists(root)),
});
settle((await import('./generatedFiles.ts')).files);

function settle(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    if (readOrEmpty(join(root, path)) === text) continue;
    if (isCheck) {
      console.error(`${path} is not what the sources say; run: npm run check:fix`);
      process.exitCode = 1;
    } else {
      writeFileSync(join(root, path), text);
      console.log(`wrote ${path}`);
    }
  }
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
