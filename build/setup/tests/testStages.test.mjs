import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { stages } from './testStages.mjs';

const root = join(import.meta.dirname, '../../..');

test('should run every test file in one stage, and in no other', () => {
  const patterns = stages
    .filter(({ name }) => ['unit', 'bare', 'full', 'full-bare'].includes(name))
    .flatMap(({ patterns }) => patterns ?? []);
  const run = patterns.flatMap((pattern) => globSync(pattern, { cwd: root }));
  const folders = '{build,client,e2e,electron,preload,renderer-demo,server}';
  assert.deepEqual(run.sort(), globSync(`${folders}/**/*.{test,full}.{ts,mjs}`, { cwd: root }).sort());
});

test("should count the files of each stage of Node's runner as its pattern finds them", () => {
  for (const { name, patterns = [], total } of stages.filter(({ total }) => total !== undefined)) {
    assert.equal(total?.(root), patterns.flatMap((pattern) => globSync(pattern, { cwd: root })).length, name);
  }
});

test('should run every test as a user in one of the configurations', () => {
  const configs = stages
    .filter(({ patterns }) => patterns === undefined)
    .flatMap(({ args }) => args(root, '').filter((word) => /e2e\/\w+\.config\.ts$/.test(word)));
  const names = configs.map((file) => /(\w+)\.config/.exec(file)?.[1]).sort();
  assert.deepEqual(names, ['electron', 'full', 'long', 'panel', 'playwright']);
});

test('a build machine should run the tests of every user first, then the rest, then the Electron host', () => {
  const lines = readFileSync(new URL('../../../.ci/run', import.meta.url), 'utf8').split('\n');
  assert.deepEqual(
    lines.flatMap((line) => /\bnpm (.+) <\/dev\/null$/.exec(line)?.[1] ?? []),
    ['test', 'run test:full', 'run test:electron'],
  );
});
