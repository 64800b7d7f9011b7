import assert from 'node:assert/strict';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, test } from 'node:test';
import { errnoError } from '../../platform/errno.ts';
import { underDeviceDouble } from '../../testing/deviceDouble.ts';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { KernelRtc } from '../testing/kernelRtc.ts';
import { testRtcDriver } from '../testing/rtcDriverSuite.ts';
import { Wakealarm } from './wakealarm.ts';

const RTC = '/sys/class/rtc/rtc0';
const NOW = 1_790_000_000;

testRtcDriver("wakealarm by the kernel's rules", async () => {
  const kernel = new KernelRtc(NOW);
  return {
    driver: new Wakealarm(RTC, kernel),
    pass: async (seconds) => {
      kernel.now += seconds;
    },
    close: async () => undefined,
  };
});

describe("wakealarm by the kernel's rules", () => {
  let kernel: KernelRtc;
  let rtc: Wakealarm;
  beforeEach(async () => {
    kernel = new KernelRtc(NOW);
    rtc = new Wakealarm(RTC, kernel);
    await rtc.start();
    kernel.writes.length = 0;
  });

  test('should fail to start where the clock holds no alarm, and leave none behind where it does', async () => {
    assert.equal(kernel.alarm, null);
    kernel.reach = 0;
    await assert.rejects(rtc.start(), { code: 'ERANGE' });
  });

  test('should leave the alarm of somebody else as it is', async () => {
    kernel.alarm = NOW + 60;
    await rtc.start();
    assert.equal(kernel.alarm, NOW + 60);
    assert.deepEqual(kernel.writes, []);
  });

  test('should write 0, then the time, in two writes', async () => {
    await rtc.arm(3_600);
    await rtc.arm(7_200);
    assert.deepEqual(kernel.writes, ['0\n', `${NOW + 3_600}\n`, '0\n', `${NOW + 7_200}\n`]);
  });

  test("should count in the clock's own time, whatever that is", async () => {
    kernel.now = 86_400;
    await rtc.arm(60);
    assert.equal(kernel.alarm, 86_460);
    assert.equal(await rtc.remaining(), 60);
  });

  test('should accept an alarm that is cut to the full minute', async () => {
    kernel.minutesOnly = true;
    kernel.now = NOW + 30;
    await rtc.arm(3_600);
    const remaining = (await rtc.remaining()) ?? 0;
    assert.ok(remaining > 3_540 && remaining <= 3_600, String(remaining));
  });

  test('should fail with ERANGE when the clock does not hold what was written', async () => {
    kernel.reach = 86_400;
    await rtc.arm(86_400);
    await assert.rejects(rtc.arm(86_401), { code: 'ERANGE' });
    assert.equal(await rtc.remaining(), null);
  });

  test('should pass on what the kernel refuses', async () => {
    for (const code of ['EIO', 'EACCES', 'EBUSY', 'ENODEV']) {
      kernel.fault = errnoError(code, 'test');
      await assert.rejects(rtc.arm(60), { code });
      await assert.rejects(rtc.disarm(), { code });
      await assert.rejects(rtc.remaining(), { code });
      await assert.rejects(rtc.start(), { code });
    }
  });

  test('should fail with EIO on a clock that shows no number', async () => {
    kernel.now = Number.NaN;
    await assert.rejects(rtc.start(), { code: 'EIO' });
    await assert.rejects(rtc.arm(60), { code: 'EIO' });
  });
});

describe('wakealarm over files', () => {
  let folder: string;
  beforeEach(async () => {
    folder = temporaryFolder('wakealarm');
    await writeFile(join(folder, 'since_epoch'), `${NOW}\n`);
    await writeFile(join(folder, 'wakealarm'), '');
  });

  test('should leave the time of the alarm in the file, whole and with its newline', async () => {
    const rtc = new Wakealarm(folder);
    await rtc.start();
    await rtc.arm(10 ** 9 - 1);
    assert.equal(await readFile(join(folder, 'wakealarm'), 'utf8'), `${NOW + 10 ** 9 - 1}\n`);
    await rtc.arm(60);
    assert.equal(await readFile(join(folder, 'wakealarm'), 'utf8'), `${NOW + 60}\n`);
    assert.equal(await rtc.remaining(), 60);
  });

  test('should be missing, and create no file, when the clock cannot wake the machine', async () => {
    await rm(join(folder, 'wakealarm'));
    const rtc = new Wakealarm(folder);
    await assert.rejects(rtc.start(), { code: 'ENOENT' });
    await assert.rejects(rtc.arm(60), { code: 'ENOENT' });
    assert.deepEqual(await readdir(folder), ['since_epoch']);
  });

  test('should be missing when there is no such clock', async () => {
    await assert.rejects(new Wakealarm(join(folder, 'rtc7')).start(), { code: 'ENOENT' });
  });
});

underDeviceDouble('RTC driver wakealarm', import.meta.filename, (double) => {
  const clock = `${RTC}/since_epoch`;

  testRtcDriver('wakealarm on the device double', async () => ({
    driver: new Wakealarm(RTC),
    pass: async (seconds) => {
      const now = Number(await double.attribute(clock));
      await double.setAttribute(clock, String(now + seconds));
    },
    close: async () => undefined,
  }));

  describe('wakealarm on the device double', () => {
    test('should write to the attribute only, and leave the time in it', async () => {
      const rtc = new Wakealarm(RTC);
      await rtc.start();
      await double.takeCalls();
      await rtc.arm(3_600);
      const devices = (await double.takeCalls()).map(({ device }) => device);
      // The double notices two quick writes as one.
      assert.deepEqual([...new Set(devices)], [`${RTC}/wakealarm`]);
      const now = Number(await double.attribute(clock));
      assert.equal(await double.attribute(`${RTC}/wakealarm`), `${now + 3_600}\n`);
    });

    test('should fail with ENOENT once the attribute is gone', async () => {
      const rtc = new Wakealarm(RTC);
      await rtc.start();
      await double.remove(`${RTC}/wakealarm`);
      try {
        await assert.rejects(rtc.arm(60), { code: 'ENOENT' });
        await assert.rejects(new Wakealarm(RTC).start(), { code: 'ENOENT' });
      } finally {
        await double.restore(`${RTC}/wakealarm`);
      }
    });
  });
});
