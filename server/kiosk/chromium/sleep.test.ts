import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { timeToGoWrong } from '../../testing/waiting.ts';
import type { DevTools } from '../testing/devTools.ts';
import { TestKiosk, until } from '../testing/testKiosk.ts';

/** A green page that listens to everything it can. */
const PAGES = {
  '/': `<body style="margin:0;background:#00aa00"><script>
    heard = [];
    for (const type of ['pointerdown', 'pointerup', 'pointercancel', 'mousedown', 'mouseup', 'click', 'touchstart',
      'touchend', 'keydown', 'keyup', 'wheel', 'contextmenu'])
      addEventListener(type, (event) => heard.push(event.type), true);
  </script>`,
};

describe('sleep of a headless kiosk', () => {
  let kiosk: TestKiosk;
  let page: DevTools;
  let touches: number;
  before(async () => {
    kiosk = await TestKiosk.open('/', PAGES);
    page = await kiosk.devTools();
    await page.evaluate('window.before = true');
  });
  after(async () => {
    page?.close();
    await kiosk?.[Symbol.asyncDispose]();
  });
  beforeEach(() => {
    touches = 0;
  });
  afterEach(() => kiosk.host.wake());

  const fallAsleep = () => kiosk.host.sleep(() => touches++);
  const press = (tools: DevTools, type: string) =>
    tools.send('Input.dispatchMouseEvent', {
      type,
      x: 300,
      y: 300,
      button: 'left',
      buttons: 1,
      clickCount: 1,
    });

  test('should report the first touch once, and light the screen when the finger is lifted', async () => {
    await fallAsleep();
    const dark = await kiosk.darkTools();
    await press(dark, 'mousePressed');
    await until(() => touches === 1, 'the touch');
    let isLit = false;
    const woken = kiosk.host.wake().then(() => {
      isLit = true;
    });
    await timeToGoWrong(300);
    assert.equal(isLit, false);
    await press(dark, 'mouseReleased').catch(() => {});
    await woken;
    dark.close();
    assert.equal(touches, 1);
    assert.deepEqual(await page.evaluate('heard'), []);
  });

  test('security: input that is sent to the page itself has no effect while asleep', async () => {
    await fallAsleep();
    await press(page, 'mousePressed');
    await press(page, 'mouseReleased');
    await page.send('Input.dispatchKeyEvent', { type: 'keyDown', key: 'a' });
    await timeToGoWrong(200);
    assert.deepEqual(await page.evaluate('heard'), []);
    await kiosk.host.wake();
    await press(page, 'mousePressed');
    await press(page, 'mouseReleased');
    await until(async () => (await page.evaluate<string[]>('heard')).includes('click'), 'the click');
    await page.evaluate('heard = []');
  });

  test('security: a script of the page can neither wake the panel nor open a window over it', async () => {
    await fallAsleep();
    await page.evaluate(
      `dispatchEvent(new PointerEvent('pointerdown')), window.focus(), void window.open('/')`,
    );
    await timeToGoWrong(500);
    assert.equal(touches, 0);
    await kiosk.untilWindows(2);
  });

  test('should sleep and wake any number of times; the last call counts', async () => {
    await Promise.all([fallAsleep(), fallAsleep(), kiosk.host.wake(), fallAsleep(), kiosk.host.wake()]);
    await kiosk.untilWindows(1);
    await Promise.all([kiosk.host.wake(), fallAsleep()]);
    await kiosk.untilWindows(2);
  });

  test('should be dark again after the blank window, the page or the browser ended', async () => {
    await fallAsleep();
    const darkId = async () => (await kiosk.windows()).find(({ url }) => url.startsWith('data:'))?.id;
    for (const end of ['Page.close', 'Page.crash']) {
      const old = await darkId();
      const tools = await kiosk.darkTools();
      await until(async () => {
        const id = await darkId();
        // A window that has just opened has no renderer yet that could crash.
        if (id === old) tools.send(end).catch(() => {});
        return id !== undefined && id !== old;
      }, `a new blank window after ${end}`);
      tools.close();
    }
    page.close();
    process.kill(await kiosk.browserPid(), 'SIGKILL');
    kiosk.debugPort = 0;
    await kiosk.untilWindows(2);
    await kiosk.untilTrue(`Array.isArray(heard)`);
    const dark = await kiosk.darkTools();
    // The new window is listed before it is drawn and takes input: a person touches again.
    await until(async () => {
      await press(dark, 'mousePressed');
      await press(dark, 'mouseReleased');
      return touches === 1;
    }, 'the touch');
    dark.close();
    await kiosk.host.wake();
    page = await kiosk.devTools();
  });
});
