import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { findUnsafe } from './survives.ts';
import { readTree } from './tree.ts';

const found = (source: string, file = 'server/a/b.ts') => findUnsafe(new Map([[file, source]])).length;

describe('security: code that would end the service without descriptors', () => {
  it('should not be in this project', async () => {
    assert.deepEqual(findUnsafe(await readTree(join(import.meta.dirname, '../..'))), []);
  });

  it('should be a reading of the interfaces outside its home', () => {
    const source = "import { networkInterfaces } from 'node:os';";
    assert.equal(found(source), 1);
    assert.equal(found("import os from 'node:os';\nos.networkInterfaces();"), 1);
    assert.equal(found('/** As `networkInterfaces()` gives them. */'), 0);
    for (const file of ['server/platform/net/addresses.ts', 'server/a/b.test.ts', 'build/a.ts'])
      assert.equal(found(source, file), 0, file);
  });

  it('should be a chain of promises without a catch', () => {
    for (const chain of ['this.#changing', 'queue.last', 'before'])
      assert.deepEqual(
        findUnsafe(new Map([['server/a.ts', `{\n  ${chain} = ${chain}.then(() => act());\n}`]])),
        [`server/a.ts:2: a failure ends ${chain} for good, uncaught. Use InTurn, or catch it.`],
      );
    const long = '  this.#a = this.#a\n    .then(async () => {\n      one();\n    })';
    assert.equal(found(`${long};\n  other().catch(() => {});\n`), 1);
    assert.equal(found(`${long}\n    .catch(() => {});\n`), 0);
    assert.equal(found('  this.#a = this.#b.then(act);\n'), 0);
  });
});
