import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { silentLogger } from '../../platform/log.ts';
import { timeToGoWrong } from '../../testing/waiting.ts';
import type { LayerName } from '../builtInPageContract.ts';
import type { Layer, ScreenArea } from '../host.ts';
import { TestKiosk, until } from '../testing/testKiosk.ts';
import { isThere, noScreen, TestScreen } from '../testing/testScreen.ts';
import { X11Stack } from './x11Stack.ts';
import { XServer } from './xServer.ts';

const HEARD = `heard = []; for (const type of ['mousedown', 'mouseup', 'keydown', 'blur', 'focus'])
  addEventListener(type, (event) => heard.push(event.type + (event.key ?? '')), true);`;
const page = (colour: string) => `<body style="margin:0;background:${colour}"><script>${HEARD}</script>`;
const PAGES = {
  '/': page('#00aa00'),
  '/settings': page('#aaaa00'),
  '/glass': page('#aa0000'),
  '/keys': page('#0000aa'),
};
const [GREEN, YELLOW, RED, BLUE, BLACK] = ['#00AA00', '#AAAA00', '#AA0000', '#0000AA', '#000000'];
const BANNER: ScreenArea = { x: 0, y: 0, width: 1280, height: 60 };
const KEYS: ScreenArea = { x: 0, y: 500, width: 1280, height: 300 };

for (const windowManager of [false, true])
  describe(`layers on X, ${windowManager ? 'with a window manager' : 'without a window manager'}`, {
    skip: noScreen,
  }, () => {
    let screen: TestScreen;
    let kiosk: TestKiosk;
    let stack: X11Stack;
    const layers: Layer[] = [];
    let ready = 0;
    before(async () => {
      screen = await TestScreen.open({ windowManager });
      stack = new X11Stack({ display: screen.display, log: silentLogger() });
      kiosk = await TestKiosk.open('/', PAGES, { headless: false, env: screen.env, stack });
      await kiosk.untilTrue('Array.isArray(heard)');
      await shows(640, 400, GREEN);
    });
    after(async () => {
      await kiosk?.[Symbol.asyncDispose]();
      await screen?.[Symbol.asyncDispose]();
    });
    afterEach(async () => {
      for (const layer of layers.splice(0)) await layer.close();
      await shows(640, 400, GREEN);
    });
    const shows = (x: number, y: number, colour: string | undefined) =>
      until(() => screen.colourAt(x, y) === colour, `${colour} at ${x},${y}`);
    const openLayer = async (name: LayerName): Promise<Layer> => {
      ready = 0;
      const layer: Layer = await kiosk.host.openLayer({
        name,
        url: `${kiosk.origin(name)}/${name}`,
        sink: { onMessage: () => {}, onPageGone: () => {} },
        onReady: () => ready++,
      });
      layers.push(layer);
      await until(() => ready === 1, name);
      return layer;
    };
    const heardIn = async (name?: LayerName): Promise<string[]> => {
      const tools = name ? await kiosk.ownTools(name) : await kiosk.devTools();
      try {
        return await tools.evaluate<string[]>('heard.splice(0)');
      } finally {
        tools.close();
      }
    };
    const click = (x: number, y: number) => screen.input(`mousemove ${x} ${y} click 1`);

    test('should show a banner above the page, which keeps the keys and stays below when it is clicked', async () => {
      const layer = await openLayer('glass');
      assert.equal(screen.colourAt(640, 30), GREEN);
      await click(640, 400);
      await until(async () => (await heardIn()).includes('mouseup'), 'the click');
      await layer.show(BANNER, false);
      await shows(640, 30, RED);
      assert.equal(screen.colourAt(640, 61), GREEN);
      const tools = await kiosk.ownTools('glass');
      assert.deepEqual(await tools.evaluate('[innerWidth, innerHeight, document.visibilityState]'), [
        1280,
        60,
        'visible',
      ]);
      tools.close();
      await screen.input('key a');
      await until(async () => (await heardIn()).join() === 'keydowna', 'the key in the page, without blur');
      await click(640, 400);
      await until(async () => (await heardIn()).includes('mouseup'), 'the click beside it');
      await shows(640, 30, RED);
      assert.deepEqual(await heardIn('glass'), []);
      await click(640, 30);
      await until(
        async () => (await heardIn('glass')).join().includes('mousedown,mouseup'),
        'the click on it',
      );
      assert.equal((await heardIn()).includes('mousedown'), false);
      await until(async () => {
        await screen.input('key b');
        return (await heardIn()).includes('keydownb');
      }, 'the key in the page');
      await layer.hide();
      await shows(640, 30, GREEN);
    });

    test('should open a layer out of sight, and take no keys for it', async () => {
      await click(640, 400);
      await until(async () => (await heardIn()).includes('mouseup'), 'the click');
      using watch = screen.watch();
      await openLayer('glass');
      await screen.input('key e');
      await until(async () => (await heardIn()).includes('keydowne'), 'the key in the page');
      assert.deepEqual(watch.stop(), [GREEN]);
    });

    test('should leave other programs alone while a layer opens', async () => {
      using _opening = { [Symbol.dispose]: stack.layerOpens() };
      await using app = await screen.openApp('#aa00aa');
      await shows(640, 400, app.colour);
    });

    test('should give back what is no layer of a browser that opened meanwhile', async () => {
      const opened = stack.layerOpens();
      using _opening = { [Symbol.dispose]: opened };
      using watch = screen.watch();
      await using app = await screen.openApp('#aa00aa', 'chromium');
      await timeToGoWrong(500);
      assert.deepEqual(watch.stop(), [GREEN]);
      opened();
      await shows(640, 400, app.colour);
    });

    test('should give the keys to a layer that wants them, and back', async () => {
      const layer = await openLayer('glass');
      await layer.show({ x: 400, y: 200, width: 400, height: 300 }, true);
      await shows(640, 400, RED);
      await until(async () => {
        await screen.input('key c');
        return (await heardIn('glass')).includes('keydownc');
      }, 'the key in the layer');
      const thief = await XServer.connect({
        display: screen.display,
        onEvent: () => {},
        onEnd: () => {},
        log: silentLogger(),
      });
      const keysAt = await thief.focus();
      thief.giveKeys(thief.root);
      await until(async () => (await thief.focus()) === keysAt, 'the keys, taken back');
      thief.close();
      await heardIn();
      await layer.hide();
      await shows(640, 400, GREEN);
      await until(async () => {
        await screen.input('key d');
        return (await heardIn()).includes('keydownd');
      }, 'the key in the page');
    });

    test('should keep keys above glass above the settings page', async () => {
      const glass = await openLayer('glass');
      const keys = await openLayer('keys');
      await glass.show({ ...BANNER, height: 600 }, false);
      await keys.show(KEYS, false);
      await shows(640, 700, BLUE);
      await shows(640, 550, BLUE);
      await shows(640, 30, RED);
      const settings = await kiosk.host.openBuiltIn({
        name: 'settings',
        url: `${kiosk.origin('settings')}/settings`,
        visible: true,
        media: false,
        sink: { onMessage: () => {}, onPageGone: () => {} },
      });
      await glass.hide();
      await shows(640, 400, YELLOW);
      await shows(640, 550, BLUE);
      await click(640, 400);
      await shows(640, 550, BLUE);
      await settings.close();
      await shows(640, 400, GREEN);
      await shows(640, 550, BLUE);
    });

    test('should be dark while the panel sleeps, and show its layers again', async () => {
      const glass = await openLayer('glass');
      await glass.show(BANNER, false);
      await shows(640, 30, RED);
      await kiosk.host.sleep(() => {});
      await shows(640, 30, BLACK);
      await kiosk.host.wake();
      await shows(640, 30, RED);
    });

    test('security: no page can come above a layer', async () => {
      const glass = await openLayer('glass');
      await glass.show(BANNER, false);
      await shows(640, 30, RED);
      const tools = await kiosk.devTools();
      await tools.send('Runtime.evaluate', {
        userGesture: true,
        awaitPromise: true,
        expression: `(async () => {
          document.title = 'glass'; focus(); moveTo(0, 0); resizeTo(1280, 900);
          try { open('/', '_blank', 'popup,width=1280,height=300,left=0,top=0') } catch {}
          await document.documentElement.requestFullscreen?.().catch(() => {});
        })()`,
      });
      tools.close();
      await click(640, 400);
      await new Promise((resolve) => setTimeout(resolve, 500));
      assert.equal(screen.colourAt(640, 30), RED);
    });
  });

describe('the page on X', { skip: noScreen }, () => {
  for (const [size, windowManager] of [
    ['1280x800', false],
    ['480x480', false],
    ['480x800', false],
    // It heeds how small a window wants to be, in full screen too.
    ['480x480', 'openbox'],
  ] as const)
    test(`should be as large as a screen of ${size}, with its own title, ${windowManager || 'without a window manager'}`, {
      skip: windowManager === 'openbox' && !isThere('openbox') && 'needs openbox',
    }, async () => {
      await using screen = await TestScreen.open({ windowManager, size });
      const stack = new X11Stack({ display: screen.display, log: silentLogger() });
      const pages = { '/': `<title>own</title>${page('#00aa00')}` };
      await using kiosk = await TestKiosk.open('/', pages, { headless: false, env: screen.env, stack });
      const [width, height] = size.split('x').map(Number) as [number, number];
      await kiosk.untilTrue(`innerWidth === ${width} && innerHeight === ${height}`);
      await until(() => screen.colourAt(width - 1, height - 1) === GREEN, 'the page in the last corner');
      assert.equal(screen.colourAt(0, 0), GREEN);
      assert.equal(await kiosk.evaluate(`matchMedia('(max-width: ${width}px)').matches`), true);
      assert.equal(await kiosk.evaluate('document.title'), 'own');
    });
});

describe('the cover on X', { skip: noScreen }, () => {
  for (const windowManager of [false, true])
    test(`should ${windowManager ? 'leave the screen to a window manager' : 'be above all that opens, until it goes'}`, async () => {
      await using screen = await TestScreen.open({ windowManager });
      const { display } = screen;
      const log = silentLogger();
      const stack = new X11Stack({ display, log });
      const shows = (colour: string) =>
        until(
          () => screen.colourAt(640, 400) === colour,
          `${colour} instead of ${screen.colourAt(640, 400)}`,
        );
      await stack.start();
      const server = await XServer.connect({ display, log, onEvent: () => {}, onEnd: () => {} });
      try {
        await using first = await screen.openApp('#aa0000');
        await shows(first.colour);
        const { length } = (await server.tree(server.root)).children;
        stack.cover(true);
        await shows(windowManager ? first.colour : '#000000');
        using watch = screen.watch();
        await using second = await screen.openApp('#0000aa');
        if (windowManager) await shows(second.colour);
        await until(async () => (await server.tree(server.root)).children.length > length, 'its window');
        stack.cover(true);
        await timeToGoWrong(200);
        if (!windowManager) assert.deepEqual(watch.stop(), ['#000000']);
        stack.cover(false);
        await shows(second.colour);
        stack.cover(true);
        await shows(windowManager ? second.colour : '#000000');
        await stack.stop();
        await shows(second.colour);
      } finally {
        server.close();
        await stack.stop();
      }
    });
});
