import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testLedDriver } from '../testing/ledDriverSuite.ts';
import { SimulatedLed } from './driver.ts';

testLedDriver('simulated', async () => {
  const driver = new SimulatedLed();
  return { driver, look: async () => driver.shown, close: async () => undefined };
});

test('should be dark until it is set', async () => {
  const led = new SimulatedLed();
  await led.start();
  assert.deepEqual(led.shown, { red: 0, green: 0, blue: 0 });
});
