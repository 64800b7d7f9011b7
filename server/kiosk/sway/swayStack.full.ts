import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { silentLogger } from '../../platform/log.ts';
import { timeToGoWrong } from '../../testing/waiting.ts';
import { SwayBrowser, type TestWindow } from '../testing/swayBrowser.ts';
import { until } from '../testing/testKiosk.ts';
import { noSway, TestSway } from '../testing/testSway.ts';
import { LAYERS } from '../windowStack.ts';
import { SwayStack } from './swayStack.ts';

const RED = '#FF0000';
const LIME = '#00FF00';
const BLUE = '#0000FF';
const WHITE = '#FFFFFF';
const BLACK = '#000000';
const BANNER = { x: 0, y: 0, width: 1280, height: 60 };
const KEYS = { x: 0, y: 500, width: 1280, height: 300 };

describe('the order of windows on sway', { skip: noSway, timeout: 240_000 }, () => {
  let stack: AsyncDisposableStack;
  let sway: TestSway;
  let browser: SwayBrowser;
  let windows: SwayStack;
  let page: TestWindow;
  let glass: TestWindow;
  let keys: TestWindow;
  /** Windows of one test alone. */
  const further: [name: 'settings' | 'blank' | undefined, TestWindow][] = [];

  before(async () => {
    stack = new AsyncDisposableStack();
    sway = stack.use(await TestSway.open());
    browser = stack.use(await SwayBrowser.open(sway));
    windows = new SwayStack({ ipc: sway.ipc, log: silentLogger() });
    await windows.start();
    page = await browser.first(RED);
    await windows.adopt('page', page.title);
    glass = await browser.window(page, LIME);
    await windows.adopt('glass', glass.title);
    keys = await browser.window(page, BLUE);
    await windows.adopt('keys', keys.title);
  });
  after(() => stack?.disposeAsync());
  // What one test leaves on the screen, also one that has failed, is not there for the next.
  afterEach(async () => {
    for (const [name, window] of further.splice(0)) {
      await window.tools.send('Page.close').catch(() => {});
      if (name) windows.forget(name);
    }
    for (const layer of LAYERS) await windows.hide(layer);
    await until(() => sway.screen.colourAt(640, 400) === RED, 'the page');
  });

  const lay = async (name: 'settings' | 'blank', colour: string) => {
    const window = await browser.window(page, colour);
    further.push([name, window]);
    await windows.adopt(name, window.title);
    return window;
  };
  const shows = (x: number, y: number, colour: string) =>
    until(() => sway.screen.colourAt(x, y) === colour, `${colour} at ${x}, ${y}`).catch(
      async (error: Error) => {
        const order = (await sway.ipc.windows()).map(({ name }) => name);
        throw new Error(`${error.message}; there is ${sway.screen.colourAt(x, y)}; from below: ${order}`);
      },
    );
  const heard = async ({ tools }: TestWindow) => {
    const all = await tools.evaluate<string[]>('heard.splice(0)');
    return all;
  };
  const hush = async () => {
    await new Promise((resolve) => setTimeout(resolve, 300));
    for (const window of [page, glass, keys]) await heard(window);
  };
  const size = ({ tools }: TestWindow) => tools.evaluate<string>("innerWidth + 'x' + innerHeight");

  test('should fill the screen with the page, without a frame, and hide the layers', async () => {
    await shows(640, 400, RED);
    assert.deepEqual(await sway.screen.colours(), [RED]);
    assert.equal(await size(page), '1280x800');
  });

  test('should show a layer on its part of the screen, and leave the keys and the rest to the page', async () => {
    await hush();
    await windows.show('glass', BANNER, false);
    await shows(640, 59, LIME);
    await shows(640, 60, RED);
    await sway.screen.input('mousemove 640 400 click 1');
    await sway.screen.input('key a');
    await until(async () => (await heard(page)).includes('keydown a'), 'the key');
    assert.equal(sway.screen.colourAt(640, 30), LIME);
    assert.deepEqual(await heard(glass), ['resize']);
  });

  test('should give a layer its touches, and the keys back to the page', async () => {
    await windows.show('glass', BANNER, false);
    await shows(640, 30, LIME);
    await hush();
    await sway.screen.input('mousemove 640 30 click 1');
    await until(async () => (await heard(glass)).includes('mousedown'), 'the press');
    await sway.screen.input('mousemove 640 61 key b');
    await until(async () => (await heard(page)).includes('keydown b'), 'the key');
  });

  test('should give the keys to a layer that wants them, and take them back as it hides', async () => {
    await windows.show('glass', 'screen', true);
    await shows(640, 700, LIME);
    await hush();
    await sway.screen.input('key c');
    await until(async () => (await heard(glass)).includes('keydown c'), 'the key');
    await windows.hide('glass');
    await shows(640, 700, RED);
    await sway.screen.input('key d');
    await until(async () => (await heard(page)).includes('keydown d'), 'the key');
    assert.equal((await heard(glass)).includes('keydown d'), false);
  });

  test('should keep the order of the layers, whichever comes last and whichever is pressed', async () => {
    await windows.show('glass', { x: 0, y: 400, width: 1280, height: 200 }, false);
    await windows.show('keys', KEYS, false);
    await shows(640, 450, LIME);
    await shows(640, 550, BLUE);
    await shows(640, 700, BLUE);
    await sway.screen.input('mousemove 640 700 click 1');
    await new Promise((resolve) => setTimeout(resolve, 300));
    await shows(640, 550, BLUE);
    await windows.hide('keys');
    await windows.hide('glass');
    await shows(640, 550, RED);
  });

  test('should keep the keys above a layer that wants the keyboard, without end, and leave it in peace', async () => {
    await windows.show('glass', 'screen', true);
    await windows.show('keys', KEYS, false);
    await shows(640, 450, LIME);
    await shows(640, 700, BLUE);
    await hush();
    const changes: string[] = [];
    const unlisten = sway.ipc.listen({ onWindow: (change) => changes.push(change) });
    using watch = sway.screen.watch();
    await timeToGoWrong(1_000);
    unlisten();
    assert.deepEqual(changes, []);
    assert.deepEqual(watch.stop().sort(), [LIME, BLUE].sort());
    await sway.screen.input('mousemove 640 700 click 1');
    const pressed: string[] = [];
    await until(
      async () => pressed.push(...(await heard(keys))) > 0 && pressed.includes('mouseup'),
      'the press',
    );
    await shows(640, 700, BLUE);
    await until(async () => (await sway.ipc.windows()).at(-1)?.isFocused === false, 'the keyboard, back');
    await sway.screen.input('key h');
    await until(async () => (await heard(glass)).includes('keydown h'), 'the key');
    await shows(640, 700, BLUE);
  });

  test('should go on when a window is gone of which nobody has told yet', async () => {
    const other = await lay('blank', BLACK);
    await shows(640, 400, BLACK);
    await other.tools.send('Page.close').catch(() => {});
    await until(
      async () => (await sway.ipc.windows()).every(({ name }) => !name.includes(other.title)),
      'its end',
    );
    await windows.show('glass', BANNER, false);
    await shows(640, 30, LIME);
    further.pop();
    windows.forget('blank');
  });

  test('should lay settings page and black window over the page, in that order, below and above the layers', async () => {
    const settings = await lay('settings', WHITE);
    await shows(640, 400, WHITE);
    await windows.show('glass', BANNER, false);
    await shows(640, 30, LIME);
    await sway.screen.input('mousemove 640 400 click 1');
    await until(async () => (await heard(settings)).includes('mousedown'), 'the press');
    await shows(640, 30, LIME);
    const blank = await lay('blank', BLACK);
    await shows(640, 30, BLACK);
    assert.deepEqual(await sway.screen.colours(), [BLACK]);
    await sway.screen.input('key e');
    await until(async () => (await heard(blank)).includes('keydown e'), 'the key');
    for (const [name, { tools }] of further.splice(0).reverse()) {
      await tools.send('Page.close').catch(() => {});
      if (name) windows.forget(name);
    }
    await shows(640, 400, RED);
    await shows(640, 30, LIME);
    await windows.hide('glass');
    await hush();
    await sway.screen.input('key f');
    await until(async () => (await heard(page)).includes('keydown f'), 'the key');
  });

  test('security: should keep the page below, whatever it calls itself and whatever it asks for', async () => {
    await windows.show('glass', BANNER, false);
    await shows(640, 30, LIME);
    for (const deed of [
      `document.title = '${glass.title}'`,
      "document.title = 'faceplate-banner'",
      'window.focus()',
      'window.moveTo(0, 0), window.resizeTo(1280, 800)',
      'document.documentElement.requestFullscreen()',
    ]) {
      await page.tools.evaluate(`void (async () => { ${deed} })()`);
      await new Promise((resolve) => setTimeout(resolve, 500));
      assert.equal(sway.screen.colourAt(640, 30), LIME, deed);
      assert.equal(sway.screen.colourAt(640, 400), RED, deed);
    }
    await page.tools.send('Page.bringToFront');
    await shows(640, 30, LIME);
    await page.tools.evaluate('document.exitFullscreen().catch(() => {})');
    await windows.hide('glass');
    await shows(640, 30, RED);
  });

  test('security: should never show a window that a page opened, and let no second window halve the page', async () => {
    using watch = sway.screen.watch();
    further.push([undefined, await browser.window(page, '#FF00FF')]);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    assert.deepEqual(watch.stop(), [RED]);
    assert.equal(await size(page), '1280x800');
  });

  test('should show a launched program over the page, below the layers, in its full size', async () => {
    await using other = await SwayBrowser.open(sway);
    await other.first('#00FFFF');
    await shows(640, 400, '#00FFFF');
    await windows.show('glass', BANNER, false);
    await shows(640, 30, LIME);
    await shows(640, 61, '#00FFFF');
    await windows.hide('glass');
    await shows(640, 30, '#00FFFF');
    assert.deepEqual(await sway.screen.colours(), ['#00FFFF']);
    assert.equal(await size(page), '1280x800');
    await other[Symbol.asyncDispose]();
    await shows(640, 400, RED);
    await hush();
    await sway.screen.input('key g');
    await until(async () => (await heard(page)).includes('keydown g'), 'the key');
  });

  test('should set all sizes anew when the screen is turned', async () => {
    await windows.show('glass', 'screen', false);
    await sway.ipc.command('output X11-1 transform 90');
    await until(async () => (await size(glass)) === '800x1280', 'the layer, turned');
    await until(async () => (await size(page)) === '800x1280', 'the page, turned');
    await sway.ipc.command('output X11-1 transform 0');
    await until(async () => (await size(glass)) === '1280x800', 'the layer, back');
    await windows.hide('glass');
  });

  test('security: should have no binding of any key, and start no program', async () => {
    const before = await sway.ipc.windows();
    for (const key of [
      'super+Return',
      'super+d',
      'ctrl+alt+F2',
      'alt+F4',
      'super+shift+q',
      'super+shift+e',
      'Print',
    ])
      await sway.screen.input(`key ${key}`);
    await new Promise((resolve) => setTimeout(resolve, 500));
    assert.deepEqual(
      (await sway.ipc.windows()).map(({ id }) => id),
      before.map(({ id }) => id),
    );
  });
});
