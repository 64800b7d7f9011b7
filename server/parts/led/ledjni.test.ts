import assert from 'node:assert/strict';
import { constants } from 'node:fs';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { errnoError } from '../../platform/errno.ts';
import type { DeviceIo } from '../../platform/native/deviceIo.ts';
import { systemDeviceIo } from '../../platform/native/ioctl.ts';
import { type DoubleControl, ioctlsOf, underDeviceDouble } from '../../testing/deviceDouble.ts';
import { testLedDriver } from '../testing/ledDriverSuite.ts';
import { LedJni } from './ledjni.ts';

const NODE = '/dev/ledjni';
const ioctl = ioctlsOf(NODE);

function make(scale: 15 | 255 = 255): LedJni {
  return new LedJni({ path: NODE, scale, io: systemDeviceIo });
}

async function look(double: DoubleControl, scale: number) {
  const [red = 0, green = 0, blue = 0] = (await double.channels()).map((value) => (value * 255) / scale);
  return { red, green, blue };
}

underDeviceDouble('LED driver ledjni', import.meta.filename, (double) => {
  for (const scale of [255, 15] as const) {
    testLedDriver(
      `ledjni with scale ${scale}`,
      async () => ({ driver: make(scale), look: () => look(double, scale), close: async () => undefined }),
      { steps: { red: scale, green: scale, blue: scale } },
    );
  }

  describe('ledjni', () => {
    let driver: LedJni;
    beforeEach(async () => {
      driver = make();
      await driver.start();
      await double.takeCalls();
    });
    afterEach(() => driver.stop());

    test('should write each channel by its own request, with the value itself as the argument', async () => {
      await driver.apply({ on: true, red: 255, green: 128, blue: 0 });
      await driver.apply({ on: false, red: 255, green: 128, blue: 0 });
      assert.deepEqual(await double.takeCalls(), [
        ioctl(0xa1, 255),
        ioctl(0xa2, 128),
        ioctl(0xa3, 0),
        ioctl(0x99, 0),
      ]);
    });

    test('should round to the 16 steps of the vendor when the profile says scale 15', async () => {
      await make(15).apply({ on: true, red: 255, green: 17 * 7 + 9, blue: 8 });
      assert.deepEqual(await double.channels(), [15, 8, 0]);
    });

    test('should prove the node at start by writing the last colour again', async () => {
      await driver.apply({ on: true, red: 1, green: 2, blue: 3 });
      await driver.stop();
      await double.takeCalls();
      await driver.start();
      assert.deepEqual(await double.takeCalls(), [ioctl(0xa1, 1), ioctl(0xa2, 2), ioctl(0xa3, 3)]);
    });

    test('should fail to start with EACCES when the node opens but refuses the call', async () => {
      await double.fail(NODE, 'EACCES');
      await assert.rejects(make().start(), { code: 'EACCES' });
    });

    test('should fail to start with ENOENT when there is no node', async () => {
      await double.remove(NODE);
      await assert.rejects(make().start(), { code: 'ENOENT' });
      await double.restore(NODE);
    });

    test('should fail with EIO when a channel fails in the middle, and work again afterwards', async () => {
      await double.fail(NODE, 'EIO', { after: 1 });
      await assert.rejects(driver.apply({ on: true, red: 9, green: 9, blue: 9 }), { code: 'EIO' });
      assert.deepEqual(await double.takeCalls(), [ioctl(0xa1, 9), ioctl(0xa2, 9)]);
      await driver.apply({ on: true, red: 9, green: 9, blue: 9 });
      assert.deepEqual(await double.channels(), [9, 9, 9]);
    });
  });
});

describe('ledjni on a node that only opens for reading', () => {
  /** Refuses O_RDWR with the given errno, as a node of another owner does. */
  function refusing(errno: string) {
    const opened: number[] = [];
    const closed: number[] = [];
    const io: DeviceIo = {
      open(_path, flags) {
        opened.push(flags);
        if (flags & constants.O_RDWR) throw errnoError(errno, 'refused');
        return 7;
      },
      close: (fd) => void closed.push(fd),
      ioctlPointer: () => assert.fail('ledjni takes no pointers'),
      ioctlValue: () => 0,
    };
    return { driver: new LedJni({ path: NODE, scale: 255, io }), opened, closed };
  }

  test('should fall back to reading after EACCES', async () => {
    const { driver, opened, closed } = refusing('EACCES');
    await driver.start();
    assert.deepEqual(opened, [
      constants.O_RDWR | constants.O_NOCTTY,
      constants.O_RDONLY | constants.O_NOCTTY,
    ]);
    assert.deepEqual(closed, [7]);
  });

  test('should not try again after any other error', async () => {
    const { driver, opened } = refusing('EBUSY');
    await assert.rejects(driver.start(), { code: 'EBUSY' });
    assert.equal(opened.length, 1);
  });
});
