import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Settings } from '../../config/settings.ts';
import { Backoff } from '../../platform/async.ts';
import { silentLogger } from '../../platform/log.ts';
import { FakeClock } from '../../testing/fakeClock.ts';
import { panelForTests } from '../testing/panelForTests.ts';
import { defaultLimits, Recovery, recoverySettingsOf } from './recovery.ts';

describe('Backoff', () => {
  test('should double up to its limit, and begin again after a quiet time', async () => {
    const clock = new FakeClock();
    const backoff = new Backoff(clock, { firstMs: 500, maxMs: 3_000, peaceMs: 10_000 });
    const delays: number[] = [];
    for (let i = 0; i < 5; i++) {
      delays.push(backoff.next());
      await clock.advance(delays.at(-1)!);
    }
    assert.deepEqual(delays, [500, 1_000, 2_000, 3_000, 3_000]);
    await clock.advance(10_000);
    assert.equal(backoff.next(), 3_000);
    await clock.advance(13_001);
    assert.equal(backoff.next(), 500);
  });

  test('should not overflow after years of failure', () => {
    const backoff = new Backoff(new FakeClock(), { firstMs: 500, maxMs: 30_000, peaceMs: 1_000 });
    for (let i = 0; i < 5_000; i++) backoff.next();
    assert.equal(backoff.next(), 30_000);
  });
});

describe('Recovery', () => {
  test('should run one attempt at a time: the newest, after the delay of its cause', async () => {
    const clock = new FakeClock();
    const recovery = new Recovery(defaultLimits, clock, silentLogger());
    const runs: string[] = [];
    recovery.schedule('stray-page', () => runs.push('stray'));
    recovery.schedule('renderer-crash', () => runs.push('crash'));
    assert.equal(recovery.waiting, true);
    await clock.advance(299);
    assert.deepEqual(runs, []);
    await clock.advance(1);
    assert.deepEqual(runs, ['crash']);
    assert.equal(recovery.waiting, false);
    assert.equal(clock.pending, 0);
  });

  test('should drop an attempt that is no longer needed', async () => {
    const clock = new FakeClock();
    const recovery = new Recovery(defaultLimits, clock, silentLogger());
    recovery.schedule('browser-exit', () => assert.fail('it was cancelled'));
    recovery.cancel();
    await clock.advance(60_000);
    assert.equal(clock.pending, 0);
  });

  test('should bring a page home within 10 s, however often it strays', async () => {
    const clock = new FakeClock();
    const recovery = new Recovery(defaultLimits, clock, silentLogger());
    for (let i = 0; i < 30; i++) {
      const before = clock.now();
      const home = new Promise<number>((resolve) =>
        recovery.schedule('stray-page', () => resolve(clock.now())),
      );
      await clock.advance(9_000);
      assert.ok((await home) - before < 9_000);
    }
  });

  test('should count by cause', () => {
    const recovery = new Recovery(defaultLimits, new FakeClock(), silentLogger());
    recovery.count('hung-page');
    recovery.count('hung-page');
    recovery.count('window-closed');
    assert.deepEqual(recovery.counts, { 'hung-page': 2, 'window-closed': 1 });
  });
});

describe('recovery settings', () => {
  test('should use 60 % of the memory of the panel when no limit is set, and else the set limit', () => {
    let limit: Settings['kiosk.memoryLimit'] = 'auto';
    const recoverySettings = recoverySettingsOf(
      () => ({ 'kiosk.memoryLimit': limit }) as Settings,
      () => panelForTests,
      async () => false,
      2_000 * 1024 * 1024,
    );
    assert.equal(recoverySettings.memoryLimit(), 1_200);
    limit = 0;
    assert.equal(recoverySettings.memoryLimit(), 0);
    limit = 800;
    assert.equal(recoverySettings.memoryLimit(), 800);
  });
});
