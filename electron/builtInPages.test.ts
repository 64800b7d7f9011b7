import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Input } from 'electron';
import { channels } from '../preload/electronChannels.ts';
import type { BuiltInPage } from '../server/kiosk/host.ts';
import { eventOf } from './testing/fakeEmitter.ts';
import { FakeFrame, FakePage } from './testing/fakePage.ts';
import { HOME, TestElectronHost } from './testing/testElectronHost.ts';

describe('built-in pages in the Electron host (over a double of Electron)', () => {
  test('should open the settings page by Ctrl+Alt+S, once, and by no other keys', async () => {
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
  });

  test('security: another window neither opens the settings page by fingers nor keeps the panel awake', async () => {
    await using kiosk = await TestElectronHost.started();
    const page = new FakePage();
    kiosk.double.ipcMain.send(page, page.frame, channels.fingers, 5);
    kiosk.double.ipcMain.send(page, page.frame, channels.keepAwake);
    await kiosk.clock.advance(10_000);
    assert.deepEqual([kiosk.settingsCalls, kiosk.awake], [0, 0]);
    kiosk.double.ipcMain.send(kiosk.view.page, kiosk.view.page.frame, channels.keepAwake);
    assert.equal(kiosk.awake, 1);
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

    test('should not listen twice to its session, however often it opens, nor go on to listen to its page', async () => {
      await using kiosk = await TestElectronHost.started();
      for (let time = 0; time < 3; time++) await (await open(kiosk)).close();
      const session = kiosk.double.sessions.get('persist:own-settings')!;
      assert.equal(session.listeners.count('will-download'), 1);
      assert.equal(kiosk.double.ipcMain.listeners.count(channels.own), 0);
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
