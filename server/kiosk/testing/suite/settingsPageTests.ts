import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { backgroundClock } from '../../../platform/clock.ts';
import { FakeClock } from '../../../testing/fakeClock.ts';
import { timeToGoWrong } from '../../../testing/waiting.ts';
import { type TestKiosk, until } from '../testKiosk.ts';
import type { OpenKiosk } from './openKiosk.ts';

const PAGES = {
  // The right half has another origin. Both do all they can to keep input to themselves.
  '/': `<body style="margin:0;touch-action:none"><script>
    for (const type of ['touchstart', 'touchend'])
      addEventListener(type, (event) => { event.stopImmediatePropagation(); event.preventDefault(); },
        { capture: true, passive: false });
    </script><iframe style="border:0;position:fixed;top:0;left:600px;width:600px;height:800px"></iframe><script>
    document.querySelector('iframe').src = location.href.replace('p1.', 'p2.') + 'frame';
    heard = 0; addEventListener('mousedown', () => heard++);
  </script>`,
  '/frame': '<body style="touch-action:none">frame',
  '/own': `<title>own</title><body style="margin:0;background:#0000aa">
    <iframe src="/inner"></iframe><script type="module">faceplateHost.post('"top"')</script>`,
  '/inner': `<script>parent.inFrame = typeof faceplateHost</script>`,
};

/** The settings page: the gesture that calls it, and its window over the kiosk page. */
export function settingsPageTests(open: OpenKiosk): void {
  describe('the settings page of a host', () => {
    let kiosk: TestKiosk;
    let calls = 0;
    /** The test lets the five seconds pass; everything else keeps real time. */
    const held = new FakeClock();
    const clock = {
      now: () => backgroundClock.now(),
      after: (ms: number, run: () => void) => (ms === 5_000 ? held : backgroundClock).after(ms, run),
    };
    before(async () => {
      kiosk = await open('/', PAGES, { clock, onSettingsCall: () => calls++ });
      await kiosk.untilTrue(`document.readyState === 'complete' && frames.length === 1`);
    });
    after(() => kiosk?.[Symbol.asyncDispose]());

    test('should be called by five fingers held for five seconds, on the page and on a frame of another site', async () => {
      const page = await kiosk.devTools();
      const touch = (...xs: number[]) =>
        page.send('Input.dispatchTouchEvent', {
          type: xs.length === 0 ? 'touchEnd' : 'touchStart',
          touchPoints: xs.map((x, id) => ({ x, y: 200 + 20 * id, id })),
        });
      await touch(100, 150, 200, 250);
      await timeToGoWrong(300);
      await held.advance(5_000);
      assert.equal(calls, 0);
      await touch();
      await touch(100, 150, 200, 700, 750);
      await until(() => held.pending === 1, 'five fingers');
      await held.advance(4_999);
      assert.equal(calls, 0);
      await held.advance(1);
      assert.equal(calls, 1);
      await touch();
      page.close();
    });

    test('should lie over the page and speak alone, and give the page back', async () => {
      const heard: [string, string][] = [];
      let gone = 0;
      const before = await kiosk.host.screenshot();
      const opened = await kiosk.host.openBuiltIn({
        name: 'settings',
        url: `${kiosk.origin('settings')}/own`,
        visible: true,
        media: false,
        sink: {
          onMessage: ({ origin }, json) => heard.push([origin, json]),
          onPageGone: () => gone++,
        },
      });
      await until(() => heard.length === 1, 'its message');
      assert.deepEqual(heard, [[kiosk.origin('settings'), '"top"']]);
      const own = await kiosk.ownTools('settings');
      await until(() => own.evaluate<boolean>(`document.readyState === 'complete'`), 'the settings page');
      assert.deepEqual(await own.evaluate('[typeof faceplateHost, inFrame, typeof container]'), [
        ...['object', 'undefined', 'undefined'],
      ]);
      assert.equal(await own.evaluate('document.hasFocus()'), true);
      // Pictures are of the kiosk page, whatever lies over it.
      assert.equal(Buffer.compare(await kiosk.host.screenshot(), before), 0);
      await own.evaluate(`void (location.href = '${kiosk.origin('evil')}/away')`);
      await timeToGoWrong(300);
      assert.equal(kiosk.requests.includes('evil.localhost/away'), false);
      await opened.close();
      await opened.close();
      await until(() => gone === 1, 'the end of its document');
      await kiosk.untilWindows(1);
      await kiosk.untilTrue('document.hasFocus()');
      own.close();
    });
  });
}
