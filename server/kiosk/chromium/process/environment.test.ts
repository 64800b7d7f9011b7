import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { noBrowserExtras } from '../../../platform/kioskJobs.ts';
import { asUser, type KioskUser, kioskUser } from '../../../platform/privileges.ts';
import { skipWithoutMounts } from '../../../testing/mountNamespace.ts';
import { temporaryFolder } from '../../../testing/temporaryFolder.ts';
import { browserEnv, commandLine, findChromium, withExtras } from './commandLine.ts';
import { chooseProfileDir, prepareProfileDir } from './profile.ts';

const isRoot = process.getuid?.() === 0;
const stranger: KioskUser = { name: 'nobody', uid: 65_534, gid: 65_534, home: undefined };
let folder: string;

before(() => {
  folder = temporaryFolder('env');
  chmodSync(folder, 0o711);
});

describe('findChromium', () => {
  test('should prefer chromium, skip files that are no program, and say when there is none', () => {
    const [first, second] = [join(folder, 'bin1'), join(folder, 'bin2')];
    for (const bin of [first, second]) mkdirSync(bin);
    assert.equal(findChromium(`${first}:${second}`), undefined);
    writeFileSync(join(first, 'google-chrome'), '', { mode: 0o755 });
    mkdirSync(join(first, 'chromium'));
    assert.equal(findChromium(`${first}:${second}`), join(first, 'google-chrome'));
    writeFileSync(join(second, 'chromium'), '', { mode: 0o755 });
    assert.equal(findChromium(`${first}::${second}`), join(second, 'chromium'));
  });
});

describe('kioskUser', () => {
  const passwd = (text: string) => {
    const file = join(folder, 'passwd');
    writeFileSync(file, text);
    return file;
  };

  test('should read the named user, or nobody if it does not exist', () => {
    const file = passwd(
      'root:x:0:0::/root:/bin/sh\nkiosk2:x:7:7::/:/bin/sh\nkiosk:x:990:991::/nowhere:/bin/sh\nnobody:x:65534:65533::/:/x\n',
    );
    assert.deepEqual(kioskUser('kiosk', file), { name: 'kiosk', uid: 990, gid: 991, home: undefined });
    assert.deepEqual(kioskUser('missing', file), {
      name: 'nobody',
      uid: 65_534,
      gid: 65_533,
      home: undefined,
    });
  });

  test('should run a program with all groups of its user, and only as that user', {
    skip: skipWithoutMounts,
  }, () => {
    const groups = join(folder, 'group');
    writeFileSync(groups, 'root:x:0:\nvideo:x:44:nobody\nrender:x:106:other,nobody\naudio:x:29:other\n');
    const [program, ...args] = asUser(stranger, 'sh', ['-c', 'id -u; id -g; id -G']);
    // The groups of this machine stay unchanged: only this process sees another file.
    const script = 'mount --bind "$0" /etc/group && exec "$@"';
    const { stdout, stderr } = spawnSync('unshare', ['-m', 'sh', '-c', script, groups, program!, ...args], {
      encoding: 'utf8',
    });
    assert.equal(stdout, '65534\n65534\n65534 44 106\n', stderr);
  });

  test('should return a home only if it exists and the user owns it', () => {
    const uid = process.getuid!() || 65_534;
    const home = statSync(folder).uid === uid ? folder : undefined;
    assert.equal(kioskUser('kiosk', passwd(`kiosk:x:${uid}:1::${folder}:/bin/sh\n`)).home, home);
  });

  test('security: should refuse root, by whatever name', () => {
    assert.throws(() => kioskUser('toor', passwd('toor:x:0:0::/root:/bin/sh\n')), /cannot run as "toor"/);
    assert.throws(() => kioskUser('broken', passwd('broken:x::1::/:/x\n')), /cannot run as/);
    assert.throws(() => kioskUser('missing', passwd('')), /neither a user "missing" nor "nobody"/);
  });
});

describe('the profile folder', () => {
  test('should be in the data folder if the browser can reach that', async () => {
    assert.equal(await chooseProfileDir(folder, undefined), join(folder, 'chromium'));
    assert.equal(await chooseProfileDir(folder, stranger), join(folder, 'chromium'));
    assert.equal(await chooseProfileDir(folder, { ...stranger, home: '/home/k' }), '/home/k/chromium');
  });

  test('should be elsewhere, one for each data folder, if the browser cannot reach that', async () => {
    const closed = join(folder, 'closed');
    mkdirSync(closed, { mode: 0o700 });
    const first = await chooseProfileDir(join(closed, 'a'), stranger);
    const second = await chooseProfileDir(join(closed, 'b'), stranger);
    assert.match(first, /^\/var\/lib\/faceplate-kiosk\/[0-9a-f]{12}$/);
    assert.notEqual(first, second);
    await assert.rejects(prepareProfileDir(join(closed, 'profile'), stranger), /cannot enter .*closed/);
  });

  test('should belong to the user only', {
    skip: !isRoot && 'needs root to give a folder away',
  }, async () => {
    const dir = join(folder, 'profiles', 'one');
    await prepareProfileDir(dir, stranger);
    await prepareProfileDir(dir, stranger);
    const { uid, gid, mode } = statSync(dir);
    assert.deepEqual([uid, gid, mode & 0o777], [65_534, 65_534, 0o700]);
  });

  test('security: should not change the owner of what a planted link points to', async () => {
    const target = join(folder, 'target');
    mkdirSync(target);
    symlinkSync(target, join(folder, 'link'));
    await assert.rejects(prepareProfileDir(join(folder, 'link'), stranger), /is not a folder/);
  });
});

describe('the command line', () => {
  const options = { profileDir: '/p', headless: false, apps: false, debugPort: undefined, fakeMedia: false };

  test('security: should never switch off the sandbox, nor open a port unasked', () => {
    const flags = commandLine({ ...options, headless: true, fakeMedia: true });
    assert.equal(
      flags.some((flag) => /sandbox|remote-debugging-port|fake-ui/.test(flag)),
      false,
    );
  });

  test('should open the given port', () => {
    assert.ok(commandLine({ ...options, debugPort: 0 }).includes('--remote-debugging-port=0'));
  });

  test('security: should pass on what a browser needs and no secret', () => {
    const env = browserEnv(
      {
        PATH: '/bin',
        LC_ALL: 'C',
        DISPLAY: ':0',
        HOME: '/root',
        FACEPLATE_TOKEN: 's',
        SIP_PASSWORD: 's',
        NODE_OPTIONS: 'x',
        DBUS_SESSION_BUS_ADDRESS: 'unix:path=/bus',
      },
      '/p',
      stranger,
      noBrowserExtras,
    );
    const { XDG_CONFIG_HOME, BREAKPAD_DUMP_LOCATION, ...others } = env;
    assert.equal(BREAKPAD_DUMP_LOCATION, '/p/crashes');
    assert.deepEqual(others, { PATH: '/bin', LC_ALL: 'C', DISPLAY: ':0', HOME: '/p' });
    for (const version of ['3.0', '4.0'])
      assert.match(
        readFileSync(join(XDG_CONFIG_HOME!, `gtk-${version}/gtk.css`), 'utf8'),
        /background-color: #000/,
      );
    assert.equal(browserEnv({ HOME: '/home/me' }, '/p', undefined, noBrowserExtras).HOME, '/home/me');
    assert.equal(browserEnv({}, '/p', { ...stranger, home: '/home/k' }, noBrowserExtras).HOME, '/home/k');
  });

  test('should give a screen reader the bus of the session and the tree of the pages, and nothing more', async () => {
    const session = {
      DBUS_SESSION_BUS_ADDRESS: 'unix:path=/bus',
      DBUS_SYSTEM_BUS_ADDRESS: 'x',
      FACEPLATE_TOKEN: 's',
    };
    const { XDG_CONFIG_HOME: _, ...env } = browserEnv(session, '/p', stranger, { screenReader: true });
    assert.deepEqual(env, {
      DBUS_SESSION_BUS_ADDRESS: 'unix:path=/bus',
      ACCESSIBILITY_ENABLED: '1',
      HOME: '/p',
      BREAKPAD_DUMP_LOCATION: '/p/crashes',
    });
    const flags = (screenReader: boolean) =>
      withExtras([], { ...noBrowserExtras, screenReader }, { binary: 'none', headless: false });
    assert.ok((await flags(true)).includes('--force-renderer-accessibility'));
    assert.ok(!(await flags(false)).includes('--force-renderer-accessibility'));
  });
});
