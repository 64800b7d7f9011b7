import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { backgroundClock } from '../../../platform/clock.ts';
import { FakeClock } from '../../../testing/fakeClock.ts';
import { letPass, timeToGoWrong } from '../../../testing/waiting.ts';
import { defaultLimits } from '../../recovery/recovery.ts';
import type { DevTools } from '../../testing/devTools.ts';
import { TestKiosk, until } from '../../testing/testKiosk.ts';

/** A page that does all it can to keep input to itself. */
const SWALLOW = `<body style="margin:0;touch-action:none"><script>
  for (const type of ['touchstart', 'touchend', 'keydown', 'pointerdown'])
    addEventListener(type, (event) => { event.stopImmediatePropagation(); event.preventDefault(); },
      { capture: true, passive: false });
  EventTarget.prototype.addEventListener = () => {};
  MutationObserver = undefined;
</script>`;

/** The right half of the page has another origin. */
const FOREIGN_FRAME = `<iframe style="border:0;position:fixed;top:0;left:600px;width:600px;height:800px"></iframe><script>
  document.querySelector('iframe').src = 'http://other.localhost:' + location.port + '/frame';
</script>`;

describe('the call for the settings page in the kiosk page', () => {
  let kiosk: TestKiosk;
  let page: DevTools;
  let calls: number;
  /** The test lets the five seconds pass; everything else keeps real time. */
  const held = new FakeClock();
  const clock = {
    now: () => backgroundClock.now(),
    after: (ms: number, run: () => void) => (ms === 5_000 ? held : backgroundClock).after(ms, run),
  };
  const limits = { ...defaultLimits, heartbeatEveryMs: 5_001 };
  before(async () => {
    const pages = { '/': SWALLOW + FOREIGN_FRAME, '/frame': SWALLOW };
    kiosk = await TestKiosk.open('/', pages, { clock, limits, onSettingsCall: () => calls++ });
    await kiosk.untilTrue(`document.readyState === 'complete' && frames.length === 1`);
    page = await kiosk.devTools();
  });
  after(async () => {
    page?.close();
    await kiosk?.[Symbol.asyncDispose]();
  });
  beforeEach(() => {
    calls = 0;
  });

  const touch = (xs: readonly number[]) =>
    page.send('Input.dispatchTouchEvent', {
      type: xs.length === 0 ? 'touchEnd' : 'touchStart',
      touchPoints: xs.map((x, id) => ({ x, y: 200 + 20 * id, id })),
    });
  const keys = (tools: DevTools, modifiers: number) =>
    tools.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', code: 'KeyS', key: 's', modifiers });

  test('should react to five fingers on the page, on a foreign frame, and on both', async () => {
    for (const xs of [
      [100, 150, 200, 250, 300],
      [700, 750, 800, 850, 900],
      [100, 150, 200, 700, 750],
    ]) {
      calls = 0;
      for (let fingers = 1; fingers <= xs.length; fingers++) await touch(xs.slice(0, fingers));
      await until(() => held.pending === 1, `five fingers at ${xs}`);
      await held.advance(5_000);
      assert.equal(calls, 1);
      await touch([]);
      await letPass(100);
    }
  });

  test('should not react to four fingers, nor to five that are lifted', async () => {
    await touch([100, 150, 200, 250]);
    await timeToGoWrong(200);
    assert.equal(held.pending, 0);
    await touch([100, 150, 200, 250, 300]);
    await until(() => held.pending === 1, 'five fingers');
    await touch([]);
    await until(() => held.pending === 0, 'no fingers');
    assert.equal(calls, 0);
  });

  test('should react to Ctrl+Alt+S and to no other keys', async () => {
    const [alt, ctrl, shift] = [1, 2, 8];
    await keys(page, ctrl + alt);
    await until(() => calls === 1, 'the keys');
    for (const other of [0, ctrl, alt, ctrl + alt + shift]) await keys(page, other);
    await timeToGoWrong(200);
    assert.equal(calls, 1);
  });

  test('should still react after document.open()', async () => {
    await page.evaluate(`document.open(), document.write('<body>new'), document.close()`);
    await letPass(200);
    await keys(page, 3);
    await until(() => calls === 1, 'the keys');
  });

  test('security: cannot be forged by the page', async () => {
    await page.evaluate(`(() => {
      const press = { ctrlKey: true, altKey: true, code: 'KeyS', key: 's', bubbles: true, cancelable: true };
      const point = (identifier) => new Touch({ identifier, target: document.body, clientX: 9, clientY: 9 });
      const touches = [1, 2, 3, 4, 5].map(point);
      for (const target of [window, document, document.body]) {
        target.dispatchEvent(new KeyboardEvent('keydown', press));
        target.dispatchEvent(new TouchEvent('touchstart', { touches, targetTouches: touches, bubbles: true }));
      }
      for (const name of Object.getOwnPropertyNames(globalThis))
        if (/^_[0-9a-f]{24}$/.test(name)) for (const word of ['"keys"', '5']) try { globalThis[name](word); } catch {}
    })()`);
    await timeToGoWrong(300);
    assert.deepEqual([calls, held.pending], [0, 0]);
  });
});
