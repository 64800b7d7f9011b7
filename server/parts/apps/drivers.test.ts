import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { silentLogger } from '../../platform/log.ts';
import { type KioskSession, makeKioskSession, memoryRecord } from '../../testing/kioskSession.ts';
import { until } from '../../testing/waiting.ts';
import { appEntry } from './contract.ts';
import { DesktopApps } from './desktop/desktop.ts';
import { type AppsDriver, SimulatedApps } from './driver.ts';

/** The part of an AppImage that is checked before it is run; a script would not pass. */
const APP_IMAGE = Buffer.from('\x7fELF\x02\x01\x01\x00AI\x02\x00rest', 'latin1');

const drivers: Readonly<Record<string, (session: KioskSession) => AppsDriver>> = {
  simulated: ({ installDir }) => new SimulatedApps({ installDir }),
  desktop: (session) => {
    session.entry(session.dataDir, 'org.faceplate.Clock', { Name: 'Clock' });
    session.entry(session.dataHome, 'org.faceplate.Calculator', { Name: 'Calculator' });
    const { installDir, environment, user, folders } = session;
    return new DesktopApps({
      installDir,
      environment,
      ...(user && { user }),
      folders,
      record: memoryRecord(),
      log: silentLogger(),
    });
  },
};

for (const [name, makeDriver] of Object.entries(drivers)) {
  describe(`packages, ${name}`, () => {
    let session: KioskSession;
    let driver: AppsDriver;

    beforeEach(async () => {
      session = makeKioskSession();
      driver = makeDriver(session);
      await driver.start();
    });

    afterEach(async () => {
      await driver.stop();
    });

    async function names(): Promise<string[]> {
      return (await driver.list()).map(({ packageName }) => packageName).sort();
    }

    test('should list one system package and one other, as in the contract', async () => {
      const entries = (await driver.list()).sort((one, other) => (one.label < other.label ? -1 : 1));
      assert.deepEqual(entries, [
        { packageName: 'org.faceplate.Calculator', label: 'Calculator', isSystem: false },
        { packageName: 'org.faceplate.Clock', label: 'Clock', isSystem: true },
      ]);
      for (const entry of entries) appEntry.parse(entry);
    });

    test('should launch a package and report once that it has ended', async () => {
      let ended = 0;
      await driver.launch('org.faceplate.Calculator', () => {
        ended += 1;
      });
      await until(() => ended > 0, 'the end of the package');
      await driver.stop();
      assert.equal(ended, 1);
    });

    test('should install a package file, list it, install it again, and uninstall it', async () => {
      session.write(join(session.installDir, 'Sample App-1.0-x86_64.AppImage'), APP_IMAGE, 0o600);
      session.write(join(session.installDir, 'Sample App-1.1-x86_64.AppImage'), APP_IMAGE, 0o600);
      assert.equal(await driver.install('Sample App-1.0-x86_64.AppImage'), 'Sample-App');
      const path = join(session.installDir, 'Sample App-1.1-x86_64.AppImage');
      assert.equal(await driver.install(path), 'Sample-App');
      const entry = (await driver.list()).find(({ packageName }) => packageName === 'Sample-App');
      assert.equal(entry?.isSystem, false);
      await driver.uninstall('Sample-App');
      assert.deepEqual(await names(), ['org.faceplate.Calculator', 'org.faceplate.Clock']);
      await assert.rejects(driver.uninstall('Sample-App'), { code: 'PACKAGE_NOT_FOUND' });
    });

    test('should not install a package with the name of a system package', async () => {
      session.write(join(session.installDir, 'org.faceplate.Clock.AppImage'), APP_IMAGE);
      await assert.rejects(driver.install('org.faceplate.Clock.AppImage'), { code: 'CONFLICT' });
    });

    test('security: should refuse to uninstall a package of the system', async () => {
      await assert.rejects(driver.uninstall('org.faceplate.Clock'), { code: 'FORBIDDEN' });
      assert.ok((await names()).includes('org.faceplate.Clock'));
    });

    test('security: should find no package by a path, a command or a property name', async () => {
      for (const hostile of [
        '../org.faceplate.Clock',
        'a/b',
        '/bin/sh',
        'sh',
        '-y',
        '',
        '__proto__',
        'toString',
      ]) {
        await assert.rejects(
          driver.launch(hostile, () => undefined),
          { code: 'PACKAGE_NOT_FOUND' },
        );
        await assert.rejects(driver.uninstall(hostile), { code: 'PACKAGE_NOT_FOUND' });
      }
    });

    test('security: should install nothing from outside the folder, by path or by link', async () => {
      const outside = session.write(join(session.root, 'Outside.AppImage'), APP_IMAGE);
      symlinkSync(outside, join(session.installDir, 'Link.AppImage'));
      for (const path of [outside, '../Outside.AppImage', 'Link.AppImage']) {
        await assert.rejects(driver.install(path), { code: 'FORBIDDEN' });
      }
      await assert.rejects(driver.install('missing.deb'), { code: 'NOT_FOUND' });
      mkdirSync(join(session.installDir, 'folder.AppImage'));
      writeFileSync(join(session.installDir, 'script.sh'), '#!/bin/sh\n');
      for (const path of ['folder.AppImage', 'script.sh']) {
        await assert.rejects(driver.install(path), { code: 'INVALID_REQUEST' });
      }
      assert.deepEqual(await names(), ['org.faceplate.Calculator', 'org.faceplate.Clock']);
    });

    test('should be safe to stop twice, and to stop before start', async () => {
      await driver.stop();
      await driver.stop();
      await makeDriver(session).stop();
    });
  });
}
