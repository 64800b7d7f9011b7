import assert from 'node:assert/strict';
import { test } from 'node:test';
import { usedMiB } from './sizes.ts';

test('should count what a file system holds, not its room', () => {
  const said =
    'Block count:              655360\nFree blocks:              399360\nBlock size:               4096\n';
  assert.equal(usedMiB(said), 1000);
});
