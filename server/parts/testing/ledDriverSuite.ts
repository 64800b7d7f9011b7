import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { LedDriver } from '../led/driver.ts';

/** The light that an eye would see, each channel 0..255. */
export interface Light {
  readonly red: number;
  readonly green: number;
  readonly blue: number;
}

/** A driver under test and a view of its bar. */
interface LedBench {
  readonly driver: LedDriver;
  /** What the bar actually shows. */
  look(): Promise<Light>;
  close(): Promise<void>;
}

const DARK: Light = { red: 0, green: 0, blue: 0 };

interface LedSuiteOptions {
  /** Steps of each channel, if the bar has fewer than 256; the light may be half a step off. */
  readonly steps?: Light;
}

/** What every LED driver must do, simulated or real. */
export function testLedDriver(
  name: string,
  open: () => Promise<LedBench>,
  { steps = { red: 255, green: 255, blue: 255 } }: LedSuiteOptions = {},
): void {
  describe(`LED driver ${name}`, () => {
    let bench: LedBench;
    before(async () => {
      bench = await open();
      await bench.driver.start();
    });
    after(async () => {
      await bench.driver.stop();
      await bench.driver.stop();
      await bench.close();
    });

    async function shows(expected: Light): Promise<void> {
      const light = await bench.look();
      for (const channel of ['red', 'green', 'blue'] as const) {
        const error = Math.abs(light[channel] - expected[channel]);
        assert.ok(error <= 128 / steps[channel], `${channel} is ${light[channel]}, not ${expected[channel]}`);
      }
    }

    for (const light of [
      { red: 255, green: 0, blue: 0 },
      { red: 0, green: 255, blue: 0 },
      { red: 0, green: 0, blue: 255 },
      { red: 255, green: 255, blue: 255 },
      { red: 17, green: 128, blue: 200 },
      DARK,
    ]) {
      test(`should show ${Object.values(light).join(' ')}`, async () => {
        await bench.driver.apply({ on: true, ...light });
        await shows(light);
      });
    }

    test('should be dark while it is off, whatever the colour', async () => {
      await bench.driver.apply({ on: true, red: 255, green: 255, blue: 255 });
      await bench.driver.apply({ on: false, red: 255, green: 255, blue: 255 });
      assert.deepEqual(await bench.look(), DARK);
    });

    test('should show the colour again when it is switched on again', async () => {
      await bench.driver.apply({ on: true, red: 255, green: 0, blue: 255 });
      await shows({ red: 255, green: 0, blue: 255 });
    });

    test('should keep its light when it stops', async () => {
      await bench.driver.stop();
      await shows({ red: 255, green: 0, blue: 255 });
      await bench.driver.start();
    });
  });
}
