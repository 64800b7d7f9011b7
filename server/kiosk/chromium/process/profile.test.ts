import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmod,
  chown,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { kioskUser } from '../../../platform/privileges.ts';
import { skipWithoutMounts } from '../../../testing/mountNamespace.ts';
import { temporaryFolder } from '../../../testing/temporaryFolder.ts';
import { TestKiosk, until } from '../../testing/testKiosk.ts';
import { dropLockOfOtherName, readyProfileDir } from './profile.ts';

const mayBeOther = process.getuid?.() === 0;

/** A profile with a lock, of the kiosk's user where we may switch users. */
async function locked(holder: string) {
  const folder = temporaryFolder('lock');
  await chmod(folder, 0o711);
  const profileDir = join(folder, 'profile');
  const user = mayBeOther ? kioskUser('nobody') : undefined;
  await mkdir(profileDir, { mode: 0o700 });
  const lock = join(profileDir, 'SingletonLock');
  await symlink(holder, lock);
  if (user !== undefined) await chown(profileDir, user.uid, user.gid);
  return {
    profileDir,
    user,
    holder: () => readlink(lock).catch(() => undefined),
  };
}

describe('lock of the profile', () => {
  for (const [holder, isKept] of [
    ['panel-729', true],
    ['faceplate-50495d-729', false],
    ['panel-kitchen-729', false],
    ['panel-5-729', false],
    ['panel-', false],
    ['panelx729', false],
  ] as const)
    for (const switches of mayBeOther ? [true, false] : [false])
      test(`should ${isKept ? 'keep' : 'take off'} the one of ${holder} on "panel"${switches ? ' as the user' : ''}`, async () => {
        const profile = await locked(holder);
        await dropLockOfOtherName(profile.profileDir, switches ? profile.user : undefined, 'panel');
        assert.equal(await profile.holder(), isKept ? holder : undefined);
      });

  test('should be content without a lock or a profile', async () => {
    const profile = await locked('other-1');
    for (let time = 0; time < 2; time++) await dropLockOfOtherName(profile.profileDir, profile.user, 'panel');
    await dropLockOfOtherName(join(profile.profileDir, 'none'), undefined, 'panel');
  });

  test('should show the page after the panel was renamed and its browser killed', async () => {
    const profile = await locked(`${hostname()}-before-1`);
    const { profileDir } = profile;
    await using kiosk = await TestKiosk.open('/', { '/': '<h1>page</h1>' }, { profileDir });
    await until(() => kiosk.requests.some((request) => request.endsWith('.localhost/')), 'the page');
    assert.match((await profile.holder()) ?? '', new RegExp(`^${hostname()}-\\d+$`));
  });
});

describe('a profile of another user', { skip: !mayBeOther && 'needs root' }, () => {
  async function made() {
    const folder = temporaryFolder('profile');
    await chmod(folder, 0o711);
    const profileDir = join(folder, 'profile');
    const user = kioskUser('nobody');
    const ready = async (...loginOrigins: string[]) => {
      const origins = { loginOrigins, cookieOrigins: [], secureOrigins: [] };
      assert.equal(await readyProfileDir({ profileDir, user, env: {} }, origins), profileDir);
    };
    await ready();
    return { folder, profileDir, ready, uid: user.uid };
  }

  test('should be the whole of it, for that user alone, with our preferences', async () => {
    const { folder, profileDir, uid } = await made();
    for (const name of ['', 'Default', 'Default/Preferences', 'Local State']) {
      const stats = await lstat(join(profileDir, name));
      assert.deepEqual([stats.uid, stats.mode & 0o077], [uid, 0], name);
    }
    assert.match(await readFile(join(profileDir, 'Default/Preferences'), 'utf8'), /url_blocklist/);
    assert.deepEqual(await readdir(folder), ['profile']);
  });

  test('security: should be made by the user where another user could change a folder on the way', async () => {
    const folder = temporaryFolder('profile');
    await chmod(folder, 0o711);
    const user = kioskUser('nobody');
    await chown(folder, user.uid, user.gid);
    const [profileDir, elsewhere] = [join(folder, 'profile'), temporaryFolder('elsewhere')];
    // What root would lay out beside its place is looked for there, and removed.
    await symlink(elsewhere, `${profileDir}.new`);
    const origins = { loginOrigins: [], cookieOrigins: [], secureOrigins: [] };
    await readyProfileDir({ profileDir, user, env: {} }, origins);
    assert.equal(await readlink(`${profileDir}.new`), elsewhere);
    assert.match(await readFile(join(profileDir, 'Default/Preferences'), 'utf8'), /url_blocklist/);
  });

  test('should keep what the browser has written, and get what changes', async () => {
    const { profileDir, ready } = await made();
    const file = join(profileDir, 'Local State');
    const before = JSON.parse(await readFile(file, 'utf8')) as object;
    await writeFile(file, JSON.stringify({ ...before, own: 1 }));
    await ready('http://a.test');
    const { own, auth } = JSON.parse(await readFile(file, 'utf8')) as { own: number; auth: object };
    assert.equal(own, 1);
    assert.match(JSON.stringify(auth), /a\.test/);
  });

  test('security: should be read and written through no link that the user has planted', async () => {
    const { folder, profileDir, ready } = await made();
    const secret = join(folder, 'secret');
    await mkdir(secret, { mode: 0o700 });
    for (const name of ['Preferences', 'Local State'])
      await writeFile(join(secret, name), '{"secret":1}', { mode: 0o600 });
    await rm(join(profileDir, 'Local State'));
    await symlink(join(secret, 'Local State'), join(profileDir, 'Local State'));
    await ready('http://a.test');
    assert.doesNotMatch(await readFile(join(profileDir, 'Local State'), 'utf8'), /secret/);
    await rm(join(profileDir, 'Default'), { recursive: true });
    await symlink(secret, join(profileDir, 'Default'));
    await assert.rejects(ready('http://b.test'));
    for (const name of ['Preferences', 'Local State'])
      assert.equal(await readFile(join(secret, name), 'utf8'), '{"secret":1}');
    assert.deepEqual((await readdir(secret)).sort(), ['Local State', 'Preferences']);
  });
});

describe('a profile', () => {
  /** Runs code beside a tmpfs at `folder`, in which `profile` was made ready before. */
  async function onSmallDisk(code: string): Promise<void> {
    const folder = temporaryFolder('profile');
    const whole = `
      import assert from 'node:assert/strict';
      import { execFileSync } from 'node:child_process';
      import { existsSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
      import { memoryProfile, readyProfileDir } from '${new URL('./profile.ts', import.meta.url).href}';
      import { kioskUser } from '${new URL('../../../platform/privileges.ts', import.meta.url).href}';
      const [folder, profileDir] = [${JSON.stringify(folder)}, ${JSON.stringify(join(folder, 'profile'))}];
      const full = (path) => assert.throws(() => { for (;;) writeFileSync(path, Buffer.alloc(512), { flag: 'a' }); }, { code: 'ENOSPC' });
      for (const user of [undefined, kioskUser('nobody')]) {
        const place = { profileDir, user, env: {} };
        const memory = memoryProfile(profileDir, user, {});
        const ready = (...loginOrigins) => readyProfileDir(place, { loginOrigins, cookieOrigins: [], secureOrigins: [] });
        const state = () => readFileSync(profileDir + '/Local State', 'utf8');
        assert.equal(await ready('http://a.test'), profileDir);
        ${code}
        rmSync(profileDir, { recursive: true });
      }`;
    const script =
      'mount -t tmpfs -o size=96k,nr_inodes=40,mode=0711 none "$1" && exec "$2" --input-type=module -e "$3"';
    const child = spawnSync('unshare', ['-m', 'sh', '-c', script, 'sh', folder, process.execPath, whole]);
    assert.equal(child.status, 0, child.stderr.toString());
  }

  test(
    'should stay whole on a full disk, and go into memory for what it lacks',
    { skip: skipWithoutMounts },
    () =>
      onSmallDisk(`
      const before = state();
      full(folder + '/fill');
      assert.equal(await ready('http://a.test'), profileDir);
      assert.equal(await ready('http://b.test'), memory);
      assert.match(readFileSync(memory + '/Local State', 'utf8'), /b\\.test/);
      assert.equal(statSync(memory).mode & 0o777, 0o700);
      assert.equal(state(), before);
      assert.deepEqual(readdirSync(profileDir).sort(), ['Default', 'Local State']);
      rmSync(folder + '/fill');
      assert.equal(await ready('http://b.test'), profileDir);
      assert.equal(existsSync(memory), false);`),
  );

  test('should go into memory where no lock could be made', { skip: skipWithoutMounts }, () =>
    onSmallDisk(`
      execFileSync('mount', ['-o', 'remount,ro', folder]);
      assert.equal(await ready('http://a.test'), memory);
      execFileSync('mount', ['-o', 'remount,rw', folder]);
      assert.equal(await ready('http://a.test'), profileDir);
      let count = 0;
      assert.throws(() => { for (;;) writeFileSync(folder + '/f' + count++, ''); }, { code: 'ENOSPC' });
      assert.equal(await ready('http://a.test'), memory);
      while (count > 0) rmSync(folder + '/f' + --count, { force: true });
      assert.equal(await ready('http://a.test'), profileDir);
      assert.equal(existsSync(memory), false);`),
  );
});
