import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { memoryOf, processTree } from './processMemory.ts';

/** A shell whose child holds 64 MiB. */
const PROGRAM = `"$0" -e 'const held = Buffer.alloc(64 * 1024 * 1024, 1); console.log(held.length); setInterval(() => {}, 1000)' & wait`;

describe('memory of a process tree', () => {
  test('should count the memory of a child of a child, and none of a process that is gone', async () => {
    const shell = spawn('/bin/sh', ['-c', PROGRAM, process.execPath], {
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    try {
      await once(shell.stdout, 'data');
      const tree = await processTree(shell.pid!);
      assert.equal(tree.length, 2);
      const bytes = await memoryOf(tree);
      assert.ok(bytes > 64 * 1024 * 1024, String(bytes));
      assert.ok(bytes < 1024 * 1024 * 1024, String(bytes));
      assert.ok((await processTree(process.pid)).includes(tree[1]!));
    } finally {
      process.kill(-shell.pid!, 'SIGKILL');
      await once(shell, 'close');
    }
    assert.deepEqual(await processTree(shell.pid!), []);
    assert.equal(await memoryOf([shell.pid!]), 0);
  });
});
