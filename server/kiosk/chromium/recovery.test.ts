import assert from 'node:assert/strict';
import { truncateSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { backgroundClock } from '../../platform/clock.ts';
import { panelForTests } from '../testing/panelForTests.ts';
import { BRIDGE_WORKS, markPage } from '../testing/suite/pageComesBack.ts';
import { soonerLimits } from '../testing/suite/soonerLimits.ts';
import { TestKiosk, until } from '../testing/testKiosk.ts';

describe('recovery of the kiosk page from what happens in Chromium', () => {
  let kiosk: TestKiosk;
  let memoryLimit = 0;
  let timesBack = 0;
  before(async () => {
    const pages = { '/': '<h1>home</h1>', '/other': '<h1>other</h1>' };
    kiosk = await TestKiosk.open('/', pages, {
      // Nothing hangs here; a busy machine must not look as if.
      limits: { ...soonerLimits, heartbeatLimitMs: 20_000 },
      recoverySettings: {
        deadPageCheck: () => false,
        memoryLimit: () => memoryLimit,
        quietHour: () => 3,
        panel: () => panelForTests,
      },
      onBrowserBack: () => timesBack++,
      // The memory checks, once a minute, come 100 times as often as on a panel.
      clock: { ...backgroundClock, after: (ms, act) => backgroundClock.after(ms === 60_000 ? 600 : ms, act) },
    });
  });
  after(async () => kiosk?.[Symbol.asyncDispose]());

  let assertBackAfter: Awaited<ReturnType<typeof markPage>>;
  beforeEach(async () => {
    assertBackAfter = await markPage(kiosk);
  });

  /** Renderers of a page, not of the browser's own interface. */
  const rendererPids = async () => {
    const found: number[] = [];
    for (const pid of await kiosk.processes()) {
      const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
      if (line.includes('--type=renderer') && !line.includes('--top-chrome-webui')) found.push(pid);
    }
    return found;
  };

  test('should bring the page back after its renderer was killed', async () => {
    for (const pid of await rendererPids()) process.kill(pid, 'SIGKILL');
    await assertBackAfter('renderer-crash');
  });

  test('should show a project of another origin in place of one that has just crashed', async () => {
    const devTools = await kiosk.devTools();
    devTools.send('Page.crash').catch(() => {});
    kiosk.bridgeOrigins.push(kiosk.origin('p2'));
    await kiosk.host.navigate(`${kiosk.origin('p2')}/other`);
    await kiosk.untilTrue(`location.href === '${kiosk.origin('p2')}/other'`);
    await kiosk.untilTrue(BRIDGE_WORKS);
    devTools.close();
    kiosk.bridgeOrigins.pop();
  });

  test('should bring everything back after the browser was killed, with a new DevTools port', async () => {
    kiosk.debugPort = 0;
    timesBack = 0;
    process.kill(await kiosk.browserPid(), 'SIGKILL');
    await assertBackAfter('browser-exit');
    await until(() => timesBack === 1, 'the report that the browser is back');
  });

  test('should start a new browser when this one uses too much memory', async () => {
    const old = await kiosk.browserPid();
    kiosk.debugPort = 0;
    timesBack = 0;
    memoryLimit = 1;
    try {
      await assertBackAfter('memory');
      assert.notEqual(await kiosk.browserPid(), old);
      await until(() => timesBack === 1, 'the report that the browser is back');
    } finally {
      memoryLimit = 0;
    }
  });

  test('should show a page that was asked for while the browser was away', async () => {
    const exits = () => kiosk.host.recoveries()['browser-exit'] ?? 0;
    const exitsBefore = exits();
    process.kill(await kiosk.browserPid(), 'SIGKILL');
    await until(() => exits() > exitsBefore, 'the exit');
    await kiosk.host.navigate(`${kiosk.origin('p1')}/other`);
    await kiosk.untilTrue(`location.pathname === '/other'`);
  });

  /** Where Chromium writes what pages store (`localStorage`), by file. */
  const stored = async () => {
    const folder = join(kiosk.profileDir, 'Default', 'Local Storage', 'leveldb');
    const names = await readdir(folder).catch(() => []);
    return new Map(
      await Promise.all(
        names.map(
          async (name) =>
            [join(folder, name), await readFile(join(folder, name)).catch(() => Buffer.of())] as const,
        ),
      ),
    );
  };
  const DAMAGES: Readonly<Record<string, (file: string, bytes: Buffer) => unknown>> = {
    'nothing damaged': () => {},
    'a log that lacks its last 100 bytes': (file, { length }) =>
      file.endsWith('.log') && truncateSync(file, Math.max(0, length - 100)),
    'an empty manifest': (file) => file.includes('MANIFEST') && truncateSync(file, 0),
  };
  for (const [what, damage] of Object.entries(DAMAGES))
    test(`should start after a power cut, and let the page store again: ${what}`, async () => {
      const value = `"${what}"`;
      await kiosk.evaluate(`localStorage.setItem('login', ${value})`);
      const isWritten = async () => [...(await stored()).values()].some((bytes) => bytes.includes(what));
      await until(isWritten, 'the value on the disk');
      const files = await stored();
      kiosk.debugPort = 0;
      process.kill(await kiosk.browserPid(), 'SIGKILL');
      for (const [file, bytes] of files) damage(file, bytes);
      await assertBackAfter('browser-exit');
      if (what === 'nothing damaged')
        assert.equal(await kiosk.evaluate(`localStorage.getItem('login')`), what);
      assert.equal(
        await kiosk.evaluate(`localStorage.setItem('again', 1), localStorage.getItem('again')`),
        '1',
      );
    });
});
