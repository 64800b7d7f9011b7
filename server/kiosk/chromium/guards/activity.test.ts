import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { backgroundClock } from '../../../platform/clock.ts';
import { letPass, timeToGoWrong } from '../../../testing/waiting.ts';
import type { DevTools } from '../../testing/devTools.ts';
import { TestKiosk, until } from '../../testing/testKiosk.ts';

const SWALLOW = `<body style="margin:0"><script>
  for (const type of ['pointerdown', 'keydown', 'wheel'])
    addEventListener(type, (event) => { event.stopImmediatePropagation(); event.preventDefault(); }, true);
  EventTarget.prototype.addEventListener = () => {};
  MutationObserver = undefined;
</script>`;

describe('use of the kiosk page', () => {
  let kiosk: TestKiosk;
  let page: DevTools;
  let told: number;
  let skippedMs = 0;
  const clock = { ...backgroundClock, now: () => backgroundClock.now() + skippedMs };
  before(async () => {
    kiosk = await TestKiosk.open(
      '/',
      { '/': SWALLOW, '/frame': SWALLOW },
      { clock, onActivity: () => told++ },
    );
    page = await kiosk.devTools();
  });
  after(async () => {
    page?.close();
    await kiosk?.[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    await page.evaluate('void (window.old = true)');
    await page.send('Page.reload');
    await kiosk.untilTrue(`document.readyState === 'complete' && window.old === undefined`);
    // Its answer comes behind the touches of the previous test, and their interval is over.
    await kiosk.host.evaluate('0');
    skippedMs += 1_000;
    told = 0;
  });

  const click = async (target = page) => {
    for (const type of ['mousePressed', 'mouseReleased'])
      await target.send('Input.dispatchMouseEvent', { type, x: 300, y: 300, button: 'left', clickCount: 1 });
  };

  test('should be reported once per second, even for touches and keys that the page stops', async () => {
    const begun = performance.now();
    for (let i = 0; i < 10; i++) await click();
    await until(() => told > 0, 'the touch');
    assert.ok(told <= 1 + Math.floor((performance.now() - begun) / 1_000), `told ${told} times`);
    await letPass(1_100);
    const touches = told;
    await page.send('Input.dispatchKeyEvent', { type: 'keyDown', key: 'a' });
    await until(() => told === touches + 1, 'the key');
  });

  test('security: cannot be forged by the page', async () => {
    await page.evaluate(`for (const target of [window, document, document.body])
      target.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true }))`);
    await page.evaluate('document.body.click()');
    await timeToGoWrong(200);
    assert.equal(told, 0);
  });

  test('security: cannot be hidden by a document that opens itself again', async () => {
    await page.evaluate(`document.open(), document.write('<body>new'), document.close()`);
    await click();
    await until(() => told === 1, 'the touch');
  });

  test('should be reported for touches in frames of other processes', async () => {
    await page.evaluate(`new Promise((loaded) => {
      document.body.innerHTML = '<iframe style="border:0;width:100vw;height:100vh">';
      document.querySelector('iframe').onload = () => loaded();
      document.querySelector('iframe').src = '${kiosk.origin('other')}/frame';
    })`);
    // Into the frame itself: a click on the page may still reach the page until the frame is drawn.
    const frame = await kiosk.frameTools();
    try {
      await click(frame);
      await until(() => told > 0, 'the touch');
    } finally {
      frame.close();
    }
  });
});
