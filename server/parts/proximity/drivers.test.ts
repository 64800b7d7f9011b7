import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, test } from 'node:test';
import { underDeviceDouble } from '../../testing/deviceDouble.ts';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { testProximityDriver } from '../testing/proximityDriverSuite.ts';
import { IioProximity, SimulatedProximity } from './driver.ts';

testProximityDriver('simulated', async () => {
  const driver = new SimulatedProximity();
  return { driver, come: async (isNear) => driver.simulate(isNear) };
});

const IIO = '/sys/bus/iio/devices/iio:device0';

underDeviceDouble('proximity sensors', import.meta.filename, (double) => {
  const set = (value: number) => double.setAttribute(`${IIO}/in_proximity_raw`, String(value));
  testProximityDriver('iio that counts light', async () => ({
    driver: new IioProximity({ path: IIO, above: 1_000 }),
    come: (isNear) => set(isNear ? 4_000 : 20),
  }));
  testProximityDriver('iio that measures a distance', async () => ({
    driver: new IioProximity({ path: IIO, below: 600 }),
    come: (isNear) => set(isNear ? 250 : 2_000),
  }));
});

describe('a proximity sensor in /sys', () => {
  let folder: string;
  beforeEach(() => {
    folder = temporaryFolder('proximity');
  });

  /** What the driver says of these values, one after the other. */
  async function of(
    limits: { above?: number; below?: number },
    values: readonly number[],
  ): Promise<boolean[]> {
    const driver = new IioProximity({ path: folder, ...limits });
    const said: boolean[] = [];
    for (const value of values) {
      writeFileSync(join(folder, 'in_proximity_raw'), `${value}\n`);
      said.push(await driver.isNear());
    }
    return said;
  }

  test('should take who is near for far only a tenth beyond the limit', async () => {
    assert.deepEqual(await of({ above: 100 }, [99, 100, 95, 90, 89, 95]), [
      false,
      true,
      true,
      true,
      false,
      false,
    ]);
    assert.deepEqual(await of({ below: 100 }, [101, 100, 105, 110, 111, 105]), [
      false,
      true,
      true,
      true,
      false,
      false,
    ]);
  });

  test('should be no sensor where nothing fits', async () => {
    await assert.rejects(new IioProximity({ path: folder, above: 1 }).start(), { code: 'ENXIO' });
  });
});
