import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, readlink, rm, symlink } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { kioskUser } from '../../../platform/privileges.ts';
import { TestKiosk, until } from '../../testing/testKiosk.ts';
import { dropLockOfOtherName, keepHistogramsInMemory } from './profile.ts';

const mayBeOther = process.getuid?.() === 0;

/** A profile with a lock, of the kiosk's user where we may switch users. */
async function locked(holder: string) {
  const folder = await mkdtemp(join(tmpdir(), 'faceplate-lock-'));
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
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true, maxRetries: 10 }),
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
        await using profile = await locked(holder);
        await dropLockOfOtherName(profile.profileDir, switches ? profile.user : undefined, 'panel');
        assert.equal(await profile.holder(), isKept ? holder : undefined);
      });

  test('should be content without a lock or a profile', async () => {
    await using profile = await locked('other-1');
    for (let time = 0; time < 2; time++) await dropLockOfOtherName(profile.profileDir, profile.user, 'panel');
    await dropLockOfOtherName(join(profile.profileDir, 'none'), undefined, 'panel');
  });

  test('should show the page after the panel was renamed and its browser killed', async () => {
    await using profile = await locked(`${hostname()}-before-1`);
    const { profileDir } = profile;
    await using kiosk = await TestKiosk.open('/', { '/': '<h1>page</h1>' }, { profileDir });
    await until(() => kiosk.requests.some((request) => request.endsWith('.localhost/')), 'the page');
    assert.match((await profile.holder()) ?? '', new RegExp(`^${hostname()}-\\d+$`));
  });
});

describe('the histograms of the browser', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'faceplate-histograms-'));
    for (const name of ['profile', 'memory', 'elsewhere']) mkdirSync(join(folder, name));
  });
  after(() => rmSync(folder, { recursive: true }));
  const at = (...names: string[]) => join(folder, ...names);

  test('should go into memory, and leave nothing of the run before', async () => {
    mkdirSync(at('profile/BrowserMetrics'));
    writeFileSync(at('profile/BrowserMetrics/old.pma'), 'old');
    for (const run of ['first', 'second']) {
      await keepHistogramsInMemory(at('profile'), at('memory'));
      assert.deepEqual(readdirSync(at('memory/histograms')), []);
      writeFileSync(at('profile/BrowserMetrics', `${run}.pma`), run);
      assert.deepEqual(readdirSync(at('memory/histograms')), [`${run}.pma`]);
    }
  });

  test('security: should remove a link, and not what it leads to', async () => {
    writeFileSync(at('elsewhere/kept'), 'kept');
    rmSync(at('memory/histograms'), { recursive: true, force: true });
    rmSync(at('profile/BrowserMetrics'), { recursive: true, force: true });
    await keepHistogramsInMemory(at('profile'), at('elsewhere'));
    await keepHistogramsInMemory(at('profile'), at('memory'));
    assert.equal(readlinkSync(at('profile/BrowserMetrics')), at('memory/histograms'));
    assert.ok(readdirSync(at('elsewhere')).includes('kept'));
  });
});
