import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { memoryOfGroup } from './groupMemory.ts';

const UNIT = '/faceplate.slice/faceplate-kiosk@7-1-996.service';
const STAT = 'anon 300000000\nfile 800000000\nkernel 9000000\nshmem 40000000\nanon_thp 12\n';

describe('the memory of a control group', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'faceplate-groups-'));
    mkdirSync(join(folder, UNIT), { recursive: true });
    writeFileSync(join(folder, UNIT, 'memory.stat'), STAT);
    writeFileSync(join(folder, 'memory.stat'), STAT);
  });
  after(() => rmSync(folder, { recursive: true }));

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
