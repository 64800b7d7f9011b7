import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { errnoError } from '../../platform/errno.ts';
import { EventBus } from '../../platform/eventBus.ts';
import { silentLogger } from '../../platform/log.ts';
import { FakeClock, settled } from '../../testing/fakeClock.ts';
import type { ClimateState } from './contract.ts';
import type { ClimateDriver } from './driver.ts';
import { ClimateService, EVERY_MS } from './service.ts';

/** A sensor that can break. */
class FakeSensor implements ClimateDriver {
  readonly name = 'fake';
  readonly path = '/sys/fake';
  readonly simulated = false;
  state: ClimateState = { temperature: 21.46, humidity: 40.04 };
  error: Error | undefined;
  reads = 0;

  async start(): Promise<void> {}

  async stop(): Promise<void> {}

  async read(): Promise<ClimateState> {
    this.reads++;
    await new Promise(setImmediate);
    if (this.error) throw this.error;
    return this.state;
  }
}

describe('climate service', () => {
  let sensor: FakeSensor;
  let clock: FakeClock;
  let climate: ClimateService;
  let announced: ClimateState[];

  function make(driver: ClimateDriver | null): ClimateService {
    const log = silentLogger();
    const events = new EventBus(log);
    announced = [];
    events.onAny((name, payload) => {
      if (name === 'climate') announced.push(payload as ClimateState);
    });
    return new ClimateService({ driver, clock, events, log });
  }

  beforeEach(async () => {
    sensor = new FakeSensor();
    clock = new FakeClock();
    climate = make(sensor);
    await climate.start();
  });
  afterEach(() => climate.stop());

  /** Until the next look at the sensor is done. */
  async function nextLook(): Promise<void> {
    await clock.advance(EVERY_MS);
    await settled();
  }

  test('should know the air after start, in tenths', async () => {
    assert.deepEqual(climate.snapshot(), { temperature: 21.5, humidity: 40 });
    assert.deepEqual(await climate.state(), { temperature: 21.5, humidity: 40 });
  });

  test('should announce a change of a tenth, and no smaller one', async () => {
    announced.length = 0;
    sensor.state = { temperature: 21.52, humidity: 40.04 };
    await nextLook();
    assert.deepEqual(announced, []);
    sensor.state = { temperature: 21.6, humidity: null };
    await nextLook();
    assert.deepEqual(announced, [{ temperature: 21.6, humidity: null }]);
  });

  test('should not go on telling old values of a sensor that fails, and tell new ones when it is back', async () => {
    announced.length = 0;
    sensor.error = errnoError('EIO', 'no answer');
    await assert.rejects(climate.state(), { code: 'HARDWARE_ERROR' });
    assert.deepEqual(climate.snapshot(), { temperature: null, humidity: null });
    assert.deepEqual(climate.measured, { temperature: true, humidity: true });
    sensor.error = undefined;
    await nextLook();
    assert.deepEqual(announced, [
      { temperature: null, humidity: null },
      { temperature: 21.5, humidity: 40 },
    ]);
  });

  test('should measure once for all who ask at one time', async () => {
    const before = sensor.reads;
    await Promise.all([climate.state(), climate.state(), climate.state()]);
    assert.equal(sensor.reads, before + 1);
  });

  test('should keep values within what can be', async () => {
    sensor.state = { temperature: 999, humidity: 104.2 };
    assert.deepEqual(await climate.state(), { temperature: 200, humidity: 100 });
  });

  test('should read no more after the stop', async () => {
    await climate.stop();
    const before = sensor.reads;
    await nextLook();
    assert.equal(sensor.reads, before);
  });

  test('should answer UNSUPPORTED_HARDWARE where the board has no sensor, and where a real one is to be simulated', async () => {
    await assert.rejects(climate.simulate({ temperature: 1, humidity: 1 }), { code: 'UNSUPPORTED_HARDWARE' });
    const none = make(null);
    await none.start();
    await assert.rejects(none.state(), { code: 'UNSUPPORTED_HARDWARE' });
    assert.equal(none.snapshot(), undefined);
    await none.stop();
  });
});
