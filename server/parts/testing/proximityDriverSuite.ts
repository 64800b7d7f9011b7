import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { ProximityDriver } from '../proximity/driver.ts';

/** A driver under test, and somebody before its sensor. */
interface ProximityBench {
  readonly driver: ProximityDriver;
  come(isNear: boolean): Promise<void>;
}

/** What every driver of a proximity sensor must do, simulated or real. */
export function testProximityDriver(name: string, open: () => Promise<ProximityBench>): void {
  describe(`proximity driver ${name}`, () => {
    let bench: ProximityBench;
    before(async () => {
      bench = await open();
      await bench.driver.start();
    });
    after(async () => {
      await bench.driver.stop();
      await bench.driver.stop();
    });

    test('should notice somebody who comes, stays and goes', async () => {
      for (const isNear of [false, true, true, false, true, false]) {
        await bench.come(isNear);
        assert.equal(await bench.driver.isNear(), isNear);
      }
    });
  });
}
