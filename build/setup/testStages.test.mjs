import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { stages } from './testStages.mjs';

const root = join(import.meta.dirname, '../..');

test('should run every test file in one stage, and in no other', () => {
  const patterns = stages
    .filter(({ name }) => ['unit', 'bare'].includes(name))
    .flatMap(({ args }) => args(root, '').filter((word) => /\*/.test(word)));
  const run = patterns.flatMap((pattern) => globSync(pattern, { cwd: root }));
  const folders = '{build,client,e2e,electron,preload,renderer-demo,server}';
  assert.deepEqual(run.sort(), globSync(`${folders}/**/*.test.{ts,mjs}`, { cwd: root }).sort());
});
