import assert from 'node:assert/strict';
import { chmod, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { silentLogger } from '../../platform/log.ts';
import { kioskUser } from '../../platform/privileges.ts';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { EarlyBrowser } from '../early.ts';
import { TestKiosk, until } from '../testing/testKiosk.ts';
import { findChromium } from './process/commandLine.ts';

const PAGE = { '/': '<h1>page</h1>' };

/** Whether the process runs; the test may not send signals to another user's, so a refusal counts. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** A folder for a profile, the early browser in it, and what the host of the same profile is made with. */
async function begin(fakeMedia = false) {
  const folder = temporaryFolder('early');
  await chmod(folder, 0o711);
  const start = {
    binary: findChromium() ?? 'chromium',
    profileDir: join(folder, 'profile'),
    headless: true,
    debugPort: 0,
    user: process.getuid?.() === 0 ? kioskUser('nobody') : undefined,
    env: process.env,
  };
  const early = new EarlyBrowser({
    ...start,
    fakeMedia,
    apps: false,
    loginOrigins: [],
    cookieOrigins: [],
    log: silentLogger(),
  });
  await early.start();
  /** The process that holds the profile, as Chromium writes it: "host-pid". */
  const holder = async () => {
    const lock = await readlink(join(start.profileDir, 'SingletonLock')).catch(() => '');
    return Number(lock.split('-').at(-1));
  };
  await until(async () => (await holder()) > 0, 'the browser');
  return {
    early,
    holder,
    options: { ...start, early },
    async [Symbol.asyncDispose]() {
      await early.stop();
    },
  };
}

describe('browser that is started early', () => {
  test('should show the page of the host that takes it', async () => {
    await using begun = await begin();
    const pid = await begun.holder();
    await using kiosk = await TestKiosk.open('/', PAGE, begun.options);
    await until(() => kiosk.requests.some((request) => request.endsWith('.localhost/')), 'the page');
    assert.equal(await begun.holder(), pid);
    await begun.early.stop();
    assert.ok(isAlive(pid), 'it is the host that ends it');
    await kiosk.host.stop();
    assert.ok(!isAlive(pid));
  });

  test('should make way for one with other settings', async () => {
    await using begun = await begin(true);
    const pid = await begun.holder();
    await using kiosk = await TestKiosk.open('/', PAGE, begun.options);
    await until(() => kiosk.requests.some((request) => request.endsWith('.localhost/')), 'the page');
    assert.ok(!isAlive(pid));
  });

  test('should end when nobody took it', async () => {
    await using begun = await begin();
    const pid = await begun.holder();
    await begun.early.stop();
    assert.ok(!isAlive(pid));
  });
});
