import assert from 'node:assert/strict';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, test } from 'node:test';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import {
  afterReset,
  beginRestore,
  commitRestore,
  endReset,
  finishPending,
  markReset,
  writeRestored,
} from './dataFolder.ts';

describe('changes of the whole data folder', () => {
  let dataDir: string;
  beforeEach(async () => {
    dataDir = temporaryFolder('pending');
  });

  const names = async () => (await readdir(dataDir)).sort();

  test('should do nothing where nothing is pending', async () => {
    await writeFile(join(dataDir, 'led.json'), '1');
    finishPending(dataDir);
    finishPending(join(dataDir, 'not-there'));
    assert.deepEqual(await names(), ['led.json']);
    assert.equal(await afterReset(dataDir), undefined);
  });

  test('should forget a restore that does not count yet', async () => {
    await writeRestored(join(await beginRestore(dataDir), 'settings.json'), '{}');
    finishPending(dataDir);
    assert.deepEqual(await names(), []);
  });

  test('should put back a restore that was being replaced when the power went', async () => {
    await mkdir(join(dataDir, 'restore.old'));
    await writeFile(join(dataDir, 'restore.old/settings.json'), '{}');
    finishPending(dataDir);
    assert.deepEqual(await names(), ['settings.json']);
  });

  test('should take the later of two restores', async () => {
    for (const text of ['1', '2']) {
      await writeRestored(join(await beginRestore(dataDir), 'state/led.json'), text);
      await commitRestore(dataDir);
    }
    assert.deepEqual(await names(), ['restore']);
    finishPending(dataDir);
    assert.deepEqual(await names(), ['led.json']);
  });

  test('security: should leave nothing of the panel after a reset but its id and the installed programs', async () => {
    const files = [
      'token',
      'tokens.json',
      'pin.json',
      'settings.json',
      'journal',
      'version',
      'id',
      'installed-packages.json',
    ];
    for (const name of files) await writeFile(join(dataDir, name), 'x');
    for (const name of ['projects/a', 'chromium/Default', 'crashes', 'restore', 'packages'])
      await mkdir(join(dataDir, name), { recursive: true });
    await markReset(dataDir, { command: 'panel.reset' });
    finishPending(dataDir);
    assert.deepEqual(await names(), ['id', 'installed-packages.json', 'packages', 'reset.rest']);
    assert.deepEqual(await afterReset(dataDir), { note: { command: 'panel.reset' } });
    // What came since stays, whatever is left to do.
    await writeFile(join(dataDir, 'settings.json'), '{}');
    finishPending(dataDir);
    await endReset(dataDir);
    assert.deepEqual(await names(), ['id', 'installed-packages.json', 'packages', 'settings.json']);
  });

  test('should finish a reset that was cut short', async () => {
    await mkdir(join(dataDir, 'projects/a'), { recursive: true });
    await markReset(dataDir, {});
    await rm(join(dataDir, 'projects'), { recursive: true });
    await writeFile(join(dataDir, 'pin.json'), 'x');
    finishPending(dataDir);
    assert.deepEqual(await names(), ['reset.rest']);
  });
});
