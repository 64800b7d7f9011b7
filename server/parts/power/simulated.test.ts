import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testPowerDriver } from '../testing/powerDriverSuite.ts';
import { SimulatedPower } from './driver.ts';

testPowerDriver('simulated', async () => {
  const driver = new SimulatedPower();
  return { driver, reboots: async () => driver.reboots };
});

test('simulated power control should report that it cannot suspend, and refuse to', async () => {
  const driver = new SimulatedPower();
  assert.equal(await driver.canSuspend(), 'na');
  await assert.rejects(driver.suspend(), { code: 'EOPNOTSUPP' });
});
