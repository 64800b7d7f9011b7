import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { channels } from '../preload/electronChannels.ts';
import { eventOf } from './testing/fakeEmitter.ts';
import { HOME, ORIGIN, TestElectronHost } from './testing/testElectronHost.ts';

describe('the Electron host (over a double of Electron)', () => {
  test('should fill the screen with its page, keep it lit, and let go of everything at stop', async () => {
    const kiosk = await TestElectronHost.started();
    const { double, host } = kiosk;
    assert.deepEqual(kiosk.view.loaded, [HOME]);
    assert.equal(kiosk.double.window?.options.kiosk, true);
    assert.deepEqual([...double.blockers.values()], ['prevent-display-sleep']);
    await host.sleep(() => {});
    await host.stop();
    await host.stop();
    assert.deepEqual([double.open, double.window], [[], undefined]);
    assert.equal(double.windows.length, 1);
    assert.equal(double.app.listeners.count('select-client-certificate'), 0);
    assert.equal(double.blockers.size, 0);
    assert.equal(double.app.listeners.count('web-contents-created'), 0);
    assert.equal(double.ipcMain.listeners.count(channels.bridge), 0);
    assert.equal(double.ipcMain.listeners.count(channels.spec), 0);
    assert.equal(kiosk.clock.pending, 0);
    await new TestElectronHost().host.stop();
  });

  test('should answer the page, and report when its document is gone', async () => {
    await using kiosk = await TestElectronHost.started();
    const { page } = kiosk.view;
    const spec = kiosk.double.ipcMain.send(page, page.frame, channels.spec);
    assert.equal((spec as { version: string }).version, '9.8.7');
    kiosk.double.ipcMain.send(page, page.frame, channels.bridge, '{"id":1}');
    kiosk.double.ipcMain.send(page, page.frame, channels.bridge, '{"id":2}');
    const [first, second] = kiosk.heard;
    assert.equal(first!.caller, second!.caller);
    assert.deepEqual([first!.caller.origin, first!.json], [ORIGIN, '{"id":1}']);
    first!.caller.reply('{"id":1,"result":1}');
    assert.deepEqual(page.frame.sent, [[channels.bridge, '{"id":1,"result":1}']]);
    page.listeners.emit('did-navigate', eventOf(), HOME, 200, 'OK');
    assert.equal(kiosk.pagesGone, 1);
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

  test('should write the console of the page to the log', async () => {
    await using kiosk = await TestElectronHost.started();
    const details = {
      level: 'warning',
      message: 'no answer',
      lineNumber: 3,
      sourceId: 'http://p1.localhost:1/app.js',
    };
    kiosk.view.page.listeners.emit('console-message', eventOf(details as never));
    assert.match(kiosk.logText, /"kind":"warning","said":"no answer"/);
  });

  test('should tell what the page does and says', async () => {
    await using kiosk = await TestElectronHost.started();
    const { listeners } = kiosk.view.page;
    const said: (readonly unknown[])[] = [];
    kiosk.host.pageConsole().open(({ level, text, url, line }) => said.push([level, text, url, line]));
    const say = (level: string, message: string, lineNumber = 0, sourceId = '') =>
      listeners.emit('console-message', eventOf({ level, message, lineNumber, sourceId } as never));
    assert.equal(kiosk.host.pageState().state, 'loading');
    listeners.emit('page-title-updated', eventOf(), 'Hall', true);
    listeners.emit('did-finish-load');
    say('info', 'hello', 3, `${HOME}app.js`);
    say('error', 'Uncaught (in promise) Error: no lamp');
    const { title, state, errors, url } = kiosk.host.pageState();
    assert.deepEqual([title, state, errors, url], ['Hall', 'shown', 1, HOME]);
    await kiosk.host.navigate(HOME);
    say('error', 'Failed to load resource: the server responded with a status of 404 ()', 0, `${HOME}app.js`);
    assert.deepEqual([kiosk.host.pageState().state, kiosk.host.pageState().errors], ['failed', 1]);
    await kiosk.host.navigate(HOME);
    say('error', 'Failed to load resource: net::ERR_FAILED', 0, 'http://elsewhere/tracker.js');
    say('error', "Refused to load the image 'http://a/' because it violates the Content Security Policy");
    assert.equal(kiosk.host.pageState().state, 'loading');
    say('error', 'Uncaught Error: no lamp', 7, `${HOME}app.js`);
    assert.equal(kiosk.host.pageState().state, 'failed');
    assert.deepEqual(
      said.map(([level]) => level),
      ['log', 'exception', 'network', 'network', 'security', 'exception'],
    );
    assert.deepEqual(said[0], ['log', 'hello', `${HOME}app.js`, 3]);
  });

  test('should show its page with the scripts of the settings, which a page that was sent nowhere has not taken yet', async () => {
    await using kiosk = new TestElectronHost();
    kiosk.extras = { ...kiosk.extras, inject: () => [{ origin: ORIGIN, js: 'one()' }] };
    await kiosk.host.start(kiosk.sink, HOME);
    assert.deepEqual(kiosk.view.loaded, [HOME]);
    const given = kiosk.view.page.tools.sent.filter(({ params }) =>
      JSON.stringify(params ?? null).includes('one()'),
    );
    assert.equal(given.length, 1);
  });

  test('should clear the caches of an origin, never its local storage', async () => {
    await using kiosk = await TestElectronHost.started();
    await kiosk.host.clearCaches(ORIGIN);
    assert.deepEqual(kiosk.double.sessions.get('persist:kiosk')?.cleared, [
      { origin: ORIGIN, storages: ['serviceworkers', 'cachestorage'] },
      'cache',
    ]);
  });
});
