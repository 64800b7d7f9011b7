import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Input } from 'electron';
import { channels } from '../preload/electronChannels.ts';
import type { BuiltInPage } from '../server/kiosk/host.ts';
import { eventOf } from './testing/fakeEmitter.ts';
import { FakeFrame, FakePage } from './testing/fakePage.ts';
import { HOME, TestElectronHost } from './testing/testElectronHost.ts';

describe('built-in pages in the Electron host (over a double of Electron)', () => {
  test('should recognise the gestures for the settings page: Ctrl+Alt+S, and five fingers held for five seconds', async () => {
    await using kiosk = await TestElectronHost.started();
    const { page } = kiosk.view;
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

  test('should count the fingers of one hand that lie on several frames, each in its own process', async () => {
    await using kiosk = await TestElectronHost.started();
    const { page } = kiosk.view;
    const frame = Object.assign(new FakeFrame(), { ids: [2, 7] as const });
    const fingers = (on: FakeFrame, count: number) =>
      kiosk.double.ipcMain.send(page, on, channels.fingers, count);
    fingers(page.frame, 2);
    fingers(frame, 3);
    await kiosk.clock.advance(4_000);
    fingers(frame, 2);
    await kiosk.clock.advance(2_000);
    assert.equal(kiosk.settingsCalls, 0);
    fingers(frame, 3);
    await kiosk.clock.advance(5_000);
    assert.equal(kiosk.settingsCalls, 1);
  });

  test('security: fingers in another window do not open the settings page', async () => {
    await using kiosk = await TestElectronHost.started();
    const page = new FakePage();
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

    test('should lie over the kiosk page until it is closed', async () => {
      await using kiosk = await TestElectronHost.started();
      const opened = await open(kiosk);
      const own = kiosk.own('settings')!;
      assert.deepEqual([own.loaded, own.shown], [[OWN], '0,0 1280x800']);
      assert.deepEqual(kiosk.order, ['persist:kiosk', 'persist:own-settings']);
      await opened.close();
      assert.equal(own.isGone, true);
      assert.equal(kiosk.double.ipcMain.listeners.count(channels.own), 0);
    });

    test('should not listen twice to its session, however often it opens', async () => {
      await using kiosk = await TestElectronHost.started();
      for (let time = 0; time < 3; time++) await (await open(kiosk)).close();
      const session = kiosk.double.sessions.get('persist:own-settings')!;
      assert.equal(session.listeners.count('will-download'), 1);
    });

    test('security: only its own top frame may send messages, and it may show only its origin', async () => {
      await using kiosk = await TestElectronHost.started();
      await open(kiosk);
      const own = kiosk.own('settings')!;
      const send = (page: FakePage, frame: FakeFrame | null) =>
        kiosk.double.ipcMain.send(page, frame, channels.own, '{"id":1}');
      send(kiosk.view.page, kiosk.view.page.frame);
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
    const view = kiosk.own('glass')!;
    assert.equal(view.shown, undefined);
    view.page.listeners.emit('did-finish-load');
    await kiosk.clock.advance(0);
    assert.equal(ready, 1);
    layer.post('{"a":1}');
    assert.deepEqual(view.page.frame.sent, [[channels.own, '{"a":1}']]);
    await layer.show({ x: 0, y: 0, width: 1280, height: 60 }, false);
    assert.equal(view.shown, '0,0 1280x60');
    await layer.show('screen', true);
    assert.equal(view.shown, '0,0 1280x800');
    view.page.picture = Buffer.from('the layer');
    assert.equal(Buffer.from(await kiosk.host.screenshot()).toString(), 'the layer');
    await layer.hide();
    assert.equal(view.shown, undefined);
    view.page.forcefullyCrashRenderer();
    await kiosk.clock.advance(500);
    const again = kiosk.own('glass')!;
    assert.notEqual(again, view);
    assert.equal(again.shown, undefined);
    await layer.close();
    assert.equal(again.isGone, true);
  });
});
