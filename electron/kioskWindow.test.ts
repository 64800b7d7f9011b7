import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import type { LayerName } from '../server/kiosk/builtInPageContract.ts';
import { KioskWindow } from './kioskWindow.ts';
import { ElectronDouble } from './testing/electronDouble.ts';
import { eventOf } from './testing/fakeEmitter.ts';
import { HOME, TestElectronHost } from './testing/testElectronHost.ts';

const openLayer = async (kiosk: TestElectronHost, name: LayerName) => {
  const layer = await kiosk.host.openLayer({
    name,
    url: `http://${name}.localhost:8080/`,
    sink: kiosk.sink,
    onReady: () => {},
  });
  await kiosk.clock.advance(0);
  return layer;
};
const openOwn = (kiosk: TestElectronHost, name: 'settings' | 'intercom') =>
  kiosk.host.openBuiltIn({
    name,
    url: `http://${name}.localhost:8080/`,
    visible: name === 'settings',
    media: false,
    sink: kiosk.sink,
  });

/** The page that has the keys, which are given out in the next turn. */
const keysAreAt = async ({ double }: TestElectronHost) => {
  await wait(1);
  return double.focused;
};

describe('the one window of the Electron host (over a double of Electron)', () => {
  test('should hold all pages in their order, whichever comes first', async () => {
    await using kiosk = await TestElectronHost.started();
    const keys = await openLayer(kiosk, 'keys');
    const glass = await openLayer(kiosk, 'glass');
    await kiosk.host.sleep(() => {});
    // A layer that never showed is not in the window: it would take the keys while it loads.
    assert.deepEqual(kiosk.order, ['persist:kiosk', 'dark']);
    await keys.show('screen', false);
    await openOwn(kiosk, 'settings');
    await openOwn(kiosk, 'intercom');
    await glass.show('screen', false);
    await glass.hide();
    assert.deepEqual(kiosk.order, [
      'own intercom',
      'persist:kiosk',
      'own settings',
      'own glass',
      'own keys',
      'dark',
    ]);
    assert.deepEqual(
      kiosk.double.window!.views.map(({ isVisible }) => isVisible),
      [false, true, true, false, true, true],
    );
    kiosk.view.page.endsWhenCrashed = false;
    kiosk.view.page.listeners.emit('unresponsive');
    await kiosk.clock.advance(10_000);
    assert.equal(kiosk.order.indexOf('persist:kiosk'), 1);
    assert.equal(kiosk.double.windows.length, 1);
  });

  test('should give the keys to the topmost page that takes them', async () => {
    await using kiosk = await TestElectronHost.started();
    assert.equal(await keysAreAt(kiosk), kiosk.view.page);
    const keys = await openLayer(kiosk, 'keys');
    await keys.show({ x: 0, y: 500, width: 1280, height: 300 }, false);
    // A press on a layer gives it the keys: it gives them back.
    kiosk.own('keys')!.page.focus();
    assert.equal(await keysAreAt(kiosk), kiosk.view.page);
    const settings = await openOwn(kiosk, 'settings');
    assert.equal(await keysAreAt(kiosk), kiosk.own('settings')!.page);
    const glass = await openLayer(kiosk, 'glass');
    await glass.show('screen', true);
    assert.equal(await keysAreAt(kiosk), kiosk.own('glass')!.page);
    await kiosk.host.sleep(() => {});
    assert.equal(await keysAreAt(kiosk), kiosk.dark!.page);
    await kiosk.host.wake();
    assert.equal(await keysAreAt(kiosk), kiosk.own('glass')!.page);
    await glass.hide();
    assert.equal(await keysAreAt(kiosk), kiosk.own('settings')!.page);
    await settings.close();
    assert.equal(await keysAreAt(kiosk), kiosk.view.page);
  });

  test('should leave the keys to a launched program until it is told to come to the front', async () => {
    await using kiosk = await TestElectronHost.started();
    const { double } = kiosk;
    await keysAreAt(kiosk);
    double.focused = undefined;
    double.window!.hasKeys = false;
    await openOwn(kiosk, 'settings');
    assert.equal(await keysAreAt(kiosk), undefined);
    await kiosk.host.bringToFront();
    assert.equal(await keysAreAt(kiosk), kiosk.own('settings')!.page);
  });

  test('should ask for more than the screen, of which no pixel may be missing, and give its pages the screen', async () => {
    await using kiosk = await TestElectronHost.started();
    const { kiosk: isKiosk, width, height } = kiosk.double.window!.options;
    assert.deepEqual([isKiosk, width, height], [true, 1281, 801]);
    assert.equal(kiosk.view.shown, '0,0 1280x800');
    assert.deepEqual(kiosk.host.screenSize(), { width: 1280, height: 800 });
  });

  test('should fill the window as it turns, with the room for the keyboard kept, and leave a layer its place', () => {
    const double = new ElectronDouble();
    const window = new KioskWindow({ electron: double.api });
    const add = (place: 'page' | 'settings' | 'glass') =>
      window.add({ place, webPreferences: {}, onGone: () => {} });
    const [page, settings, glass] = [add('page'), add('settings'), add('glass')];
    page.show('screen', true);
    settings.show('screen', true);
    glass.show({ x: 0, y: 0, width: 800, height: 60 }, false);
    window.makeRoom(settings.contents, 300);
    const shown = () => double.views.map((view) => view.shown);
    assert.deepEqual(shown(), ['0,0 1280x800', '0,0 1280x500', '0,0 800x60']);
    double.screen = double.window!.size = { width: 800, height: 1280 };
    double.window!.listeners.emit('resize');
    assert.deepEqual(shown(), ['0,0 800x1280', '0,0 800x980', '0,0 800x60']);
    window.stop();
  });

  test('should come back after it ended, black for a sleeping panel, with the page and its layers', async () => {
    await using kiosk = await TestElectronHost.started();
    const glass = await openLayer(kiosk, 'glass');
    await glass.show('screen', true);
    await kiosk.host.sleep(() => {});
    kiosk.double.window!.destroy();
    assert.deepEqual(kiosk.order, ['persist:kiosk', 'dark']);
    await kiosk.clock.advance(500);
    assert.deepEqual(kiosk.view.loaded, [HOME]);
    assert.deepEqual(kiosk.order, ['persist:kiosk', 'dark']);
    assert.equal(kiosk.own('glass')!.isVisible, false);
    // The pages of the window that ended do not run on.
    assert.equal(kiosk.double.open.length, 3);
  });

  describe('asleep', () => {
    const input = (kiosk: TestElectronHost, type: 'mouseDown' | 'mouseUp') =>
      kiosk.dark!.page.listeners.emit('input-event', eventOf(), { type });

    test('should cover everything in black until the finger that woke it is lifted', async () => {
      await using kiosk = await TestElectronHost.started();
      let touches = 0;
      await kiosk.host.sleep(() => touches++);
      assert.equal(kiosk.dark?.shown, '0,0 1280x800');
      assert.match(kiosk.dark?.loaded[0] ?? '', /background:black/);
      input(kiosk, 'mouseDown');
      input(kiosk, 'mouseDown');
      assert.equal(touches, 1);
      const woken = kiosk.host.wake();
      await kiosk.clock.advance(100);
      assert.ok(kiosk.dark);
      input(kiosk, 'mouseUp');
      await woken;
      assert.equal(kiosk.dark, undefined);
      assert.equal(kiosk.touches, 0);
    });

    test('should let the system save power until it wakes', async () => {
      await using kiosk = await TestElectronHost.started();
      await kiosk.host.sleep(() => {});
      assert.equal(kiosk.double.blockers.size, 0);
      await kiosk.host.wake();
      await kiosk.host.wake();
      assert.deepEqual([...kiosk.double.blockers.values()], ['prevent-display-sleep']);
    });
  });
});

describe('a layer that covers the screen in Electron (over a double of Electron)', () => {
  test('should stay until the finger on it is lifted, 5 s at most', async () => {
    await using kiosk = await TestElectronHost.started();
    const glass = await openLayer(kiosk, 'glass');
    const { page } = kiosk.own('glass')!;
    await glass.show('screen', true);
    page.listeners.emit('input-event', eventOf(), { type: 'touchStart' });
    void glass.hide();
    await kiosk.clock.advance(4_999);
    assert.ok(kiosk.own('glass')!.shown);
    await kiosk.clock.advance(1);
    assert.equal(kiosk.own('glass')!.shown, undefined);
  });
});
