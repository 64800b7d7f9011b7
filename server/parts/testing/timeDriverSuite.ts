import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { TimeDriver } from '../time/driver.ts';

/** What every clock driver must do, simulated or real. */
export function testTimeDriver(name: string, open: () => TimeDriver): void {
  describe(`time driver ${name}`, () => {
    let driver: TimeDriver;
    beforeEach(async () => {
      driver = open();
      await driver.start();
    });
    afterEach(async () => {
      await driver.stop();
      await driver.stop();
    });

    test('should set the time zone and leave the rest', async () => {
      const { ntp } = await driver.state();
      await driver.setTimeZone('Europe/Berlin');
      const state = await driver.state();
      assert.deepEqual([state.timeZone, state.ntp], ['Europe/Berlin', ntp]);
    });

    test('should switch the setting by the network on and off', async () => {
      await driver.setNtp(false);
      assert.equal((await driver.state()).ntp, false);
      await driver.setNtp(true);
      assert.equal((await driver.state()).ntp, true);
    });

    test('should work again after a stop and a start', async () => {
      await driver.stop();
      await driver.start();
      await driver.state();
    });
  });
}
