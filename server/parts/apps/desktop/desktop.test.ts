import assert from 'node:assert/strict';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { silentLogger } from '../../../platform/log.ts';
import { type KioskSession, makeKioskSession, memoryRecord } from '../../../testing/kioskSession.ts';
import { timeToGoWrong } from '../../../testing/waiting.ts';
import { DesktopApps, desktopOptions } from './desktop.ts';

const APP_IMAGE = Buffer.from('\x7fELF\x02\x01\x01\x00AI\x02\x00rest', 'latin1');

describe('packages of a desktop', () => {
  let session: KioskSession;
  let apps: DesktopApps;

  beforeEach(async () => {
    session = makeKioskSession();
    apps = makeApps();
    await apps.start();
  });

  afterEach(async () => {
    await apps.stop();
  });

  function makeApps(options: Partial<ConstructorParameters<typeof DesktopApps>[0]> = {}): DesktopApps {
    const { installDir, environment, user, folders } = session;
    const log = silentLogger();
    const record = memoryRecord();
    return new DesktopApps({
      installDir,
      environment,
      ...(user && { user }),
      folders,
      record,
      log,
      ...options,
    });
  }

  async function systemNames(of = apps): Promise<string[]> {
    const entries = (await of.list()).filter(({ isSystem }) => isSystem);
    return entries.map(({ packageName }) => packageName).sort();
  }

  test('should make the folder of package files at start', async () => {
    const installDir = join(session.root, 'new', 'packages');
    await makeApps({ installDir }).start();
    assert.ok(existsSync(installDir));
  });

  test('should treat everything below /usr/share as a system package, except what was installed here', async () => {
    const file = session.entry(session.dataDir, 'installed-here');
    session.entry(session.dataDir, 'of-image');
    session.entry(session.dataHome, 'of-user');
    assert.deepEqual(await systemNames(), ['installed-here', 'of-image']);
    const aware = makeApps({ record: memoryRecord({ 'some-package': [file] }) });
    assert.deepEqual(await systemNames(aware), ['of-image']);
  });

  test('security: should treat the panel itself and its browser as system packages wherever they are', async () => {
    for (const id of [
      'chromium',
      'org.chromium.Chromium',
      'faceplate',
      'com.example.Faceplate',
      'electron30',
    ]) {
      session.entry(session.dataHome, id);
    }
    session.entry(session.dataHome, 'own-runtime', { Exec: `${process.execPath} %u` });
    const browser = session.write(join(session.home, 'some-browser'), '#!/bin/sh\n', 0o755);
    session.entry(session.dataHome, 'browser', { Exec: browser });
    const careful = makeApps({ ownPrograms: [browser] });
    const names = await systemNames(careful);
    assert.equal(names.length, 7);
    for (const name of names) await assert.rejects(careful.uninstall(name), { code: 'FORBIDDEN' });
  });

  test('should copy an AppImage into the home with an entry that starts it, owned by its user', async () => {
    const source = join(session.installDir, 'My "Tool" 100%-2.0.AppImage');
    session.write(source, APP_IMAGE, 0o600);
    const name = await apps.install(source);
    assert.equal(name, 'My-Tool-100');
    const image = join(session.home, 'Applications', `${name}.AppImage`);
    const entry = join(session.dataHome, 'applications', `${name}.desktop`);
    assert.deepEqual(readFileSync(image), APP_IMAGE);
    const uid = session.user?.uid ?? process.getuid?.();
    assert.deepEqual([lstatSync(image).uid, lstatSync(image).mode & 0o777], [uid, 0o755]);
    assert.deepEqual([lstatSync(entry).uid, lstatSync(entry).mode & 0o777], [uid, 0o644]);
    assert.match(readFileSync(entry, 'utf8'), /^Name=My Tool 100$/m);
    assert.deepEqual(readdirSync(join(session.home, 'Applications')), [`${name}.AppImage`]);
    await apps.uninstall(name);
    assert.deepEqual([existsSync(image), existsSync(entry), existsSync(source)], [false, false, true]);
  });

  test('should refuse files whose content does not match their name', async () => {
    for (const name of ['text.AppImage', 'text.deb', 'text.flatpak']) {
      session.write(join(session.installDir, name), 'plain text, and more than a few letters of it');
      await assert.rejects(apps.install(name), { code: 'INVALID_REQUEST', field: 'path' });
    }
    session.write(join(session.installDir, 'empty.AppImage'), '');
    await assert.rejects(apps.install('empty.AppImage'), { code: 'INVALID_REQUEST' });
    assert.deepEqual(await apps.list(), []);
  });

  test('should not take the name of a package that was installed in another way', async () => {
    session.entry(session.dataHome, 'tool', { Name: 'Made by hand' });
    session.write(join(session.installDir, 'tool.AppImage'), APP_IMAGE);
    await assert.rejects(apps.install('tool.AppImage'), { code: 'CONFLICT' });
  });

  test('security: should install no AppImage under the name of the panel or its browser', async () => {
    session.write(join(session.installDir, 'Chromium-1.0.AppImage'), APP_IMAGE);
    await assert.rejects(apps.install('Chromium-1.0.AppImage'), { code: 'FORBIDDEN' });
  });

  test('security: should not follow a link in the home to a place its user cannot write', async (context) => {
    if (!session.user) return context.skip('needs root: without it the service has the rights of the user');
    const guarded = join(session.root, 'guarded');
    mkdirSync(guarded, { mode: 0o755 });
    symlinkSync(guarded, join(session.home, 'Applications'));
    session.write(join(session.installDir, 'tool.AppImage'), APP_IMAGE);
    await assert.rejects(apps.install('tool.AppImage'), {
      code: 'HARDWARE_ERROR',
      message: /Permission denied/,
    });
    assert.deepEqual(readdirSync(guarded), []);
  });

  test('security: should delete an AppImage inside the home only', async () => {
    const outside = session.write(join(session.root, 'Outside.AppImage'), APP_IMAGE, 0o755);
    session.entry(session.dataHome, 'direct', { Exec: outside });
    symlinkSync(session.root, join(session.home, 'up'));
    session.entry(session.dataHome, 'linked', { Exec: join(session.home, 'up', 'Outside.AppImage') });
    session.entry(session.dataHome, 'dotted', { Exec: join(session.home, '..', 'Outside.AppImage') });
    for (const name of ['direct', 'linked', 'dotted']) await apps.uninstall(name);
    assert.ok(existsSync(outside));
    assert.deepEqual(await apps.list(), []);
  });

  test('security: should delete no program but an AppImage with an entry in the home', async () => {
    const script = session.write(join(session.home, 'tool.sh'), '#!/bin/sh\n', 0o755);
    session.entry(session.dataHome, 'tool', { Exec: script });
    await apps.uninstall('tool');
    assert.ok(existsSync(script));
  });

  test('security: should delete no entry when the folder of entries is a link out of the home', async () => {
    const elsewhere = join(session.root, 'elsewhere');
    const file = session.entry(elsewhere, 'tool');
    mkdirSync(session.dataHome, { recursive: true });
    symlinkSync(join(elsewhere, 'applications'), join(session.dataHome, 'applications'));
    await assert.rejects(apps.uninstall('tool'), { code: 'PACKAGE_NOT_FOUND' });
    assert.ok(existsSync(file));
  });

  test('should say that an entry that no package owns was put there by hand', async () => {
    session.entry(session.dataDir, 'tool');
    const [, system] = session.folders;
    const local = makeApps({ folders: [{ ...system!, origin: 'local' }] });
    await assert.rejects(local.uninstall('tool'), { code: 'FORBIDDEN', message: /by hand/ });
  });

  test('should report when an entry comes or goes, until the watch ends', async () => {
    session.entry(session.dataHome, 'before');
    let changes = 0;
    let changed: () => void = () => undefined;
    const first = new Promise<void>((resolve) => {
      changed = resolve;
    });
    const unwatch = apps.watch(() => {
      changes += 1;
      changed();
    });
    session.entry(session.dataHome, 'new');
    await first;
    unwatch();
    const seen = changes;
    session.entry(session.dataHome, 'newer');
    await timeToGoWrong(50);
    assert.equal(changes, seen);
  });
});

const nobody = { name: 'nobody', uid: 65534, gid: 65534, home: undefined };
const bareSession = { user: undefined, starter: undefined, browser: undefined, profileDir: '/data/chromium' };
const places = { installDir: '', dataDir: '/data', log: silentLogger() };

test('should look for package files in the data folder, or where the setting says', () => {
  assert.equal(desktopOptions(bareSession, places).installDir, '/data/packages');
  assert.equal(desktopOptions(bareSession, { ...places, installDir: '/mnt' }).installDir, '/mnt');
});

test('should use the profile folder as the home of a user that has none', () => {
  assert.equal(desktopOptions(bareSession, places).user, undefined);
  assert.equal(desktopOptions({ ...bareSession, user: nobody }, places).user?.home, '/data/chromium');
  const kiosk = { ...nobody, name: 'kiosk', home: '/home/kiosk' };
  assert.deepEqual(desktopOptions({ ...bareSession, user: kiosk }, places).user, kiosk);
});

test('security: should keep the package of the browser that the panel runs on', () => {
  const found = desktopOptions(
    { ...bareSession, browser: '/usr/bin/chromium', starter: '/run/s.sock' },
    places,
  );
  assert.deepEqual(found.ownPrograms, ['/usr/bin/chromium']);
  assert.equal(found.starter, '/run/s.sock');
});
