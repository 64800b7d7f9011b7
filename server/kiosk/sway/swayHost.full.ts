import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { silentLogger } from '../../platform/log.ts';
import type { Layer } from '../host.ts';
import { TestKiosk, until } from '../testing/testKiosk.ts';
import { noSway, TestSway } from '../testing/testSway.ts';
import { SwayStack } from './swayStack.ts';

const GREEN = '#00AA00';
const BLUE = '#0000AA';
const PAGES = {
  '/': '<body style="margin:0;background:#00aa00"><script>heard = []; onkeydown = ({ key }) => heard.push(key)</script>',
  '/asks': '<body style="margin:0;background:#00aa00"><script>answer = confirm("Open the door?")</script>',
  '/field': '<body style="margin:0"><input style="width:200px;height:90px">',
  '/layer': `<body style="margin:0;background:#0000aa"><script type="module">
    faceplateHost.listen((json) => faceplateHost.post(json));
    onpointerdown = () => faceplateHost.post('"pressed"');
  </script>`,
};

describe('the kiosk on sway', { skip: noSway, timeout: 60_000 }, () => {
  let stack: AsyncDisposableStack;
  let sway: TestSway;
  let kiosk: TestKiosk;
  let layer: Layer;
  const said: string[] = [];
  let ready = 0;

  before(async () => {
    stack = new AsyncDisposableStack();
    sway = stack.use(await TestSway.open());
    const windows = new SwayStack({ ipc: sway.ipc, log: silentLogger() });
    const options = { headless: false, env: sway.env, stack: windows };
    kiosk = stack.use(await TestKiosk.open('/', PAGES, options));
    layer = await kiosk.host.openLayer({
      name: 'glass',
      url: `${kiosk.origin('glass')}/layer`,
      sink: { onMessage: (_, json) => said.push(json), onPageGone: () => {} },
      onReady: () => ready++,
    });
    await until(() => ready === 1, 'the layer');
  });
  after(() => stack?.disposeAsync());

  const shows = (x: number, y: number, colour: string) =>
    until(() => sway.screen.colourAt(x, y) === colour, `${colour} at ${x}, ${y}`, 20_000);

  test('should fill the screen with the page', async () => {
    await shows(640, 400, GREEN);
    assert.deepEqual(await sway.screen.colours(), [GREEN]);
    assert.equal(await kiosk.evaluate("innerWidth + 'x' + innerHeight"), '1280x800');
    assert.deepEqual(kiosk.host.screenSize(), { width: 1280, height: 800 });
  });

  test('should show a layer on its part, leave page and keys alone, and take its touches', async () => {
    for (let round = 0; round < 3; round++) {
      await layer.show({ x: 0, y: 0, width: 1280, height: 60 + round }, false);
      await shows(640, 30, BLUE);
      await layer.hide();
      await shows(640, 30, GREEN);
    }
    await layer.show({ x: 0, y: 0, width: 1280, height: 60 }, false);
    await shows(640, 59, BLUE);
    await shows(640, 61, GREEN);
    await sway.screen.input('mousemove 640 400 click 1 key a');
    await kiosk.untilTrue("heard.includes('a')");
    await sway.screen.input('mousemove 640 30 click 1');
    await until(() => said.includes('"pressed"'), 'the press');
    await sway.screen.input('key b');
    await kiosk.untilTrue("heard.includes('b')");
    await layer.hide();
    await shows(640, 30, GREEN);
  });

  test('should know the size of a turned screen at once, also while the page leaves room for the keys', async () => {
    await kiosk.show('/field');
    await sway.screen.input('mousemove 100 50 click 1');
    await kiosk.untilTrue("document.activeElement.tagName === 'INPUT'");
    await until(async () => {
      await kiosk.host.makeRoom(300);
      return (await kiosk.evaluate('innerHeight')) === 500;
    }, 'the room');
    await sway.ipc.command('output X11-1 transform 90');
    assert.equal(await kiosk.host.turn(90, true), true);
    assert.deepEqual(kiosk.host.screenSize(), { width: 800, height: 1280 });
    await kiosk.untilTrue('innerWidth === 800 && innerHeight === 980');
    await kiosk.host.makeRoom(0);
    await sway.ipc.command('output X11-1 transform 0');
    await kiosk.host.turn(0, true);
    assert.deepEqual(kiosk.host.screenSize(), { width: 1280, height: 800 });
    await kiosk.show('/');
    await shows(640, 400, GREEN);
  });

  test('should be black while it sleeps, and wake by a touch that the page does not get', async () => {
    let touched = false;
    await kiosk.host.sleep(() => {
      touched = true;
    });
    await shows(640, 400, '#000000');
    // On a busy machine the black window may be drawn before it takes touches: a person would touch again.
    for (let touch = 0; touch < 10 && !touched; touch++) {
      await sway.screen.input('mousemove 640 400 click 1');
      await until(() => touched, 'the touch', 2_000).catch(() => {});
    }
    assert.equal(touched, true);
    await kiosk.host.wake();
    await shows(640, 400, GREEN);
  });

  test('should come back after the browser was killed, with its layer', async () => {
    process.kill(await kiosk.browserPid(), 'SIGKILL');
    await until(() => ready === 2, 'the layer', 60_000);
    await shows(640, 400, GREEN);
    await layer.show({ x: 0, y: 0, width: 1280, height: 60 }, false);
    await shows(640, 30, BLUE);
    await layer.hide();
  });
});

describe('a question that the page asks as it loads, on sway', { skip: noSway, timeout: 60_000 }, () => {
  test('should be answered on a layer that opens for it', async () => {
    await using stack = new AsyncDisposableStack();
    const sway = stack.use(await TestSway.open());
    const asked: string[] = [];
    const kiosk = stack.use(
      await TestKiosk.open('/asks', PAGES, {
        headless: false,
        env: sway.env,
        stack: new SwayStack({ ipc: sway.ipc, log: silentLogger() }),
        onDialog: async ({ kind, text }) => {
          asked.push(`${kind}: ${text}`);
          const ready = Promise.withResolvers<void>();
          const answered = Promise.withResolvers<void>();
          const layer = await kiosk.host.openLayer({
            name: 'glass',
            url: `${kiosk.origin('glass')}/layer`,
            sink: { onMessage: () => answered.resolve(), onPageGone: () => {} },
            onReady: () => ready.resolve(),
          });
          layer.hurry?.();
          await ready.promise;
          await layer.show({ x: 0, y: 0, width: 1280, height: 60 }, true);
          await until(() => sway.screen.colourAt(640, 30) === BLUE, 'the layer', 20_000);
          await sway.screen.input('mousemove 640 30 click 1');
          await answered.promise;
          await layer.hide();
          return { accepted: true, value: '' };
        },
      }),
    );
    await kiosk.untilTrue('globalThis.answer === true');
    assert.deepEqual(asked, ['confirm: Open the door?']);
    await until(() => sway.screen.colourAt(640, 30) === GREEN, 'the page', 20_000);
  });
});
