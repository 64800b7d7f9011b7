import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Own, PAGES } from '../../testing/ownPages.ts';
import { TestKiosk, until } from '../../testing/testKiosk.ts';
import { noScreen, TestScreen } from '../../testing/testScreen.ts';

for (const windowManager of [true, false])
  describe(`a built-in page on a real screen ${windowManager ? 'with' : 'without'} a window manager`, {
    skip: noScreen,
  }, () => {
    let screen: TestScreen;
    let kiosk: TestKiosk;
    let own: Own;
    before(async () => {
      screen = await TestScreen.open({ windowManager });
      kiosk = await TestKiosk.open('/', PAGES, { headless: false, env: screen.env });
      own = new Own(kiosk);
      await shows('#00AA00');
    });
    after(async () => {
      await kiosk?.[Symbol.asyncDispose]();
      await screen?.[Symbol.asyncDispose]();
    });
    const shows = (colour: string) =>
      until(async () => (await screen.colours()).join() === colour, `the colour ${colour}`);

    test('should fill the screen and get the keys; the page below gets them back', async () => {
      await own.open('intercom');
      const opened = await own.open('settings');
      await shows('#0000AA');
      await screen.input('mousemove 300 300 click 1 key a');
      await until(
        async () => (await own.evaluate<string[]>('settings', 'heard')).join() === 'click,keydown',
        'input',
      );
      assert.deepEqual(await kiosk.evaluate('heard'), []);
      await kiosk.host.sleep(() => {});
      await shows('#000000');
      await kiosk.host.wake();
      await shows('#0000AA');
      await opened.close();
      await shows('#00AA00');
      await screen.input('key a');
      await kiosk.untilTrue(`heard.includes('keydown')`);
    });

    if (!windowManager) return;

    test('security: the kiosk page cannot come above it', async () => {
      const opened = await own.open('settings');
      await shows('#0000AA');
      const page = await kiosk.devTools();
      await page.evaluate(
        'document.documentElement.requestFullscreen().catch(() => {}), void window.focus()',
      );
      await page.send('Page.bringToFront');
      // The browser's own message about full screen covers both for some seconds.
      const mostly = async (colour: string, other: string) => {
        const [first, ...rest] = await screen.colours();
        return first === colour && !rest.includes(other);
      };
      let pictures = 0;
      await until(async () => {
        pictures = (await mostly('#0000AA', '#00AA00')) ? pictures + 1 : 0;
        return pictures === 3;
      }, 'the page on top, and to stay there');
      page.close();
      await opened.close();
      await until(() => mostly('#00AA00', '#0000AA'), 'the kiosk page');
    });
  });
