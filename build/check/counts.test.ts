import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compareCounts, countSources, fullFolders } from './counts.ts';

const lines = (count: number) => 'a;\n'.repeat(count);

/** Two parts, a platform, and a view; `led/service.ts` alone uses `led/colour.ts`. */
const sources = new Map([
  ['server/main.ts', "import { led } from './parts/led/service.ts';\n"],
  [
    'server/parts/led/service.ts',
    `import { mix } from './colour.ts';\nimport { log } from '../../platform/log.ts';\n`,
  ],
  ['server/parts/led/colour.ts', lines(80)],
  ['server/parts/led/contract.ts', lines(10)],
  ['server/parts/led/view.tsx', "import type { Led } from './contract.ts';\n"],
  ['server/parts/led/service.test.ts', "import { mix } from './colour.ts';\n"],
  [
    'server/parts/gpio/service.ts',
    "import { log } from '../../platform/log.ts';\nimport type { Led } from '../led/contract.ts';\n",
  ],
  ['server/platform/log.ts', lines(3)],
  ['server/platform/lists.ts', '// Generated from nothing.\n'],
]);

describe('counts of the sources', () => {
  it('should count product files, those with one importer, and arrows between folders', () => {
    assert.deepEqual(countSources(sources), {
      files: 7,
      medianLines: 2,
      fullFolders: 0,
      // Of colour, log, led/service and gpio/service: log has two importers, gpio/service none.
      oneImporterPercent: 50,
      folders: 2,
      // The program, parts, platform; views and contracts are of the modules of their kind.
      arrows: 4,
      longestChain: 3,
    });
  });

  it('should name folders with more than 25 files, but not those of docs, e2e and corpora', () => {
    const many = (folder: string) =>
      Array.from({ length: 26 }, (_, file) => [`${folder}/${file}.ts`, ''] as const);
    const tree = new Map([
      ...many('server/config'),
      ...many('docs'),
      ...many('e2e/specs'),
      ...many('server/corpus'),
    ]);
    assert.deepEqual(fullFolders(tree), ['server/config 26']);
  });

  it('should refuse a count that has grown, and a median that has shrunk', () => {
    const now = countSources(sources);
    assert.deepEqual(compareCounts(now, now), []);
    const [files, median, ...rest] = compareCounts(now, { ...now, files: 6, medianLines: 3 });
    assert.match(files!, /^files is 7, and was 6\./);
    assert.match(median!, /^medianLines is 2, and was 3\./);
    assert.deepEqual(rest, []);
  });
});
