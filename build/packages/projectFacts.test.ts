import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { temporaryFolder } from '../../server/testing/temporaryFolder.ts';
import { projectFacts, sourceTime } from './projectFacts.ts';

const root = join(import.meta.dirname, '../..');
let work: string;
before(() => {
  work = temporaryFolder('facts');
});

test('should find maintainer and homepage in package.json, as Debian wants them', () => {
  const { maintainer, homepage, version } = projectFacts(root);
  assert.match(maintainer, /^[^<>]+ <[^<>@\s]+@[^<>@\s]+>$/);
  assert.match(homepage, /^https:\/\//);
  assert.match(version, /^\d+\.\d+\.\d+/);
});

test('should name what package.json does not say', () => {
  writeFileSync(
    join(work, 'package.json'),
    JSON.stringify({ version: '1.0.0', description: 'x', license: 'MIT' }),
  );
  assert.throws(() => projectFacts(work), /says no author/);
});

test('should take the time of the sources from the environment, else from the last commit', () => {
  assert.equal(sourceTime(root, { SOURCE_DATE_EPOCH: '1700000000' }), 1_700_000_000);
  assert.ok(sourceTime(root, {}) > 1_700_000_000);
  assert.equal(sourceTime(work, {}), 1_767_225_600);
});
