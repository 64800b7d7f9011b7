import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, afterEach, before, describe, type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import type { BuiltInPage, Layer } from '../../host.ts';
import { TestKiosk, until } from '../../testing/testKiosk.ts';
import { noScreen, TestScreen } from '../../testing/testScreen.ts';
import type { StackedWindow, WindowStack } from '../../windowStack.ts';
import { ROOT_PAGE } from './windowPlaces.ts';

/** Where `none` of the windows has bars, something else places them; here it only finds them, and notes what it hears. */
class NotedStack implements WindowStack {
  readonly windows = 'apps';
  readonly heard: string[] = [];
  readonly #screen: TestScreen;

  constructor(screen: TestScreen) {
    this.#screen = screen;
  }

  async start(): Promise<void> {
    this.heard.push('start');
  }

  async stop(): Promise<void> {
    this.heard.push('stop');
  }

  async adopt(window: StackedWindow, title: string): Promise<void> {
    const search = ['search', '--onlyvisible', '--name', title];
    const { env } = this.#screen;
    // xdotool ends with an error when there is no such window yet, and also when any window closes while it searches.
    const find = () => promisify(execFile)('xdotool', search, { env }).catch(() => ({ stdout: '' }));
    await until(async () => /^\d+\n$/.test((await find()).stdout), `one window for ${window}`);
    this.heard.push(`adopt ${window}`);
  }

  forget(window: StackedWindow): void {
    this.heard.push(`forget ${window}`);
  }

  async show(layer: StackedWindow): Promise<void> {
    this.heard.push(`show ${layer}`);
  }

  async hide(layer: StackedWindow): Promise<void> {
    this.heard.push(`hide ${layer}`);
  }
}

const PAGES = { '/': '<body style="margin:0;background:#00aa00">', '/own': '<body>own' };
const BARS = '[outerWidth - innerWidth, outerHeight - innerHeight]';

describe('windows without bars', { skip: noScreen }, () => {
  let screen: TestScreen;
  let kiosk: TestKiosk;
  let stack: NotedStack;
  before(async () => {
    screen = await TestScreen.open({ windowManager: false });
    stack = new NotedStack(screen);
    kiosk = await TestKiosk.open('/', PAGES, { headless: false, env: screen.env, stack });
    await kiosk.untilTrue(`document.readyState === 'complete'`);
  });
  afterEach((given) => {
    const context = given as TestContext & { readonly passed: boolean };
    if (!context.passed) context.diagnostic(kiosk.logText);
  });
  after(async () => {
    await kiosk?.[Symbol.asyncDispose]();
    await screen?.[Symbol.asyncDispose]();
  });
  const own = (name: 'settings' | 'intercom'): BuiltInPage => ({
    name,
    url: `${kiosk.origin(name)}/own`,
    visible: name === 'settings',
    media: name === 'intercom',
    sink: { onMessage: () => {}, onPageGone: () => {} },
  });
  const heard = () => stack.heard.splice(0).join(', ');

  test('should hand over the kiosk page before it shows anything, and open its own windows unseen by the page', async () => {
    assert.equal(heard(), 'start, adopt page');
    assert.deepEqual(await kiosk.evaluate(BARS), [0, 0]);
    assert.equal(await kiosk.evaluate('opener'), null);
    assert.deepEqual(kiosk.host.screenSize(), { width: 1280, height: 800 });
  });

  test('should hand over settings page, layers and blank window, and keep unseen pages to itself', async () => {
    const [settings, intercom] = [
      await kiosk.host.openBuiltIn(own('settings')),
      await kiosk.host.openBuiltIn(own('intercom')),
    ];
    assert.equal(heard(), 'adopt settings');
    for (const name of ['settings', 'intercom'] as const) {
      const tools = await kiosk.ownTools(name);
      assert.deepEqual(await tools.evaluate(BARS), [0, 0]);
      assert.equal(await tools.evaluate('opener'), null);
      tools.close();
    }
    await settings.close();
    await intercom.close();
    assert.equal(heard(), 'forget settings');
    let ready = 0;
    const layer: Layer = await kiosk.host.openLayer({
      name: 'glass',
      url: `${kiosk.origin('glass')}/own`,
      sink: { onMessage: () => {}, onPageGone: () => {} },
      onReady: () => ready++,
    });
    await until(() => ready === 1, 'the layer');
    await layer.show({ x: 0, y: 0, width: 1280, height: 60 }, false);
    await layer.hide();
    assert.equal(heard(), 'adopt glass, show glass, hide glass');
    await kiosk.host.sleep(() => {});
    await kiosk.host.wake();
    assert.equal(heard(), 'adopt blank, forget blank');
    await layer.close();
    assert.equal(heard(), 'forget glass');
  });

  test('should open the kiosk window again without bars', async () => {
    await kiosk.closeWindow();
    await until(() => stack.heard.includes('adopt page'), 'the window');
    assert.equal(heard(), 'forget page, adopt page');
    await kiosk.untilTrue(`document.readyState === 'complete' && location.protocol === 'http:'`);
    assert.deepEqual(await kiosk.evaluate(BARS), [0, 0]);
    assert.equal(await kiosk.evaluate('opener'), null);
    assert.equal(kiosk.host.recoveries()['window-closed'], 1);
  });

  test('should begin anew when the window is lost that opens the others', async () => {
    const [root] = (await kiosk.windows()).filter(({ url }) => url === ROOT_PAGE);
    assert.ok(root);
    await fetch(`http://127.0.0.1:${kiosk.debugPort}/json/close/${root.id}`);
    await until(() => stack.heard.includes('adopt page'), 'the browser');
    assert.equal(kiosk.host.recoveries()['browser-exit'], 1);
  });
});
