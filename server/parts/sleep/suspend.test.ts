import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { errnoError } from '../../platform/errno.ts';
import { KernelRtc } from '../testing/kernelRtc.ts';
import {
  ASLEEP,
  AWAKE,
  alarm,
  context,
  HOUR,
  MINUTE,
  NIGHT,
  NOON,
  OFF,
  ON,
  SECOND,
  TestPanel,
} from '../testing/sleepPanel.ts';
import { SimulatedRtc } from './driver.ts';
import { Wakealarm } from './wakealarm.ts';

describe('sleep by suspend, with clocks that jump and parts that fail', () => {
  let panel: TestPanel;
  beforeEach(async () => {
    panel = await TestPanel.at(NOON);
  });
  afterEach(() => panel.close());

  describe('suspended', () => {
    beforeEach(() => {
      panel.canSuspend = true;
    });

    test('should darken the display, then suspend with the wake alarm set, and light it up when it is back', async () => {
      const service = await panel.running();
      await panel.clock.advanceTo(OFF);
      assert.deepEqual(panel.calls, ['dark', 'suspend']);
      assert.equal(panel.rtc.alarm, Date.parse(ON));
      await panel.suspended(9 * HOUR);
      assert.deepEqual(service.power(), AWAKE);
      assert.deepEqual(panel.calls, ['dark', 'suspend', 'bright']);
      assert.equal(panel.rtc.alarm, Date.parse('2026-07-03T07:00:00+02:00'));
    });

    test('should stay dark until the edge when the alarm went off early', async () => {
      const service = await panel.running();
      await panel.clock.advanceTo(OFF);
      await panel.suspended(9 * HOUR - 30 * SECOND);
      assert.deepEqual(service.power(), ASLEEP);
      await panel.clock.advanceTo(ON);
      assert.deepEqual(service.power(), AWAKE);
      assert.deepEqual(panel.calls, ['dark', 'suspend', 'bright']);
    });

    test('should reach a distant wake time in steps on a clock that holds no alarm beyond a day', async () => {
      const DAY = 24 * HOUR;
      // From Wednesday evening to the next Monday morning: 4 days and 9 hours.
      const kernel = new KernelRtc(Math.floor(panel.clock.wall() / SECOND));
      kernel.reach = 24 * 3600 - 1;
      const wall = () => Math.floor(panel.clock.wall() / SECOND);
      const files = {
        checkWritable: (path: string) => kernel.checkWritable(path),
        read: (path: string) => {
          kernel.now = wall();
          return kernel.read(path);
        },
        write: (path: string, text: string) => {
          kernel.now = wall();
          return kernel.write(path, text);
        },
      };
      const service = panel.service(new Wakealarm('/sys/class/rtc/rtc0', files));
      await service.start();
      await service.setAlarm(alarm({ onDays: [1] }), context);
      panel.forget();
      await panel.clock.advanceTo(OFF);
      const monday = Date.parse('2026-07-06T07:00:00+02:00');
      const steps: number[] = [];
      // Asleep until the alarm of the clock, as on the machine; a panel without an alarm would sleep for ever.
      while (service.power().state === 'asleep' && panel.clock.wall() < monday) {
        assert.ok(kernel.alarm !== null, 'an alarm is set');
        const ahead = kernel.alarm * SECOND - panel.clock.wall();
        assert.ok(ahead > 0 && ahead < DAY, `${ahead} ms`);
        steps.push(ahead);
        await panel.suspended(ahead);
        // Dark for five minutes, then suspended again.
        if (panel.clock.wall() < monday) await panel.clock.advance(5 * MINUTE);
      }
      assert.deepEqual(service.power(), AWAKE);
      assert.equal(steps.length, 5);
      assert.ok(Math.abs(panel.clock.wall() - monday) < 2 * SECOND);
      assert.deepEqual(panel.calls, ['dark', ...steps.map(() => 'suspend'), 'bright']);
    });

    test('should set the step again within the hour while it runs', async () => {
      const service = panel.service();
      await service.start();
      const { arm } = panel.rtc;
      panel.rtc.arm = async (seconds) => {
        if (seconds >= 24 * 3600) throw errnoError('EINVAL', 'test');
        await arm.call(panel.rtc, seconds);
      };
      await service.setAlarm(alarm({ onDays: [1] }), context);
      await panel.clock.advance(8 * HOUR);
      assert.ok(panel.rtc.arms >= 8 && panel.rtc.arms <= 10, String(panel.rtc.arms));
      assert.ok(panel.rtc.alarm! - panel.clock.wall() > 22 * HOUR);
    });

    test('should suspend again after five minutes when something else woke it', async () => {
      const service = await panel.running();
      await panel.clock.advanceTo(OFF);
      await panel.suspended(HOUR);
      assert.deepEqual(service.power(), ASLEEP);
      await panel.clock.advance(5 * MINUTE - 1);
      assert.deepEqual(panel.calls, ['dark', 'suspend']);
      await panel.clock.advance(1);
      assert.deepEqual(panel.calls, ['dark', 'suspend', 'suspend']);
      await panel.suspended(8 * HOUR);
      assert.deepEqual(service.power(), AWAKE);
      assert.deepEqual(panel.powerEvents(), [ASLEEP, AWAKE]);
    });

    test('should wake at a touch that ended the suspend, then suspend again', async () => {
      const service = await panel.running();
      await panel.clock.advanceTo(OFF);
      panel.clock.jump(HOUR);
      service.touched();
      await panel.clock.advance(SECOND);
      assert.deepEqual(service.power(), AWAKE);
      await panel.clock.advance(5 * MINUTE);
      assert.deepEqual(panel.calls, ['dark', 'suspend', 'bright', 'dark', 'suspend']);
    });

    test('should wait for five minutes after a touch even when it was about to suspend again', async () => {
      const service = await panel.running();
      await panel.clock.advanceTo(OFF);
      await panel.suspended(HOUR);
      await panel.clock.advance(4 * MINUTE);
      service.touched();
      await panel.clock.advance(5 * MINUTE - 1);
      assert.deepEqual(service.power(), AWAKE);
      await panel.clock.advance(1);
      assert.deepEqual(panel.calls, ['dark', 'suspend', 'bright', 'dark', 'suspend']);
    });

    test('should never suspend on an alarm that it has not read back', async () => {
      await panel.running();
      panel.rtc.failsToArm = errnoError('EINVAL', 'test');
      panel.rtc.alarm = null;
      await panel.clock.advanceTo(OFF);
      assert.deepEqual(panel.calls, ['dark']);
    });

    test('should never suspend on the alarm of a simulated clock', async () => {
      const service = panel.service(new SimulatedRtc(() => panel.clock.wall()));
      await service.start();
      await service.setAlarm(alarm(), context);
      await panel.clock.advanceTo(OFF);
      assert.deepEqual(panel.calls, ['dark']);
    });

    test('should not suspend so shortly before the wake time that the alarm could be missed', async () => {
      const service = await panel.running({ onTime: '22:01' });
      await panel.clock.advanceTo('2026-07-01T22:00:30+02:00');
      assert.deepEqual(panel.calls, ['dark']);
      await panel.clock.advance(MINUTE);
      assert.deepEqual(service.power(), AWAKE);
    });

    test('should wake by its timer when the system refuses to suspend', async () => {
      await panel.running();
      panel.suspendFails = errnoError('EACCES', 'test');
      await panel.clock.advanceTo(ON);
      assert.deepEqual(panel.powerEvents(), [ASLEEP, AWAKE]);
      assert.deepEqual(panel.calls, ['dark', 'bright']);
    });

    test('should wake by its timer when the system agreed but did not suspend', async () => {
      await panel.running();
      await panel.clock.advanceTo(ON);
      assert.deepEqual(panel.calls, ['dark', 'suspend', 'bright']);
    });
  });

  describe('when the clock is set', () => {
    test('should wake at once when it is set to the waking time', async () => {
      const service = await panel.running();
      await panel.clock.advanceTo(NIGHT);
      panel.clock.jump(10 * HOUR);
      await panel.clock.advance(MINUTE);
      assert.deepEqual(service.power(), AWAKE);
      assert.equal(panel.rtc.alarm, Date.parse('2026-07-03T07:00:00+02:00'));
    });

    test('should wake at once when it is set back to the waking time', async () => {
      const service = await panel.running();
      await panel.clock.advanceTo(NIGHT);
      panel.clock.jump(-2 * HOUR);
      await panel.clock.advance(MINUTE);
      assert.deepEqual(service.power(), AWAKE);
      await panel.clock.advanceTo(OFF);
      assert.deepEqual(service.power(), ASLEEP);
    });

    test('should wait for five minutes without a touch when it is set into the sleep time', async () => {
      const service = await panel.running();
      panel.clock.jump(11 * HOUR);
      await panel.clock.advance(MINUTE);
      assert.deepEqual(service.power(), AWAKE);
      await panel.clock.advance(5 * MINUTE);
      assert.deepEqual(service.power(), ASLEEP);
    });

    test('should set the wake alarm again', async () => {
      await panel.running();
      panel.clock.jump(-3 * HOUR);
      // The real-time clock goes by its own time and knows nothing of the jump.
      panel.rtc.alarm = (panel.rtc.alarm ?? 0) - 3 * HOUR;
      await panel.clock.advance(MINUTE);
      assert.equal(panel.rtc.alarm, Date.parse(ON));
    });

    test('should keep its edges when it is corrected by a second', async () => {
      const service = await panel.running();
      panel.clock.jump(SECOND);
      await panel.clock.advanceTo(OFF);
      assert.deepEqual(service.power(), ASLEEP);
    });
  });

  describe('with faults', () => {
    test('should follow the schedule even if the display fails', async () => {
      await panel.running();
      panel.displayFault = async () => assert.fail('the display is gone');
      await panel.clock.advanceTo(ON);
      assert.deepEqual(panel.powerEvents(), [ASLEEP, AWAKE]);
    });

    test('should follow the schedule even if the display never answers', async () => {
      const service = await panel.running();
      panel.displayFault = () => new Promise(() => {});
      await panel.clock.advanceTo(OFF);
      await panel.clock.advance(10 * SECOND);
      assert.deepEqual(panel.powerEvents(), [ASLEEP]);
      service.touched();
      await panel.clock.advance(10 * SECOND);
      assert.deepEqual(panel.powerEvents(), [ASLEEP, AWAKE]);
    });

    test('should follow the schedule even if the real-time clock has failed', async () => {
      panel.canSuspend = true;
      await panel.running();
      panel.rtc.fails = errnoError('EIO', 'test');
      await panel.clock.advanceTo(ON);
      assert.deepEqual(panel.powerEvents(), [ASLEEP, AWAKE]);
      assert.deepEqual(panel.calls, ['dark', 'bright']);
    });

    test('should switch the display on when it is stopped while it sleeps', async () => {
      const service = await panel.running();
      await panel.clock.advanceTo(NIGHT);
      await service.stop();
      assert.deepEqual(panel.calls, ['dark', 'bright']);
      assert.equal(panel.rtc.alarm, Date.parse(ON));
    });
  });
});
