import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { ClimateState } from '../climate/contract.ts';
import type { ClimateDriver } from '../climate/driver.ts';

/** A driver under test and the air around its sensor. */
interface ClimateBench {
  readonly driver: ClimateDriver;
  setAir(state: ClimateState): Promise<void>;
  close(): Promise<void>;
}

/** What every driver of a climate sensor must do, simulated or real. */
export function testClimateDriver(name: string, open: () => Promise<ClimateBench>): void {
  describe(`climate driver ${name}`, () => {
    let bench: ClimateBench;
    before(async () => {
      bench = await open();
      await bench.driver.start();
    });
    after(async () => {
      await bench.driver.stop();
      await bench.driver.stop();
      await bench.close();
    });

    for (const air of [
      { temperature: 21.5, humidity: 40.25 },
      { temperature: -7.125, humidity: 0 },
      { temperature: 0, humidity: 100 },
    ])
      test(`should read ${air.temperature} °C and ${air.humidity} %`, async () => {
        await bench.setAir(air);
        assert.deepEqual(await bench.driver.read(), air);
      });
  });
}
