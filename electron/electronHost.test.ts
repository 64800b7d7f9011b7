import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { channels } from '../preload/electronChannels.ts';
import { until } from '../server/kiosk/testing/testKiosk.ts';
import { eventOf } from './testing/electronDouble.ts';
import { HOME, ORIGIN, TestElectronHost } from './testing/testElectronHost.ts';

// Over the double of testing/electronDouble.ts: these tests never ran in Electron itself.

describe('the Electron host (over a double of Electron)', () => {
  test('should fill the screen with its page, keep it lit, and let go of everything at stop', async () => {
    const kiosk = await TestElectronHost.started();
    const { double, host } = kiosk;
    assert.deepEqual(kiosk.window.loaded, [HOME]);
    assert.equal(kiosk.window.options.kiosk, true);
    assert.deepEqual([...double.blockers.values()], ['prevent-display-sleep']);
    await host.sleep(() => {});
    await host.stop();
    await host.stop();
    assert.deepEqual(double.open, []);
    assert.equal(double.blockers.size, 0);
    assert.equal(double.app.listeners.count('web-contents-created'), 0);
    assert.equal(double.ipcMain.listeners.count(channels.bridge), 0);
    assert.equal(double.ipcMain.listeners.count(channels.spec), 0);
    assert.equal(kiosk.clock.pending, 0);
    await new TestElectronHost().host.stop();
  });

  test('should answer the page, and report when its document is gone', async () => {
    await using kiosk = await TestElectronHost.started();
    const { page } = kiosk.window;
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

  test('should bring the page back after render-process-gone, with growing delays', async () => {
    await using kiosk = await TestElectronHost.started();
    const { page, loaded } = kiosk.window;
    page.forcefullyCrashRenderer();
    await kiosk.clock.advance(299);
    assert.equal(loaded.length, 1);
    await kiosk.clock.advance(1);
    assert.deepEqual(loaded, [HOME, HOME]);
    page.forcefullyCrashRenderer();
    await kiosk.clock.advance(599);
    assert.equal(loaded.length, 2);
    await kiosk.clock.advance(1);
    assert.equal(loaded.length, 3);
    assert.deepEqual(kiosk.host.recoveries(), { 'renderer-crash': 2 });
  });

  test('should kill a page that is unresponsive, and count that once', async () => {
    await using kiosk = await TestElectronHost.started();
    kiosk.window.listeners.emit('unresponsive');
    assert.equal(kiosk.window.page.crashes, 1);
    await kiosk.clock.advance(300);
    assert.equal(kiosk.window.loaded.length, 2);
    assert.deepEqual(kiosk.host.recoveries(), { 'hung-page': 1 });
  });

  test('should open a new window when a hung renderer does not end', async () => {
    await using kiosk = await TestElectronHost.started();
    const first = kiosk.window;
    first.page.endsWhenCrashed = false;
    first.listeners.emit('unresponsive');
    await kiosk.clock.advance(10_000);
    assert.equal(first.isGone, true);
    assert.deepEqual(kiosk.window.loaded, [HOME]);
    assert.deepEqual(kiosk.host.recoveries(), { 'hung-page': 1 });
  });

  test('should notice that the thread of the page never answers, unless another document loads', async () => {
    await using kiosk = await TestElectronHost.started();
    const { page } = kiosk.window;
    await kiosk.clock.advance(60_000);
    assert.deepEqual(kiosk.host.recoveries(), {});
    page.frame.pulse = new Promise(() => {});
    await kiosk.clock.advance(7_000);
    await kiosk.host.navigate(`${ORIGIN}/other`);
    await kiosk.clock.advance(8_000);
    assert.deepEqual(kiosk.host.recoveries(), {});
    await kiosk.clock.advance(7_000);
    assert.equal(page.crashes, 1);
    assert.deepEqual(kiosk.host.recoveries(), { 'hung-page': 1 });
  });

  test('should leave a page alone that gets no CPU, and kill it once it uses the CPU and does not answer', async () => {
    await using kiosk = await TestElectronHost.started();
    const { page } = kiosk.window;
    const cpu = { cumulativeCPUUsage: 5 };
    kiosk.double.app.metrics = [
      { type: 'Browser', pid: 1, cpu: { cumulativeCPUUsage: 900 } },
      { type: 'Tab', pid: page.pid, cpu },
    ];
    page.frame.pulse = new Promise(() => {});
    for (let second = 0; second < 30; second++) {
      cpu.cumulativeCPUUsage += 0.05;
      kiosk.double.app.metrics[0]!.cpu!.cumulativeCPUUsage! += 1;
      await kiosk.clock.advance(1_000);
    }
    assert.equal(page.crashes, 0);
    for (let second = 0; second < 5; second++) {
      cpu.cumulativeCPUUsage += 1;
      await kiosk.clock.advance(1_000);
    }
    assert.equal(page.crashes, 1);
    assert.deepEqual(kiosk.host.recoveries(), { 'hung-page': 1 });
  });

  test('should open the window again after it was closed, and refuse to be closed by the page', async () => {
    await using kiosk = await TestElectronHost.started();
    const first = kiosk.window;
    const event = eventOf();
    first.listeners.emit('close', event);
    assert.equal(event.defaultPrevented, true);
    first.destroy();
    assert.notEqual(kiosk.window, first);
    assert.deepEqual(kiosk.window.loaded, [HOME]);
    assert.deepEqual(kiosk.host.recoveries(), { 'window-closed': 1 });
    first.page.forcefullyCrashRenderer();
    assert.deepEqual(kiosk.host.recoveries(), { 'window-closed': 1 });
  });

  test('should bring back a page that strayed', async () => {
    await using kiosk = await TestElectronHost.started();
    kiosk.window.page.listeners.emit('did-navigate', eventOf(), 'about:blank', -1, '');
    await kiosk.clock.advance(500);
    assert.deepEqual(kiosk.window.loaded, [HOME, HOME]);
    assert.deepEqual(kiosk.host.recoveries(), { 'stray-page': 1 });
  });

  test('should say on the screen that the server of the page is down, and count that once', async () => {
    await using kiosk = new TestElectronHost();
    kiosk.double.refusal = 'ERR_CONNECTION_REFUSED';
    await kiosk.host.start(kiosk.sink, HOME);
    await until(() => kiosk.window.loaded.length === 2, 'the waiting page');
    const notice = decodeURIComponent(kiosk.window.loaded[1]!);
    assert.match(notice, /^data:text\/html,/);
    assert.match(notice, /Waiting for http:\/\/p1\.localhost:1</);
    assert.match(notice, /The server of the page is not running\./);
    await kiosk.clock.advance(1_000);
    // The server is really probed, which takes real time; nothing is loaded while it is down.
    await kiosk.clock.advance(20_000);
    assert.equal(kiosk.window.loaded.length, 2);
    assert.deepEqual(kiosk.host.recoveries(), { 'page-unreachable': 1 });
    // The panel is well: `false` would restart the service, which would not help.
    await kiosk.clock.advance(15 * 60_000);
    assert.equal(kiosk.host.isWell(), true);
  });

  test('should ignore loads that another navigation aborted, and frames that fail', async () => {
    await using kiosk = await TestElectronHost.started();
    const { listeners } = kiosk.window.page;
    listeners.emit('did-fail-load', eventOf(), -3, 'ERR_ABORTED', HOME, true, 1, 1);
    listeners.emit('did-fail-load', eventOf(), -102, 'ERR_CONNECTION_REFUSED', HOME, false, 1, 2);
    await kiosk.clock.advance(10_000);
    assert.deepEqual(kiosk.window.loaded, [HOME]);
    assert.deepEqual(kiosk.host.recoveries(), {});
  });

  /** 1 × 1 pixel, RGB. */
  const DOT = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4//8/AAX+Av4N70a4AAAAAElFTkSuQmCC',
    'base64',
  );

  test('should load a dead page again, then in a new window', async () => {
    await using kiosk = await TestElectronHost.started();
    kiosk.window.page.picture = DOT;
    await kiosk.clock.advance(120_000);
    assert.deepEqual(kiosk.host.recoveries(), {});
    kiosk.deadPageCheck = true;
    const first = kiosk.window;
    await kiosk.clock.advance(75_000);
    assert.deepEqual(kiosk.host.recoveries(), { 'dead-page': 1 });
    assert.equal(kiosk.window, first);
    assert.equal(first.loaded.length, 2);
    await kiosk.clock.advance(75_000);
    assert.notEqual(kiosk.window, first);
    assert.equal(first.isGone, true);
    assert.deepEqual(kiosk.host.recoveries(), { 'dead-page': 2 });
  });

  test('should open a new window when the helpers use too much memory; the service itself does not count', async () => {
    await using kiosk = await TestElectronHost.started();
    const first = kiosk.window;
    kiosk.memoryLimit = 1;
    kiosk.double.app.metrics = [{ type: 'Browser', pid: process.pid }];
    const forSomeMinutes = async (isDone: () => boolean) => {
      // Reading /proc takes real time.
      await until(async () => {
        await kiosk.clock.advance(60_000);
        return isDone();
      }, 'the memory check');
    };
    let minutes = 0;
    await forSomeMinutes(() => ++minutes === 3);
    assert.equal(kiosk.window, first);
    kiosk.double.app.metrics = [{ type: 'Tab', pid: process.pid }];
    await forSomeMinutes(() => kiosk.window !== first);
    assert.equal(first.isGone, true);
    assert.deepEqual(kiosk.window.loaded, [HOME]);
    assert.equal(kiosk.host.recoveries().memory, 1);
  });

  test('should report use, at most once a second', async () => {
    await using kiosk = await TestElectronHost.started();
    const { listeners } = kiosk.window.page;
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
    kiosk.window.page.listeners.emit('console-message', eventOf(details as never));
    assert.match(kiosk.logText, /"kind":"warning","said":"no answer"/);
  });

  test('should tell what the page does and says', async () => {
    await using kiosk = await TestElectronHost.started();
    const { listeners } = kiosk.window.page;
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

  test('should clear the caches of an origin, never its local storage', async () => {
    await using kiosk = await TestElectronHost.started();
    await kiosk.host.clearCaches(ORIGIN);
    assert.deepEqual(kiosk.double.sessions.get('persist:kiosk')?.cleared, [
      { origin: ORIGIN, storages: ['serviceworkers', 'cachestorage'] },
      'cache',
    ]);
  });

  describe('asleep', () => {
    const input = (kiosk: TestElectronHost, type: 'mouseDown' | 'mouseUp') =>
      kiosk.dark!.page.listeners.emit('input-event', eventOf(), { type });

    test('should cover everything in black until the finger that woke it is lifted', async () => {
      await using kiosk = await TestElectronHost.started();
      let touches = 0;
      await kiosk.host.sleep(() => touches++);
      assert.equal(kiosk.dark?.level, 'screen-saver');
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

    test('should come back after it was closed, above the kiosk window and above others', async () => {
      await using kiosk = await TestElectronHost.started();
      await kiosk.host.sleep(() => {});
      const first = kiosk.dark!;
      first.destroy();
      assert.ok(kiosk.dark && kiosk.dark !== first);
      const { raises } = kiosk.dark;
      kiosk.dark.listeners.emit('blur');
      await kiosk.host.bringToFront();
      assert.equal(kiosk.dark.raises, raises + 2);
      kiosk.window.destroy();
      assert.equal(kiosk.dark.raises, raises + 3);
    });

    test('should show itself in pictures, and the page when awake', async () => {
      await using kiosk = await TestElectronHost.started();
      await kiosk.host.sleep(() => {});
      kiosk.dark!.page.picture = Buffer.from('dark');
      assert.equal(String(await kiosk.host.screenshot()), 'dark');
      await kiosk.host.wake();
      assert.equal(String(await kiosk.host.screenshot()), 'a picture');
      assert.equal(String(await kiosk.host.screenshot('jpeg')), 'a picture of 80 %');
    });
  });
});
