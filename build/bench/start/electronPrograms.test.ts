import assert from 'node:assert/strict';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { temporaryFolder } from '../../../server/testing/temporaryFolder.ts';
import { findElectron } from './electronPrograms.ts';

describe('the Electron of a bench', () => {
  let folder: string;
  const env = () => ({ ELECTRON_OVERRIDE_DIST_PATH: folder });

  before(async () => {
    folder = temporaryFolder('bench-electron');
  });

  it('should be missing, which a note says, where the named folder has none', () => {
    assert.deepEqual(findElectron(env(), 1_000), {
      missing: 'skipped without a binary of Electron (docs/electron.md)',
    });
  });

  it('should run as whoever runs the bench', async () => {
    const program = join(folder, 'electron');
    await writeFile(program, '');
    assert.deepEqual(findElectron(env(), 1_000), { program, user: undefined });
  });

  it('should be skipped by root where a plain user cannot read it', {
    skip: process.getuid?.() !== 0 && 'needs root',
  }, async () => {
    await chmod(folder, 0o700);
    assert.match(JSON.stringify(findElectron(env(), 0)), /does not run as root, and nobody may not read/);
  });

  it('should be the one that the tests have unpacked, where no folder is named', async () => {
    const home = process.env.HOME;
    process.env.HOME = join(folder, 'home');
    try {
      const cached = join(folder, 'home/.cache/faceplate/electron-33.2.1/prepared');
      await mkdir(cached, { recursive: true });
      await writeFile(join(cached, 'electron'), '');
      const found = findElectron({}, 1_000);
      assert.ok('program' in found);
      // An Electron of the npm package comes first, where somebody has fetched it.
      assert.match(
        found.program,
        /(?:home\/\.cache\/faceplate\/electron-33\.2\.1\/prepared|electron\/dist)\/electron$/,
      );
    } finally {
      process.env.HOME = home;
    }
  });
});
