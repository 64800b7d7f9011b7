// What is packed is shown with a real Electron: build/packages/packedElectron.electron.ts.
import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { temporaryFolder } from '../../server/testing/temporaryFolder.ts';
import { electronBuilderConfiguration, faultOfElectron } from './electronBuilder.ts';

const root = join(import.meta.dirname, '../..');

describe('the Electron package', () => {
  test('should be an AppImage with its own part of FUSE, and no argument that its desktop entry adds', () => {
    const { toolsets, linux } = electronBuilderConfiguration(root, { app: '/a', output: '/b' });
    assert.match(String(toolsets?.appimage), /^1\./);
    assert.deepEqual([linux?.target, linux?.executableArgs], [['AppImage'], []]);
  });
});

describe('an unpacked Electron that is given', () => {
  let folder: string;
  before(() => {
    folder = temporaryFolder('given-electron');
  });

  test('should be taken for its own kind of machine only', () => {
    assert.match(String(faultOfElectron(folder, 'x64')), /^there is no program .*\/electron\.$/);
    const head = Buffer.alloc(64);
    head.write('\x7fELF', 'latin1');
    head.writeUInt16LE(183, 18);
    writeFileSync(join(folder, 'electron'), head);
    assert.equal(faultOfElectron(folder, 'arm64'), undefined);
    assert.match(
      String(faultOfElectron(folder, 'x64')),
      /electron is for another kind of machine than x64\.$/,
    );
  });

  test('should be refused with a program of its own, which would go into the package', () => {
    for (const name of ['app', 'app.asar']) {
      const own = join(folder, 'resources', name);
      mkdirSync(own, { recursive: true });
      assert.match(String(faultOfElectron(folder, 'arm64')), new RegExp(`^${own} is a program of its own`));
      rmSync(own, { recursive: true });
    }
  });
});
