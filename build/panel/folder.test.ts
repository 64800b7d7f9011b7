import assert from 'node:assert/strict';
import { readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, test } from 'node:test';
import { temporaryFolder } from '../../server/testing/temporaryFolder.ts';
import { PanelError } from './arguments.ts';
import { hasPanel, newestImage, newestPackage, preparePanel } from './folder.ts';
import { FILES } from './qemu.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder('panel');
});

test('should take the newest image of the architecture', () => {
  for (const [name, seconds] of [
    ['faceplate-0.2.0-amd64.img.zst', 200],
    ['faceplate-0.10.0-amd64.img.zst', 300],
    ['faceplate-0.9.0-arm64.img.zst', 400],
    ['faceplate-0.9.0-amd64.raucb', 500],
  ] as const) {
    writeFileSync(join(folder, name), '');
    utimesSync(join(folder, name), seconds, seconds);
  }
  assert.equal(newestImage(folder, 'amd64'), join(folder, 'faceplate-0.10.0-amd64.img.zst'));
});

test('should take the newest package of the architecture, or say how one is made', () => {
  for (const [name, seconds] of [
    ['faceplate_0.2.0_amd64.deb', 200],
    ['faceplate_0.1.0_amd64.deb', 300],
    ['faceplate_0.3.0_arm64.deb', 400],
    ['faceplate-electron_0.3.0_amd64.deb', 400],
  ] as const) {
    writeFileSync(join(folder, name), '');
    utimesSync(join(folder, name), seconds, seconds);
  }
  assert.equal(newestPackage(folder, 'amd64'), join(folder, 'faceplate_0.1.0_amd64.deb'));
  assert.throws(
    () => newestPackage(join(folder, 'none'), 'amd64'),
    (error) => error instanceof PanelError && /npm run dist/.test(error.message),
  );
});

test('should say how an image is made where there is none', () => {
  for (const empty of [folder, join(folder, 'none')])
    assert.throws(
      () => newestImage(empty, 'amd64'),
      (error) => error instanceof PanelError && /npm run image -- amd64/.test(error.message),
    );
});

test('should keep the disk of a panel that is there, and ask for no image', async () => {
  writeFileSync(join(folder, FILES.disk), 'kept');
  assert.equal(hasPanel(folder), true);
  const isNew = await preparePanel(folder, 'amd64', () => assert.fail('an image was asked for'));
  assert.equal(isNew, false);
  assert.equal(readFileSync(join(folder, FILES.disk), 'utf8'), 'kept');
});

test('should refuse an image that is not there', async () => {
  await assert.rejects(
    preparePanel(folder, 'amd64', () => join(folder, 'x.img')),
    /There is no .*x\.img\./,
  );
});
