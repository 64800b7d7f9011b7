import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { until } from '../../server/kiosk/testing/testKiosk.ts';
import { noScreen } from '../../server/kiosk/testing/testScreen.ts';
import { type BareBrowser, type Kiosk, openPlain, shareKiosk } from './bareBrowser.ts';
import { UNSEEN_PICTURE } from './touch.ts';

describe('a page without a debugger', { skip: noScreen }, () => {
  let kiosk: Kiosk;
  let plain: BareBrowser;
  shareKiosk((opened) => {
    kiosk = opened;
  });
  before(async () => {
    plain = await openPlain();
  });
  after(() => plain?.[Symbol.asyncDispose]());

  test('should report the same size of the screen as in plain Chromium, and hold the bridge only here', async () => {
    const look = () => ({
      size: [innerWidth, innerHeight, devicePixelRatio],
      bridge: typeof (globalThis as { container?: unknown }).container,
    });
    assert.deepEqual(await kiosk.site.ask(look), { size: [1280, 800, 1], bridge: 'object' });
    assert.deepEqual(await plain.site.ask(look), { size: [1280, 800, 1], bridge: 'undefined' });
  });

  test('should get real clicks and keys of the screen', async () => {
    for (const browser of [kiosk, plain]) {
      const heard = browser.site.show(`<body style="margin:0;background:#00aa00">${UNSEEN_PICTURE}<script>
        onclick = () => onkeydown = ({ key, isTrusted }) => bare.report([key, isTrusted]);
        requestAnimationFrame(() => requestAnimationFrame(() => fetch('/ready')));
      </script>`);
      await until(() => browser.site.requests.includes('bare.localhost/ready'), 'the page');
      await until(() => browser.screen.colourAt(640, 400) === '#00AA00', 'its picture');
      await browser.screen.input('mousemove 640 400 click 1 key x');
      assert.deepEqual(await heard, ['x', true]);
      assert.deepEqual(await browser.screen.colours(), ['#00AA00']);
    }
  });
});
