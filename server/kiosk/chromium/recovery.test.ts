import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
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
});
