import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { PowerDriver } from '../power/driver.ts';

/** A driver under test and the state of its machine. */
interface PowerBench {
  readonly driver: PowerDriver;
  /** How often the machine was restarted so far. */
  reboots(): Promise<number>;
}

/** What every power driver must do, simulated or real. */
export function testPowerDriver(name: string, open: () => Promise<PowerBench>): void {
  describe(`power driver ${name}`, () => {
    let bench: PowerBench;
    beforeEach(async () => {
      bench = await open();
      await bench.driver.start();
    });
    afterEach(async () => {
      await bench.driver.stop();
      await bench.driver.stop();
    });

    test('should do nothing when it is started and asked what it can do', async () => {
      assert.equal(await bench.driver.canReboot(), 'yes');
      await bench.driver.canSuspend();
      assert.equal(await bench.reboots(), 0);
    });

    test('should restart the machine once for each call', async () => {
      await bench.driver.reboot();
      assert.equal(await bench.reboots(), 1);
      await bench.driver.reboot();
      assert.equal(await bench.reboots(), 2);
    });

    test('should work again after a stop and a start', async () => {
      await bench.driver.stop();
      await bench.driver.start();
      await bench.driver.reboot();
      assert.equal(await bench.reboots(), 1);
    });
  });
}
