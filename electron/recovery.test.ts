import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { until } from '../server/kiosk/testing/testKiosk.ts';
import { eventOf } from './testing/fakeEmitter.ts';
import { HOME, ORIGIN, TestElectronHost } from './testing/testElectronHost.ts';

describe('recovery of the page in the Electron host (over a double of Electron)', () => {
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

  test('should refuse to be closed by the page, and hear no more of the pages of a window that ended', async () => {
    await using kiosk = await TestElectronHost.started();
    const first = kiosk.view;
    const event = eventOf();
    kiosk.double.window!.listeners.emit('close', event);
    assert.equal(event.defaultPrevented, true);
    kiosk.double.window!.destroy();
    assert.equal(first.isGone, true);
    assert.notEqual(kiosk.view, first);
    assert.deepEqual(kiosk.order, ['persist:kiosk']);
    first.page.forcefullyCrashRenderer();
    assert.deepEqual(kiosk.host.recoveries(), { 'window-closed': 1 });
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
