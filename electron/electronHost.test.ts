import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { channels } from '../preload/electronChannels.ts';
import { eventOf } from './testing/fakeEmitter.ts';
import { HOME, ORIGIN, TestElectronHost } from './testing/testElectronHost.ts';

describe('the Electron host (over a double of Electron)', () => {
  test('should keep the screen lit, and let go of everything at stop', async () => {
    const kiosk = await TestElectronHost.started();
    const { double, host } = kiosk;
    assert.deepEqual([...double.blockers.values()], ['prevent-display-sleep']);
    await host.sleep(() => {});
    await host.stop();
    await host.stop();
    assert.deepEqual([double.open, double.window], [[], undefined]);
    assert.equal(double.windows.length, 1);
    assert.equal(double.blockers.size, 0);
    for (const event of ['web-contents-created', 'select-client-certificate', 'certificate-error', 'login'])
      assert.equal(double.app.listeners.count(event), 0, event);
    for (const channel of Object.values(channels))
      assert.equal(double.ipcMain.listeners.count(channel), 0, channel);
    assert.equal(kiosk.clock.pending, 0);
    await new TestElectronHost().host.stop();
  });

  test('should report use, at most once a second', async () => {
    await using kiosk = await TestElectronHost.started();
    const { listeners } = kiosk.view.page;
    listeners.emit('input-event', eventOf(), { type: 'mouseMove' });
    assert.equal(kiosk.touches, 0);
    for (let i = 0; i < 3; i++) listeners.emit('input-event', eventOf(), { type: 'touchStart' });
    assert.equal(kiosk.touches, 1);
    await kiosk.clock.advance(1_000);
    listeners.emit('input-event', eventOf(), { type: 'keyDown' });
    assert.equal(kiosk.touches, 2);
  });

  test('should send its page to its address once the page has taken the scripts of the settings', async () => {
    await using kiosk = new TestElectronHost();
    kiosk.extras = { ...kiosk.extras, inject: () => [{ origin: ORIGIN, js: 'one()' }] };
    await kiosk.host.start(kiosk.sink, HOME);
    const { loads, tools } = kiosk.view.page;
    assert.deepEqual(
      loads.map(({ url }) => url),
      ['about:blank', HOME],
    );
    const given = tools.sent.map(({ params }) => JSON.stringify(params ?? null).includes('one()'));
    assert.equal(given.filter(Boolean).length, 1);
    assert.ok(given.indexOf(true) < loads[1]!.answered);
  });
});
