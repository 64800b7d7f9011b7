import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { temporaryFolder } from '../testing/temporaryFolder.ts';
import { listProcesses, memoryOf, memoryOfGroup, processTree, statFields } from './processes.ts';

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
      const tree = processTree(shell.pid!);
      assert.equal(tree.length, 2);
      const bytes = await memoryOf(tree);
      assert.ok(bytes > 64 * 1024 * 1024, String(bytes));
      assert.ok(bytes < 1024 * 1024 * 1024, String(bytes));
      assert.ok(processTree(process.pid).includes(tree[1]!));
    } finally {
      process.kill(-shell.pid!, 'SIGKILL');
      await once(shell, 'close');
    }
    assert.deepEqual(processTree(shell.pid!), []);
    assert.equal(await memoryOf([shell.pid!]), 0);
  });
});

const UNIT = '/faceplate.slice/faceplate-kiosk@7-1-996.service';
const STAT = 'anon 300000000\nfile 800000000\nkernel 9000000\nshmem 40000000\nanon_thp 12\n';

describe('the memory of a control group', () => {
  let folder: string;
  before(() => {
    folder = temporaryFolder('groups');
    mkdirSync(join(folder, UNIT), { recursive: true });
    writeFileSync(join(folder, UNIT, 'memory.stat'), STAT);
    writeFileSync(join(folder, 'memory.stat'), STAT);
  });

  test('should be what belongs to no file', async () => {
    assert.equal(await memoryOfGroup(UNIT, folder), 340_000_000);
  });

  test('should be unknown where the group is gone or the kernel does not count', async () => {
    assert.equal(await memoryOfGroup('/faceplate.slice/faceplate-kiosk@8.service', folder), undefined);
    const uncounted = mkdtempSync(join(folder, 'uncounted-'));
    writeFileSync(join(uncounted, 'memory.stat'), 'nr_dying_descendants 0\n');
    assert.equal(await memoryOfGroup(`/${uncounted.slice(folder.length + 1)}`, folder), undefined);
  });

  test('security: should not be read from elsewhere', async () => {
    for (const path of [
      '/faceplate.slice/../',
      '/..',
      '/',
      '',
      `${UNIT}/../../../x`,
      'faceplate.slice',
      '/a b',
    ])
      assert.equal(await memoryOfGroup(path, folder), undefined, path);
  });
});

/** Reads as a process that waits to be reaped, for those who look for the first bracket. */
const NAME = 'a) Z 1 1 (b';

test('should list processes with state, parent and group, whatever their names hold', async (t) => {
  const program = `process.title = ${JSON.stringify(NAME)}; console.log(); setInterval(() => {}, 1_000)`;
  const child = spawn(process.execPath, ['-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  t.after(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  assert.equal(readFileSync(`/proc/${child.pid}/comm`, 'utf8').trim(), NAME);
  const own = listProcesses().find(({ pid }) => pid === child.pid);
  assert.match(own?.state ?? '', /^[RSD]$/);
  assert.deepEqual([own?.parent, own?.group], [process.pid, child.pid]);
  child.kill('SIGKILL');
  await once(child, 'exit');
  assert.deepEqual(statFields(`/proc/${child.pid}/stat`), []);
  assert.ok(!listProcesses().some(({ pid }) => pid === child.pid));
});
