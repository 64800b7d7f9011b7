import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { timeToGoWrong } from '../../testing/waiting.ts';
import { TestKiosk, until } from '../testing/testKiosk.ts';
import { noScreen, TestScreen } from '../testing/testScreen.ts';

/** A green page that listens to everything it can, and to whether it is seen. */
const PAGES = {
  '/': `<body style="margin:0;background:#00aa00"><script>
    heard = []; seen = [];
    for (const type of ['pointerdown', 'pointerup', 'pointercancel', 'mousedown', 'mouseup', 'click', 'touchstart',
      'touchend', 'keydown', 'keyup', 'wheel', 'contextmenu'])
      addEventListener(type, (event) => heard.push(event.type), true);
    document.addEventListener('visibilitychange', () => seen.push(document.visibilityState));
  </script>`,
};

for (const windowManager of [true, false])
  describe(`sleep on a real screen ${windowManager ? 'with' : 'without'} a window manager`, {
    skip: noScreen,
  }, () => {
    let screen: TestScreen;
    let kiosk: TestKiosk;
    let touches: number;
    before(async () => {
      screen = await TestScreen.open({ windowManager });
      kiosk = await TestKiosk.open('/', PAGES, { headless: false, env: screen.env });
      await kiosk.untilTrue(`document.readyState === 'complete'`);
      await until(async () => (await screen.colours())[0] === '#00AA00', 'the page');
      touches = 0;
    });
    after(async () => {
      await kiosk?.[Symbol.asyncDispose]();
      await screen?.[Symbol.asyncDispose]();
    });

    test('should fill the screen', async () => {
      assert.deepEqual(await screen.colours(), ['#00AA00']);
    });

    test('should not report a dark theme to its page, though its windows are black until they are drawn', async () => {
      assert.equal(await kiosk.evaluate(`matchMedia('(prefers-color-scheme: dark)').matches`), false);
    });

    test('security: the waking touch never reaches the page, whatever made it', async () => {
      await screen.input('mousemove 300 300');
      for (const words of ['click 1', 'key a', 'mousedown 1']) {
        touches = 0;
        await kiosk.evaluate('heard = []');
        await kiosk.host.sleep(() => {
          touches++;
          void kiosk.host.wake();
        });
        await until(async () => (await screen.colours()).join() === '#000000', 'a black screen');
        await screen.input(words);
        await until(() => touches === 1, `the touch (${words})`);
        await timeToGoWrong(300);
        if (words.startsWith('mousedown')) await screen.input('mouseup 1');
        await until(async () => (await screen.colours()).join() === '#00AA00', 'the page');
        assert.deepEqual(await kiosk.evaluate('heard'), [], words);
        await screen.input('click 1');
        await kiosk.untilTrue(`heard.includes('click')`);
      }
      assert.deepEqual(await kiosk.evaluate('seen'), []);
    });

    test('security: a page that raises itself is covered again', async () => {
      await kiosk.evaluate('heard = []');
      await kiosk.host.sleep(() => touches++);
      await until(async () => (await screen.colours()).join() === '#000000', 'a black screen');
      const page = await kiosk.devTools();
      await page.evaluate(
        'document.documentElement.requestFullscreen().catch(() => {}), void window.focus()',
      );
      await page.send('Page.bringToFront');
      page.close();
      await timeToGoWrong(1_000);
      await until(async () => (await screen.colours()).join() === '#000000', 'a black screen again');
      touches = 0;
      await screen.input('click 1');
      await until(() => touches === 1, 'the touch');
      assert.deepEqual(await kiosk.evaluate('heard'), []);
      await kiosk.host.wake();
    });

    test('should come in front of a launched app, but not while asleep', {
      skip: !windowManager && 'needs a window manager',
    }, async () => {
      await using app = await screen.openApp('#cc0000');
      await until(async () => (await screen.colours())[0] === app.colour, 'the app');
      await kiosk.host.bringToFront();
      await until(async () => (await screen.colours()).join() === '#00AA00', 'the page');
      await kiosk.host.sleep(() => {});
      await kiosk.host.bringToFront();
      await until(async () => (await screen.colours()).join() === '#000000', 'a black screen');
      await timeToGoWrong(300);
      assert.deepEqual(await screen.colours(), ['#000000']);
      await kiosk.host.wake();
    });

    test('should fill the screen again after the window was closed', async () => {
      const page = await kiosk.devTools();
      await page.send('Page.close').catch(() => {});
      page.close();
      await until(async () => (await screen.colours()).join() === '#00AA00', 'the page');
    });
  });
