import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Input } from 'electron';
import { channels } from '../preload/electronChannels.ts';
import type { BuiltInPage } from '../server/kiosk/host.ts';
import { eventOf, FakeFrame, type FakePage, FakeWindow } from './testing/electronDouble.ts';
import { HOME, TestElectronHost } from './testing/testElectronHost.ts';

// Over the double of testing/electronDouble.ts: these tests never ran in Electron itself.

describe('built-in pages in the Electron host (over a double of Electron)', () => {
  test('should recognise the gestures for the settings page: Ctrl+Alt+S, and five fingers held for five seconds', async () => {
    await using kiosk = await TestElectronHost.started();
    const { page } = kiosk.window;
    const press = (keys: Partial<Input>) =>
      page.listeners.emit('before-input-event', eventOf(), {
        type: 'keyDown',
        code: 'KeyS',
        control: true,
        alt: true,
        shift: false,
        meta: false,
        isAutoRepeat: false,
        ...keys,
      } as Input);
    for (const wrong of [{ code: 'KeyA' }, { alt: false }, { shift: true }, { type: 'keyUp' as const }])
      press(wrong);
    press({ isAutoRepeat: true });
    assert.equal(kiosk.settingsCalls, 0);
    press({});
    assert.equal(kiosk.settingsCalls, 1);
    kiosk.double.ipcMain.send(page, page.frame, channels.fingers, 5);
    await kiosk.clock.advance(4_000);
    kiosk.double.ipcMain.send(page, page.frame, channels.fingers, 4);
    await kiosk.clock.advance(4_000);
    assert.equal(kiosk.settingsCalls, 1);
    kiosk.double.ipcMain.send(page, page.frame, channels.fingers, 5);
    await kiosk.clock.advance(5_000);
    assert.equal(kiosk.settingsCalls, 2);
  });

  test('security: fingers in another window do not open the settings page', async () => {
    await using kiosk = await TestElectronHost.started();
    const { page } = new FakeWindow();
    kiosk.double.ipcMain.send(page, page.frame, channels.fingers, 5);
    await kiosk.clock.advance(10_000);
    assert.equal(kiosk.settingsCalls, 0);
  });

  describe('a built-in page', () => {
    const OWN = 'http://settings.localhost:8080/';
    const open = (kiosk: TestElectronHost, changes: Partial<BuiltInPage> = {}) =>
      kiosk.host.openBuiltIn({
        name: 'settings',
        url: OWN,
        visible: true,
        media: false,
        sink: kiosk.sink,
        ...changes,
      });
    const windowOf = (kiosk: TestElectronHost) =>
      kiosk.double.open.find(({ options }) => options.webPreferences?.partition === 'persist:own-settings');

    test('should lie over the kiosk page, below the blank window, until it is closed', async () => {
      await using kiosk = await TestElectronHost.started();
      const opened = await open(kiosk);
      const own = windowOf(kiosk)!;
      assert.deepEqual([own.loaded, own.level], [[OWN], 'pop-up-menu']);
      await kiosk.host.sleep(() => {});
      const { raises } = kiosk.dark!;
      await kiosk.host.bringToFront();
      assert.equal(kiosk.dark!.raises, raises + 1);
      await opened.close();
      assert.equal(own.isGone, true);
      assert.equal(kiosk.double.ipcMain.listeners.count(channels.own), 0);
    });

    test('security: only its own top frame may send messages, and it may show only its origin', async () => {
      await using kiosk = await TestElectronHost.started();
      await open(kiosk);
      const own = windowOf(kiosk)!;
      const send = (page: FakePage, frame: FakeFrame | null) =>
        kiosk.double.ipcMain.send(page, frame, channels.own, '{"id":1}');
      send(kiosk.window.page, kiosk.window.page.frame);
      send(own.page, null);
      send(own.page, Object.assign(new FakeFrame(), { origin: new URL(OWN).origin }));
      assert.deepEqual(kiosk.heard, []);
      send(own.page, own.page.frame);
      assert.equal(kiosk.heard.length, 1);
      const isRefused = (url: string) => {
        const event = eventOf({ url, isMainFrame: true });
        own.page.listeners.emit('will-frame-navigate', event as never);
        return event.defaultPrevented;
      };
      assert.deepEqual(
        [isRefused(`${OWN}x`), isRefused(HOME), isRefused('file:///etc/passwd')],
        [false, true, true],
      );
      own.page.listeners.emit('did-navigate', eventOf(), HOME, 200, 'OK');
      assert.equal(own.isGone, true);
    });
  });
});

describe('layers in the Electron host (over a double of Electron)', () => {
  test('should be shown in their place without the keys, hear and speak, and come back hidden', async () => {
    await using kiosk = await TestElectronHost.started();
    let ready = 0;
    const layer = await kiosk.host.openLayer({
      name: 'glass',
      url: 'http://glass.localhost:8080/',
      sink: kiosk.sink,
      onReady: () => ready++,
    });
    await kiosk.clock.advance(0);
    const window = kiosk.double.windows.at(-1)!;
    assert.deepEqual(
      [window.options.show, window.options.frame, window.level],
      [false, false, 'screen-saver'],
    );
    window.page.listeners.emit('did-finish-load');
    await kiosk.clock.advance(0);
    assert.equal(ready, 1);
    layer.post('{"a":1}');
    assert.deepEqual(window.page.frame.sent, [[channels.own, '{"a":1}']]);
    await layer.show({ x: 0, y: 0, width: 1280, height: 60 }, false);
    await layer.show('screen', true);
    window.page.picture = Buffer.from('the layer');
    assert.equal(Buffer.from(await kiosk.host.screenshot()).toString(), 'the layer');
    await layer.hide();
    assert.deepEqual(window.shown, ['0,0 1280x60', 'showInactive', '0,0 1280x800', 'show', 'hide']);
    window.page.forcefullyCrashRenderer();
    await kiosk.clock.advance(500);
    const again = kiosk.double.windows.at(-1)!;
    assert.notEqual(again, window);
    assert.deepEqual(again.shown, []);
    await layer.close();
    assert.equal(again.isGone, true);
  });
});
