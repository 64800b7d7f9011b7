import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { findElectron } from './findElectron.ts';

test('should find the named Electron, and say why there is none to run', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'faceplate-electron-'));
  try {
    const environment = { ELECTRON_OVERRIDE_DIST_PATH: folder };
    assert.deepEqual(findElectron(environment, 1_000), { missing: 'no Electron binary here' });
    await writeFile(join(folder, 'electron'), '');
    assert.deepEqual(findElectron(environment, 1_000), { program: join(folder, 'electron') });
    assert.deepEqual(findElectron(environment, 0), { missing: 'Electron does not run as root' });
  } finally {
    await rm(folder, { recursive: true });
  }
});
