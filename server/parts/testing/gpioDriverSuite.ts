import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { until } from '../../testing/waiting.ts';
import type { Level, PinState } from '../gpio/contract.ts';
import type { GpioDriver } from '../gpio/driver.ts';

/** A driver under test and control of its wires. */
interface GpioBench {
  readonly driver: GpioDriver;
  /** Sets the level of an input wire from outside. */
  setWire(change: PinState): Promise<void>;
  close(): Promise<void>;
}

/** What every GPIO driver must do, simulated or real. */
export function testGpioDriver(
  name: string,
  open: () => Promise<GpioBench>,
  { skip = false }: { readonly skip?: string | false } = {},
): void {
  describe(`GPIO driver ${name}`, { skip }, () => {
    let bench: GpioBench;
    const heard: PinState[] = [];
    before(async () => {
      bench = await open();
      bench.driver.onChange?.(({ pin, level }) => heard.push({ pin, level }));
      await bench.driver.start();
    });
    after(async () => {
      await bench.driver.stop();
      await bench.driver.stop();
      await bench.close();
    });

    // Before any write: on some boards a driven line stays an output.
    test('should read what the outside world puts on an input', async () => {
      await bench.setWire({ pin: 1, level: 1 });
      assert.equal(await bench.driver.read(1), 1);
      await bench.setWire({ pin: 1, level: 0 });
      assert.equal(await bench.driver.read(1), 0);
    });

    test('should tell each change of an input without being asked', async () => {
      // A driver that polls may have seen the 1 of before and not yet its end: another 1 would be no change to it.
      await until(() => (heard.at(-1)?.level ?? 0) === 0, 'the level of before');
      for (const level of [1, 0, 1, 0] as const satisfies Level[]) {
        const before = heard.length;
        await bench.setWire({ pin: 1, level });
        await until(() => heard.length > before && heard.at(-1)?.level === level, `level ${level}`);
      }
      const levels = heard.map((change) => change.level);
      assert.ok(
        levels.every((level, index) => level !== levels[index - 1]),
        `told twice: ${levels}`,
      );
      assert.ok(heard.every(({ pin }) => pin === 1));
    });

    for (const pin of [0, 1, 2, 3]) {
      test(`should read back what it drives on pin ${pin}`, async () => {
        for (const level of [1, 0, 1, 1, 0] as const satisfies Level[]) {
          await bench.driver.write(pin, level);
          assert.equal(await bench.driver.read(pin), level);
        }
      });
    }

    test('should leave the other pins alone', async () => {
      for (const pin of [0, 1, 2, 3]) await bench.driver.write(pin, 0);
      await bench.driver.write(2, 1);
      const levels = [];
      for (const pin of [0, 1, 2, 3]) levels.push(await bench.driver.read(pin));
      assert.deepEqual(levels, [0, 0, 1, 0]);
    });
  });
}
