import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { temporaryFolder } from '../../server/testing/temporaryFolder.ts';

test('should put a folder in place while others do the same', async () => {
  const folder = temporaryFolder('place');
  const module = join(import.meta.dirname, 'putInPlace.ts');
  const program = `
    import { mkdirSync, writeFileSync } from 'node:fs';
    import { putInPlace } from ${JSON.stringify(module)};
    for (let round = 0; round < 200; round++) {
      const made = ${JSON.stringify(folder)} + '/made' + process.pid;
      mkdirSync(made);
      for (const name of ['one', 'two', 'three']) writeFileSync(made + '/' + name, '');
      putInPlace(made, ${JSON.stringify(join(folder, 'target'))});
    }`;
  const run = () => promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);
  await Promise.all([run(), run()]);
  assert.deepEqual(readdirSync(folder), ['target']);
  assert.deepEqual(readdirSync(join(folder, 'target')).sort(), ['one', 'three', 'two']);
});
