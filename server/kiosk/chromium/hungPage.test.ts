import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, beforeEach, describe, test } from 'node:test';
import { defaultLimits } from '../recovery/recovery.ts';
import { BRIDGE_WORKS, markPage } from '../testing/suite/pageComesBack.ts';
import { TestKiosk, until } from '../testing/testKiosk.ts';
import { TimeLapse } from '../testing/timeLapse.ts';

describe('a page of Chromium that does not answer', () => {
  let kiosk: TestKiosk;
  const lapse = new TimeLapse();
  before(async () => {
    kiosk = await TestKiosk.open('/', { '/': '<h1>home</h1>' }, { limits: defaultLimits, clock: lapse });
  });
  after(async () => kiosk?.[Symbol.asyncDispose]());

  let assertBackAfter: Awaited<ReturnType<typeof markPage>>;
  beforeEach(async () => {
    assertBackAfter = await markPage(kiosk);
  });

  const renderers = async () => {
    const found: number[] = [];
    for (const pid of await kiosk.processes()) {
      const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
      if (line.includes('--type=renderer')) found.push(pid);
    }
    return found;
  };

  test('should be left alone while it only waits for CPU', async () => {
    const stopped = await renderers();
    for (const pid of stopped) process.kill(pid, 'SIGSTOP');
    try {
      lapse.speed = 10;
      // A plain time limit would have ended it by then; the pause before the question may have begun at the old speed.
      const end = lapse.now() + 10 * defaultLimits.heartbeatEveryMs + 2 * defaultLimits.heartbeatLimitMs;
      await until(() => lapse.now() >= end, 'the time limit');
      assert.deepEqual(kiosk.host.recoveries(), {});
    } finally {
      lapse.speed = 1;
      for (const pid of stopped) process.kill(pid, 'SIGCONT');
    }
    await kiosk.untilTrue(BRIDGE_WORKS);
    assert.deepEqual(kiosk.host.recoveries(), {});
  });

  test('security: should be ended and come back, with the limits of a panel, when its script never ends', async (context) => {
    const devTools = await kiosk.devTools();
    const begun = performance.now();
    devTools.evaluate('for (;;);').catch(() => {});
    await assertBackAfter('hung-page');
    context.diagnostic(
      `back after ${Math.round(performance.now() - begun)} ms; the goal on a quiet machine: 10 s`,
    );
    devTools.close();
  });
});
