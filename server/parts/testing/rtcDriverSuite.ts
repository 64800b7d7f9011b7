import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { RtcDriver } from '../sleep/driver.ts';

/** A driver under test and control of its clock. */
interface RtcBench {
  readonly driver: RtcDriver;
  /** Lets the real-time clock go on. */
  pass(seconds: number): Promise<void>;
  close(): Promise<void>;
}

/** What every driver of a real-time clock must do, simulated or real. */
export function testRtcDriver(name: string, open: () => Promise<RtcBench>): void {
  describe(`RTC driver ${name}`, () => {
    let bench: RtcBench;
    let rtc: RtcDriver;
    beforeEach(async () => {
      bench = await open();
      rtc = bench.driver;
      await rtc.start();
      await rtc.disarm();
    });
    afterEach(async () => {
      await rtc.stop();
      await rtc.stop();
      await bench.close();
    });

    test('should hold no alarm until one is armed', async () => {
      assert.equal(await rtc.remaining(), null);
    });

    for (const seconds of [1, 60, 9 * 3600, 8 * 86_400]) {
      test(`should hold an alarm ${seconds} s from now`, async () => {
        await rtc.arm(seconds);
        assert.equal(await rtc.remaining(), seconds);
      });
    }

    test('should count down to the alarm, which goes off once', async () => {
      await rtc.arm(100);
      await bench.pass(40);
      assert.equal(await rtc.remaining(), 60);
      await bench.pass(60);
      assert.equal(await rtc.remaining(), null);
      await bench.pass(1);
      assert.equal(await rtc.remaining(), null);
    });

    test('should replace an alarm by an earlier or later one', async () => {
      await rtc.arm(500);
      await rtc.arm(1_000);
      assert.equal(await rtc.remaining(), 1_000);
      await rtc.arm(200);
      assert.equal(await rtc.remaining(), 200);
    });

    test('should accept an alarm after one has gone off', async () => {
      await rtc.arm(10);
      await bench.pass(11);
      await rtc.arm(20);
      assert.equal(await rtc.remaining(), 20);
    });

    test('should switch the alarm off, and do so twice', async () => {
      await rtc.arm(100);
      await rtc.disarm();
      await rtc.disarm();
      assert.equal(await rtc.remaining(), null);
    });

    test('should leave the alarm armed over a stop and a start', async () => {
      await rtc.arm(100);
      await rtc.stop();
      await rtc.start();
      assert.equal(await rtc.remaining(), 100);
    });
  });
}
