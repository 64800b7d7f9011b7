import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { checkPackageFile, nameFromFile } from './packageFile.ts';

describe('package file', () => {
  let root: string;
  let installDir: string;

  before(() => {
    root = temporaryFolder('files');
    installDir = join(root, 'packages');
    mkdirSync(join(installDir, 'sub', 'folder.deb'), { recursive: true });
    mkdirSync(join(root, 'packages-of-others'));
    writeFileSync(join(root, 'outside.deb'), 'x');
    writeFileSync(join(root, 'packages-of-others', 'near.deb'), 'x');
    for (const name of [
      'one.deb',
      'two.flatpak',
      'Three.AppImage',
      'sub/four.deb',
      'notes.txt',
      'no-ending',
    ]) {
      writeFileSync(join(installDir, name), 'x');
    }
    symlinkSync(join(root, 'outside.deb'), join(installDir, 'link-out.deb'));
    symlinkSync('one.deb', join(installDir, 'link-in.deb'));
    symlinkSync('loop.deb', join(installDir, 'loop.deb'));
    symlinkSync(root, join(installDir, 'up'));
    symlinkSync(installDir, join(root, 'way-in'));
  });

  test('should accept the three kinds, by absolute path and relative to the folder', async () => {
    assert.deepEqual(await checkPackageFile(installDir, join(installDir, 'one.deb')), {
      path: join(installDir, 'one.deb'),
      kind: 'deb',
    });
    assert.equal((await checkPackageFile(installDir, 'two.flatpak')).kind, 'flatpak');
    assert.equal((await checkPackageFile(installDir, 'Three.AppImage')).kind, 'appimage');
    assert.equal((await checkPackageFile(installDir, './sub/../sub/four.deb')).kind, 'deb');
  });

  test('should follow a link that stays in the folder, and an install folder that is itself a link', async () => {
    const path = join(installDir, 'one.deb');
    assert.equal((await checkPackageFile(installDir, 'link-in.deb')).path, path);
    assert.equal((await checkPackageFile(join(root, 'way-in'), join(root, 'way-in', 'one.deb'))).path, path);
    assert.equal((await checkPackageFile(join(root, 'way-in'), path)).path, path);
  });

  const foreign = ['../outside.deb', '/etc/passwd', '..', '.', '/', 'sub/../../outside.deb'];
  for (const path of foreign) {
    test(`security: should refuse ${path}, which leaves the install folder`, async () => {
      await assert.rejects(checkPackageFile(installDir, path), { code: 'FORBIDDEN' });
    });
  }

  test('security: should refuse a folder whose name only begins like that of the install folder', async () => {
    const near = join(root, 'packages-of-others', 'near.deb');
    await assert.rejects(checkPackageFile(installDir, near), { code: 'FORBIDDEN' });
  });

  test('security: should refuse links that lead out of the install folder', async () => {
    await assert.rejects(checkPackageFile(installDir, 'link-out.deb'), { code: 'FORBIDDEN' });
    await assert.rejects(checkPackageFile(installDir, 'up/outside.deb'), { code: 'FORBIDDEN' });
    await assert.rejects(checkPackageFile(installDir, 'loop.deb'), { code: 'FORBIDDEN' });
  });

  test('security: should not reveal whether a file outside the folder exists', async () => {
    const messages = await Promise.all(
      ['/etc/passwd', '/etc/no-such-file'].map((path) =>
        checkPackageFile(installDir, path).catch((error: Error) => error.message),
      ),
    );
    assert.equal(messages[0], messages[1]);
  });

  test('should answer NOT_FOUND for a file that is missing below the folder', async () => {
    await assert.rejects(checkPackageFile(installDir, 'missing.deb'), { code: 'NOT_FOUND' });
    await assert.rejects(checkPackageFile(installDir, 'one.deb/below.deb'), { code: 'NOT_FOUND' });
    await assert.rejects(checkPackageFile(join(root, 'never-made'), 'one.deb'), { code: 'NOT_FOUND' });
  });

  test('should refuse a file that is no package, naming the field', async () => {
    for (const path of [
      'sub',
      'sub/folder.deb',
      'notes.txt',
      'no-ending',
      'one.deb\0',
      `${'x'.repeat(300)}.deb`,
    ]) {
      await assert.rejects(checkPackageFile(installDir, path), { code: 'INVALID_REQUEST', field: 'path' });
    }
  });
});

describe('package name of a file', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['Obsidian-1.5.3.AppImage', 'Obsidian'],
    ['Some App-2.0.1-x86_64.AppImage', 'Some-App'],
    ['sample_1.0-2_amd64.deb', 'sample'],
    ['org.faceplate.Sample.flatpak', 'org.faceplate.Sample'],
    ['tool-v12.AppImage', 'tool'],
    ['Viewer-3D-linux-arm64-4.0.0-rc1.AppImage', 'Viewer-3D'],
    ['linux-tools_6.1.0+deb12_all.deb', 'linux-tools'],
    ['--help.AppImage', 'help'],
  ];
  for (const [file, name] of cases) {
    test(`should make ${name} of ${file}`, () => assert.equal(nameFromFile(file), name));
  }

  test('should refuse a file name with no usable part left', () => {
    for (const file of ['---.deb', 'ü.AppImage', `${'x'.repeat(300)}.deb`]) {
      assert.throws(() => nameFromFile(file), { code: 'INVALID_REQUEST' });
    }
  });
});
