import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { silentLogger } from '../../platform/log.ts';
import { FakeClock } from '../../testing/fakeClock.ts';
import { MaintenanceWindow, MemoryWatchdog } from './maintenance.ts';

const MINUTE = 60_000;
const MIB = 1024 * 1024;
const HOUR = 60 * MINUTE;

describe('the memory limit', () => {
  let clock: FakeClock;
  let hour: number;
  let usedMiB: number | undefined;
  let limit: number;
  let isAsleep: boolean;
  let restarts: number;
  let looks: number;
  let isInCall: boolean;
  let window: MaintenanceWindow;
  let watchdog: MemoryWatchdog;
  beforeEach(() => {
    clock = new FakeClock();
    hour = 12;
    usedMiB = 500;
    limit = 1_000;
    isAsleep = false;
    restarts = 0;
    looks = 0;
    isInCall = false;
    window = new MaintenanceWindow({
      clock,
      date: () => new Date(2026, 0, 1, hour, 30),
      quietHour: () => 3,
      isAsleep: () => isAsleep,
      isInCall: async () => isInCall,
    });
    watchdog = new MemoryWatchdog({
      clock,
      limit: () => limit,
      window,
      watch: {
        used: async () => {
          looks++;
          return usedMiB === undefined ? undefined : usedMiB * MIB;
        },
        onExceeded: () => restarts++,
      },
      log: silentLogger(),
    });
    watchdog.start();
  });

  test('should check once a minute, and leave a browser below the limit alone', async () => {
    hour = 3;
    await clock.advance(10 * MINUTE);
    assert.equal(looks, 10);
    assert.equal(restarts, 0);
  });

  test('should wait for the quiet hour', async () => {
    usedMiB = 1_100;
    await clock.advance(10 * MINUTE);
    assert.equal(restarts, 0);
    hour = 3;
    await clock.advance(MINUTE);
    assert.equal(restarts, 1);
  });

  test('should not act in the quiet hour while somebody uses the panel', async () => {
    usedMiB = 1_100;
    hour = 3;
    window.touched();
    await clock.advance(4 * MINUTE);
    assert.equal(restarts, 0);
    await clock.advance(2 * MINUTE);
    assert.equal(restarts, 1);
  });

  test('should act at any hour while the panel sleeps', async () => {
    usedMiB = 1_100;
    isAsleep = true;
    await clock.advance(MINUTE);
    assert.equal(restarts, 1);
  });

  test('should wait for the end of a call, but not above 150 % of the limit', async () => {
    usedMiB = 1_100;
    isAsleep = isInCall = true;
    await clock.advance(5 * MINUTE);
    assert.equal(restarts, 0);
    usedMiB = 1_501;
    await clock.advance(MINUTE);
    assert.equal(restarts, 1);
  });

  test('should act at once above 150 % of the limit, at most every ten minutes', async () => {
    usedMiB = 1_501;
    await clock.advance(MINUTE);
    assert.equal(restarts, 1);
    await clock.advance(9 * MINUTE);
    assert.equal(restarts, 1);
    await clock.advance(MINUTE);
    assert.equal(restarts, 2);
  });

  test('should not restart a page that needs this much again and again in one night', async () => {
    usedMiB = 1_100;
    isAsleep = true;
    await clock.advance(5 * HOUR);
    assert.equal(restarts, 1);
    await clock.advance(2 * HOUR);
    assert.equal(restarts, 2);
  });

  test('should do nothing without a limit, without a browser and after stop', async () => {
    isAsleep = true;
    usedMiB = 9_000;
    limit = 0;
    await clock.advance(5 * MINUTE);
    assert.equal(looks, 0);
    limit = 1_000;
    usedMiB = undefined;
    await clock.advance(5 * MINUTE);
    assert.equal(looks, 5);
    usedMiB = 9_000;
    watchdog.stop();
    watchdog.stop();
    await clock.advance(5 * MINUTE);
    assert.equal(restarts, 0);
    assert.equal(clock.pending, 0);
  });
});

describe('the maintenance window', () => {
  let clock: FakeClock;
  let hour: number;
  let isAsleep: boolean;
  let isInCall: () => Promise<boolean>;
  let window: MaintenanceWindow;
  beforeEach(() => {
    clock = new FakeClock();
    hour = 12;
    isAsleep = false;
    isInCall = async () => false;
    window = new MaintenanceWindow({
      clock,
      date: () => new Date(2026, 0, 1, hour, 30),
      quietHour: () => 3,
      isAsleep: () => isAsleep,
      isInCall: () => isInCall(),
    });
  });

  test('should be the quiet hour, five minutes after the last touch', async () => {
    assert.equal(await window.isOpen(), false);
    hour = 3;
    assert.equal(await window.isOpen(), true);
    window.touched();
    await clock.advance(299_999);
    assert.equal(await window.isOpen(), false);
    await clock.advance(1);
    assert.equal(await window.isOpen(), true);
  });

  test('should be any hour in which the panel sleeps, also just after a touch', async () => {
    isAsleep = true;
    window.touched();
    assert.equal(await window.isOpen(), true);
  });

  test('should not be while there is a call, nor where nobody can say', async () => {
    isAsleep = true;
    isInCall = async () => true;
    assert.equal(await window.isOpen(), false);
    isInCall = () => Promise.reject(new Error('not known'));
    assert.equal(await window.isOpen(), false);
  });
});
