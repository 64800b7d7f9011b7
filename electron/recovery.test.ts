import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { until } from '../server/kiosk/testing/testKiosk.ts';
import { eventOf } from './testing/fakeEmitter.ts';
import { HOME, ORIGIN, TestElectronHost } from './testing/testElectronHost.ts';

describe('recovery of the page in the Electron host (over a double of Electron)', () => {
  test('should bring the page back after render-process-gone, with growing delays', async () => {
    await using kiosk = await TestElectronHost.started();
    const { page, loaded } = kiosk.view;
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
    kiosk.view.page.listeners.emit('unresponsive');
    assert.equal(kiosk.view.page.crashes, 1);
    await kiosk.clock.advance(300);
    assert.equal(kiosk.view.loaded.length, 2);
    assert.deepEqual(kiosk.host.recoveries(), { 'hung-page': 1 });
  });

  test('should open a new window when a hung renderer does not end', async () => {
    await using kiosk = await TestElectronHost.started();
    const first = kiosk.view;
    first.page.endsWhenCrashed = false;
    first.page.listeners.emit('unresponsive');
    await kiosk.clock.advance(10_000);
    assert.equal(first.isGone, true);
    assert.deepEqual(kiosk.view.loaded, [HOME]);
    assert.deepEqual(kiosk.host.recoveries(), { 'hung-page': 1 });
  });

  test('should notice that the thread of the page never answers, unless another document loads', async () => {
    await using kiosk = await TestElectronHost.started();
    const { page } = kiosk.view;
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
    const { page } = kiosk.view;
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
    const first = kiosk.view;
    const event = eventOf();
    kiosk.double.window!.listeners.emit('close', event);
    assert.equal(event.defaultPrevented, true);
    kiosk.double.window!.destroy();
    assert.equal(first.isGone, true);
    assert.notEqual(kiosk.view, first);
    assert.deepEqual(kiosk.view.loaded, [HOME]);
    assert.deepEqual(kiosk.order, ['persist:kiosk']);
    assert.deepEqual(kiosk.host.recoveries(), { 'window-closed': 1 });
    first.page.forcefullyCrashRenderer();
    assert.deepEqual(kiosk.host.recoveries(), { 'window-closed': 1 });
  });

  test('should bring back a page that strayed', async () => {
    await using kiosk = await TestElectronHost.started();
    kiosk.view.page.listeners.emit('did-navigate', eventOf(), 'about:blank', -1, '');
    await kiosk.clock.advance(500);
    assert.deepEqual(kiosk.view.loaded, [HOME, HOME]);
    assert.deepEqual(kiosk.host.recoveries(), { 'stray-page': 1 });
  });

  test('should say on the screen that the server of the page is down, and count that once', async () => {
    await using kiosk = new TestElectronHost();
    kiosk.double.refusal = 'ERR_CONNECTION_REFUSED';
    await kiosk.host.start(kiosk.sink, HOME);
    await until(() => kiosk.view.loaded.length === 2, 'the waiting page');
    const notice = decodeURIComponent(kiosk.view.loaded[1]!);
    assert.match(notice, /^data:text\/html,/);
    assert.match(notice, /Waiting for http:\/\/p1\.localhost:1</);
    assert.match(notice, /The server of the page is not running\./);
    await kiosk.clock.advance(1_000);
    // The server is really probed, which takes real time; nothing is loaded while it is down.
    await kiosk.clock.advance(20_000);
    assert.equal(kiosk.view.loaded.length, 2);
    assert.deepEqual(kiosk.host.recoveries(), { 'page-unreachable': 1 });
    // The panel is well: `false` would restart the service, which would not help.
    await kiosk.clock.advance(15 * 60_000);
    assert.equal(kiosk.host.isWell(), true);
  });

  test('should ignore loads that another navigation aborted, and frames that fail', async () => {
    await using kiosk = await TestElectronHost.started();
    const { listeners } = kiosk.view.page;
    listeners.emit('did-fail-load', eventOf(), -3, 'ERR_ABORTED', HOME, true, 1, 1);
    listeners.emit('did-fail-load', eventOf(), -102, 'ERR_CONNECTION_REFUSED', HOME, false, 1, 2);
    await kiosk.clock.advance(10_000);
    assert.deepEqual(kiosk.view.loaded, [HOME]);
    assert.deepEqual(kiosk.host.recoveries(), {});
  });

  /** 1 × 1 pixel, RGB. */
  const DOT = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4//8/AAX+Av4N70a4AAAAAElFTkSuQmCC',
    'base64',
  );

  test('should load a dead page again, then in a new window', async () => {
    await using kiosk = await TestElectronHost.started();
    kiosk.view.page.picture = DOT;
    await kiosk.clock.advance(120_000);
    assert.deepEqual(kiosk.host.recoveries(), {});
    kiosk.deadPageCheck = true;
    const first = kiosk.view;
    await kiosk.clock.advance(75_000);
    assert.deepEqual(kiosk.host.recoveries(), { 'dead-page': 1 });
    assert.equal(kiosk.view, first);
    assert.equal(first.loaded.length, 2);
    await kiosk.clock.advance(75_000);
    assert.notEqual(kiosk.view, first);
    assert.equal(first.isGone, true);
    assert.deepEqual(kiosk.host.recoveries(), { 'dead-page': 2 });
  });

  test('should open a new window when the helpers use too much memory; the service itself does not count', async () => {
    await using kiosk = await TestElectronHost.started();
    const first = kiosk.view;
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
    assert.equal(kiosk.view, first);
    kiosk.double.app.metrics = [{ type: 'Tab', pid: process.pid }];
    await forSomeMinutes(() => kiosk.view !== first);
    assert.equal(first.isGone, true);
    assert.deepEqual(kiosk.view.loaded, [HOME]);
    assert.equal(kiosk.host.recoveries().memory, 1);
  });
});
