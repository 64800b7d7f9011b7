import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { backgroundClock } from '../../platform/clock.ts';
import { defaultLimits } from '../recovery/recovery.ts';
import { panelForTests } from '../testing/panelForTests.ts';
import { TestKiosk, until } from '../testing/testKiosk.ts';
import { TimeLapse } from '../testing/timeLapse.ts';

/** An overlay that hides all content: the document has some, the screen shows none. */
const DEAD = `<p>Nobody can read this.</p><div style="position:fixed;inset:0;background:#fff;pointer-events:none"></div>`;
/** The screen is correct here: all text has the colour of its background. */
const BLANK = `<body style="background:#123456"><p style="color:#123456">Still</p><p style="color:transparent">dark</p>
  <section style="background:#123456;color:rgb(18,52,86)"><b>and</b> <i style="background:none">empty</i></section>`;

describe('a page that shows nothing', () => {
  let kiosk: TestKiosk;
  const lapse = new TimeLapse();
  let looks = 0;
  before(async () => {
    // The checks and the minute pass 100 times as fast as on a panel.
    const clock = {
      now: () => lapse.now(),
      after: (ms: number, action: () => void) => {
        if (ms !== 15_000) return backgroundClock.after(ms, action);
        looks++;
        return backgroundClock.after(ms / 100, action);
      },
    };
    // By this clock, so that a busy machine has as long to answer as on a panel.
    const limits = { ...defaultLimits, heartbeatLimitMs: defaultLimits.heartbeatLimitMs * 100 };
    kiosk = await TestKiosk.open(
      '/',
      { '/': '<p>Living</p>', '/dead': DEAD, '/blank': BLANK },
      {
        clock,
        limits,
        recoverySettings: {
          deadPageCheck: () => true,
          memoryLimit: () => 0,
          quietHour: () => 3,
          panel: () => panelForTests,
        },
      },
    );
    lapse.speed = 100;
  });
  after(() => kiosk?.[Symbol.asyncDispose]());

  /** The blank window has its five seconds, whatever the machine does. */
  const sleep = async () => {
    lapse.speed = 1;
    await kiosk.host.sleep(() => {});
    lapse.speed = 100;
  };

  /** More than a minute, by which a fifth look would have found a dead page. */
  const aMinute = async () => {
    const end = looks + 6;
    await until(() => looks >= end, 'six looks at the page');
  };

  test('should be left alone while it shows something, or is dark because the panel sleeps', async () => {
    await kiosk.untilTrue(`document.readyState === 'complete'`);
    await aMinute();
    await kiosk.host.navigate(`${kiosk.origin('p1')}/dead`);
    await sleep();
    await aMinute();
    assert.deepEqual(kiosk.host.recoveries(), {});
    await kiosk.host.wake();
  });

  test('should be left alone when its text has the colour of its background', async () => {
    await kiosk.host.navigate(`${kiosk.origin('p1')}/blank`);
    await kiosk.untilTrue(`location.pathname === '/blank' && document.readyState === 'complete'`);
    await aMinute();
    assert.deepEqual(kiosk.host.recoveries(), {});
    await kiosk.host.navigate(`${kiosk.origin('p1')}/dead`);
  });

  test('should get a new page first, then a new browser', async () => {
    // By the log: on a slow machine the next step may come before the counts are read.
    const causes = () => [...kiosk.logText.matchAll(/"cause":"([a-z-]+)"/g)].map(([, cause]) => cause);
    await until(() => causes().includes('browser-exit'), 'the new browser');
    // In time that runs 100 times as fast, a busy machine's server may be late: then the page is sent for once more.
    assert.deepEqual([...new Set(causes())].slice(0, 2), ['dead-page', 'browser-exit']);
    assert.ok((kiosk.host.recoveries()['dead-page'] ?? 0) >= 2);
    await kiosk.host.navigate(`${kiosk.origin('p1')}/`);
    await kiosk.untilTrue(`document.body.innerText === 'Living'`);
  });
});
