import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, test } from 'node:test';
import { type KioskSession, makeKioskSession } from '../../../testing/kioskSession.ts';
import { applicationFolders, sessionEnvironment } from './environment.ts';
import { type Application, findApplications } from './find.ts';

describe('finding programs', () => {
  let session: KioskSession;

  beforeEach(() => {
    session = makeKioskSession();
  });

  function find(environment: NodeJS.ProcessEnv = {}): Promise<Map<string, Application>> {
    const all = sessionEnvironment({ ...session.environment, ...environment }, undefined);
    return findApplications(applicationFolders(all), all);
  }

  test('should list programs of the home, the system and both flatpak installations', async () => {
    session.entry(session.dataHome, 'of-user');
    session.entry(session.dataDir, 'of-system');
    session.entry(join(session.root, 'flatpak-system/exports/share'), 'org.faceplate.System');
    session.entry(join(session.root, 'flatpak-user/exports/share'), 'org.faceplate.User');
    const origins = [...(await find()).values()].map(({ id, folder }) => [id, folder.origin]);
    assert.deepEqual(Object.fromEntries(origins), {
      'of-user': 'user',
      'of-system': 'local',
      'org.faceplate.System': 'flatpakSystem',
      'org.faceplate.User': 'flatpakUser',
    });
  });

  test('should take the first of two entries with one id', async () => {
    session.entry(session.dataHome, 'same', { Name: 'Mine' });
    session.entry(session.dataDir, 'same', { Name: 'Theirs' });
    assert.equal((await find()).get('same')?.label, 'Mine');
  });

  for (const [key, value] of [
    ['Hidden', 'true'],
    ['NoDisplay', 'true'],
    ['Type', 'Link'],
    ['TryExec', '/no/such/program'],
    ['TryExec', 'no-such-program'],
    ['Exec', 'app %x'],
    ['Exec', 'relative/path'],
  ] as const) {
    test(`should not show an entry with ${key}=${value}, nor the entry that it hides`, async () => {
      session.entry(session.dataHome, 'same', { [key]: value });
      session.entry(session.dataDir, 'same');
      assert.deepEqual([...(await find()).keys()], []);
    });
  }

  test('should show a program whose TryExec exists, by path or by name', async () => {
    session.entry(session.dataDir, 'by-path', { TryExec: '/bin/sh' });
    session.entry(session.dataDir, 'by-name', { TryExec: 'sh' });
    assert.deepEqual([...(await find()).keys()].sort(), ['by-name', 'by-path']);
  });

  test('should leave out an entry without Exec, because the end of its program could not be noticed', async () => {
    session.write(
      join(session.dataDir, 'applications/org.faceplate.Bus.desktop'),
      '[Desktop Entry]\nType=Application\nName=Bus\nDBusActivatable=true\n',
    );
    assert.equal((await find()).size, 0);
  });

  test("should name programs in the panel's language, and by their id when they have no name", async () => {
    session.entry(session.dataDir, 'calc', { Name: 'Calculator', 'Name[de]': 'Rechner' });
    session.entry(session.dataDir, 'nameless', { Name: '' });
    assert.equal((await find({ LANG: 'de_AT.UTF-8' })).get('calc')?.label, 'Rechner');
    assert.equal((await find({ LANG: 'fr_FR.UTF-8' })).get('calc')?.label, 'Calculator');
    assert.equal((await find()).get('nameless')?.label, 'nameless');
  });

  test('should join sub-folder and file name with a dash in ids', async () => {
    session.entry(session.dataDir, 'kde/tool');
    assert.deepEqual([...(await find()).keys()], ['kde-tool']);
  });

  test('should follow a link inside its own tree, as flatpak exports them', async () => {
    const flatpak = join(session.root, 'flatpak-system');
    const real = session.entry(join(flatpak, 'app/org.faceplate.Linked/export'), 'org.faceplate.Linked');
    const exported = join(flatpak, 'exports/share/applications');
    mkdirSync(exported, { recursive: true });
    symlinkSync(real, join(exported, 'org.faceplate.Linked.desktop'));
    assert.equal((await find()).get('org.faceplate.Linked')?.folder.origin, 'flatpakSystem');
  });

  test('security: should skip entries that are links out of their folders', async () => {
    const outside = session.entry(join(session.root, 'elsewhere'), 'outside');
    session.entry(session.dataHome, 'honest');
    session.entry(session.dataDir, 'honest-too');
    for (const folder of [session.dataHome, session.dataDir]) {
      symlinkSync(outside, join(folder, 'applications', 'linked.desktop'));
      symlinkSync(join(session.root, 'elsewhere/applications'), join(folder, 'applications', 'folder'));
    }
    assert.deepEqual([...(await find()).keys()].sort(), ['honest', 'honest-too']);
  });

  test('security: should not wait for a FIFO or read a folder, and skip huge files', async () => {
    const folder = join(session.dataDir, 'applications');
    session.entry(session.dataDir, 'honest');
    execFileSync('mkfifo', [join(folder, 'fifo.desktop')]);
    mkdirSync(join(folder, 'folder.desktop'));
    const head = '[Desktop Entry]\nType=Application\nName=x\nExec=true\n#';
    session.write(join(folder, 'huge.desktop'), head + 'x'.repeat(1024 * 1024));
    session.write(join(folder, 'large.desktop'), head + 'x'.repeat(1000 * 1000));
    assert.deepEqual([...(await find()).keys()].sort(), ['honest', 'large']);
  });

  test('security: should leave out names that the API cannot carry', async () => {
    for (const id of ['-option', '.hidden', 'with blank', 'quote"', '$(id)', 'ünï', 'x'.repeat(246)]) {
      session.entry(session.dataDir, id);
    }
    session.entry(session.dataDir, 'a..b');
    assert.deepEqual([...(await find()).keys()].sort(), ['a..b', 'x'.repeat(246)]);
  });

  test('security: should give labels without control characters and of bounded length', async () => {
    session.entry(session.dataDir, 'odd', { Name: `a\\nb\u001b[31m${'x'.repeat(5_000)}` });
    const label = (await find()).get('odd')?.label ?? '';
    assert.ok(label.startsWith('a b [31mx'), label.slice(0, 20));
    assert.equal(label.length, 200);
  });
});

describe('folders of desktop entries', () => {
  test('should be those of the specifications, the most important first', () => {
    const folders = applicationFolders({ HOME: '/home/kiosk' });
    assert.deepEqual(
      folders.map(({ path, origin }) => [path, origin]),
      [
        ['/home/kiosk/.local/share/applications', 'user'],
        ['/usr/local/share/applications', 'local'],
        ['/usr/share/applications', 'system'],
        ['/home/kiosk/.local/share/flatpak/exports/share/applications', 'flatpakUser'],
        ['/var/lib/flatpak/exports/share/applications', 'flatpakSystem'],
        ['/var/lib/snapd/desktop/applications', 'snap'],
      ],
    );
  });

  test('should recognise flatpak folders by their path, wherever XDG_DATA_DIRS lists them', () => {
    const folders = applicationFolders({
      HOME: '/home/kiosk',
      XDG_DATA_HOME: 'not/absolute',
      XDG_DATA_DIRS: '/var/lib/flatpak/exports/share/:relative::/usr/share:/usr/share',
    });
    assert.deepEqual(
      folders.map(({ origin }) => origin),
      ['user', 'flatpakSystem', 'system', 'flatpakUser', 'snap'],
    );
  });
});

describe('environment of a launched program', () => {
  const service = {
    PATH: '/usr/bin',
    HOME: '/var/service',
    USER: 'root',
    LANG: 'de_DE.UTF-8',
    DISPLAY: ':0',
    XDG_RUNTIME_DIR: '/run/user/1000',
    XDG_CONFIG_HOME: '/var/service/.config',
    FACEPLATE_TOKEN: 'secret',
    FACEPLATE_SIP_PASSWORD: 'secret',
    NODE_OPTIONS: '--require /tmp/x.js',
    LD_PRELOAD: '/tmp/x.so',
  };

  test('security: should hold the session and nothing of Faceplate, especially no token', () => {
    assert.deepEqual(
      sessionEnvironment(service, { name: 'kiosk', uid: 1000, gid: 1000, home: '/home/kiosk' }),
      {
        PATH: '/usr/bin',
        HOME: '/home/kiosk',
        USER: 'kiosk',
        LOGNAME: 'kiosk',
        LANG: 'de_DE.UTF-8',
        DISPLAY: ':0',
        XDG_RUNTIME_DIR: '/run/user/1000',
      },
    );
  });

  test("should keep the service's own home when programs run as its own user", () => {
    assert.deepEqual(
      sessionEnvironment({ HOME: '/home/me', USER: 'me', XDG_DATA_HOME: '/data' }, undefined),
      {
        PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
        HOME: '/home/me',
        USER: 'me',
        XDG_DATA_HOME: '/data',
      },
    );
  });
});
