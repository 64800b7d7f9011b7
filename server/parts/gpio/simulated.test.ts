import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testGpioDriver } from '../testing/gpioDriverSuite.ts';
import type { PinState } from './contract.ts';
import { SimulatedGpio } from './driver.ts';

testGpioDriver('simulated', async () => {
  const driver = new SimulatedGpio();
  return { driver, setWire: async (change) => driver.simulate(change), close: async () => undefined };
});

test('should report changes from outside to its listener', () => {
  const driver = new SimulatedGpio();
  const seen: PinState[] = [];
  driver.onChange((change) => seen.push(change));
  driver.simulate({ pin: 0, level: 1 });
  assert.deepEqual(seen, [{ pin: 0, level: 1 }]);
});
