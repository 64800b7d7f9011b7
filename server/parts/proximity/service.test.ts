import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { errnoError } from '../../platform/errno.ts';
import { silentLogger } from '../../platform/log.ts';
import { FakeClock, settled } from '../../testing/fakeClock.ts';
import type { ProximityDriver } from './driver.ts';
import { EVERY_MS, ProximityService } from './service.ts';

/** A sensor that can break. */
class FakeSensor implements ProximityDriver {
  readonly name = 'fake';
  readonly path = '/sys/fake';
  readonly simulated = false;
  near = false;
  error: Error | undefined;
  reads = 0;

  async start(): Promise<void> {}

  async stop(): Promise<void> {}

  async isNear(): Promise<boolean> {
    this.reads++;
    if (this.error) throw this.error;
    return this.near;
  }
}

describe('proximity service', () => {
  let sensor: FakeSensor;
  let clock: FakeClock;
  let proximity: ProximityService;
  let activities: number;

  function make(driver: ProximityDriver | null): ProximityService {
    const activity = () => {
      activities++;
    };
    return new ProximityService({ driver, clock, activity, log: silentLogger() });
  }

  beforeEach(async () => {
    activities = 0;
    sensor = new FakeSensor();
    clock = new FakeClock();
    proximity = make(sensor);
    await proximity.start();
  });
  afterEach(() => proximity.stop());

  async function pass(milliseconds: number): Promise<void> {
    for (let passed = 0; passed < milliseconds; passed += EVERY_MS) {
      await clock.advance(EVERY_MS);
      await settled();
    }
  }

  test('should wake the panel once for who comes, and again for who comes back', async () => {
    await pass(1_000);
    assert.equal(activities, 0);
    sensor.near = true;
    await pass(60_000);
    assert.equal(activities, 1);
    sensor.near = false;
    await pass(1_000);
    sensor.near = true;
    await pass(1_000);
    assert.equal(activities, 2);
  });

  test('should ask a sensor that fails less often, and go on when it is back', async () => {
    sensor.error = errnoError('EIO', 'no answer');
    sensor.near = true;
    await pass(60_000);
    assert.ok(sensor.reads <= 7, String(sensor.reads));
    sensor.error = undefined;
    await pass(11_000);
    assert.equal(activities, 1);
  });

  test('should read no more after the stop', async () => {
    await proximity.stop();
    const { reads } = sensor;
    await pass(1_000);
    assert.deepEqual([sensor.reads, clock.pending], [reads, 0]);
  });

  test('should do nothing where the board has none, and simulate nothing where it is real', async () => {
    await assert.rejects(proximity.simulate({ near: true }), { code: 'UNSUPPORTED_HARDWARE' });
    await proximity.stop();
    const none = make(null);
    await none.start();
    assert.equal(clock.pending, 0);
    await assert.rejects(none.simulate({ near: true }), { code: 'UNSUPPORTED_HARDWARE' });
  });
});
