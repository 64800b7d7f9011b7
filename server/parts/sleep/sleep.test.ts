import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import fc from 'fast-check';
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
  TestPanel,
} from '../testing/sleepPanel.ts';
import { type Schedule, shouldBeAwake } from './scheduleKeeper.ts';

describe('sleep and wake', () => {
  let panel: TestPanel;
  beforeEach(async () => {
    panel = await TestPanel.at(NOON);
  });
  afterEach(() => panel.close());

  describe('by the schedule', () => {
    test('should darken the display at the edge, to the second, and light it up again', async () => {
      const service = await panel.running();
      await panel.clock.advance(Date.parse(OFF) - panel.clock.wall() - 1);
      assert.deepEqual(service.power(), AWAKE);
      await panel.clock.advance(1);
      assert.deepEqual(service.power(), ASLEEP);
      assert.deepEqual(panel.calls, ['dark']);
      await panel.clock.advance(Date.parse(ON) - panel.clock.wall() - 1);
      assert.deepEqual(panel.powerEvents(), [ASLEEP]);
      await panel.clock.advance(1);
      assert.deepEqual(panel.powerEvents(), [ASLEEP, AWAKE]);
      assert.deepEqual(panel.calls, ['dark', 'bright']);
    });

    test('should sleep through the days that are not listed', async () => {
      const service = await panel.running({ onDays: [1, 2, 3, 4, 5] });
      await panel.clock.advanceTo('2026-07-03T22:00:00+02:00');
      panel.forget();
      await panel.clock.advanceTo('2026-07-06T06:59:59+02:00');
      assert.deepEqual(panel.events, []);
      assert.deepEqual(service.power(), ASLEEP);
      await panel.clock.advanceTo('2026-07-06T07:00:00+02:00');
      assert.deepEqual(service.power(), AWAKE);
    });

    test('should follow the schedule all the time, over both changes of the clocks', async () => {
      const times = fc
        .integer({ min: 0, max: 1439 })
        .map(
          (minute) =>
            `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`,
        );
      const plans: fc.Arbitrary<Schedule> = fc
        .record({
          enabled: fc.constant(true),
          onTime: times,
          offTime: times,
          onDays: fc.uniqueArray(fc.integer({ min: 0, max: 6 })),
        })
        .filter(({ onTime, offTime }) => onTime !== offTime);
      const starts = fc.constantFrom('2026-03-27T12:34:56Z', '2026-10-23T00:00:00Z', '2026-12-30T23:59:59Z');
      await fc.assert(
        fc.asyncProperty(plans, starts, async (plan, start) => {
          const walked = await TestPanel.at(start);
          try {
            const service = await walked.running(plan);
            // Time for the wait for a touch, if the start is in the sleep time.
            await walked.clock.advance(6 * MINUTE);
            for (let minute = 0; minute < 4 * 1440; minute += 7) {
              await walked.clock.advance(7 * MINUTE);
              const expected = shouldBeAwake(plan, walked.clock.wall()) ? AWAKE : ASLEEP;
              assert.deepEqual(service.power(), expected, new Date(walked.clock.wall()).toString());
            }
          } finally {
            await walked.close();
          }
        }),
        { numRuns: 4, endOnFailure: true },
      );
    });
  });

  describe('in the sleep time', () => {
    test('should sleep after five minutes without a touch when it is started in that time', async () => {
      const before = await panel.running();
      await before.stop();
      await panel.clock.advanceTo(NIGHT);
      const service = panel.service();
      await service.start();
      assert.deepEqual(service.power(), AWAKE);
      await panel.clock.advance(5 * MINUTE - 1);
      assert.deepEqual(service.power(), AWAKE);
      await panel.clock.advance(1);
      assert.deepEqual(service.power(), ASLEEP);
    });

    test('should wait for five minutes without a touch, however long that takes', async () => {
      const before = await panel.running();
      await before.stop();
      await panel.clock.advanceTo(NIGHT);
      const service = panel.service();
      await service.start();
      for (let touch = 0; touch < 10; touch++) {
        await panel.clock.advance(4 * MINUTE);
        service.touched();
      }
      await panel.clock.advance(5 * MINUTE - 1);
      assert.deepEqual(service.power(), AWAKE);
      await panel.clock.advance(1);
      assert.deepEqual(service.power(), ASLEEP);
    });

    test('should wake at a touch until five minutes pass without one', async () => {
      const service = await panel.running();
      await panel.clock.advanceTo(NIGHT);
      panel.forget();
      service.touched();
      service.touched();
      await panel.clock.advance(0);
      assert.deepEqual(panel.powerEvents(), [AWAKE]);
      assert.deepEqual(panel.calls, ['bright']);
      await panel.clock.advance(4 * MINUTE);
      service.touched();
      await panel.clock.advance(5 * MINUTE - 1);
      assert.deepEqual(panel.powerEvents(), [AWAKE]);
      await panel.clock.advance(1);
      assert.deepEqual(panel.powerEvents(), [AWAKE, ASLEEP]);
    });

    test('should stay awake when the time of waking comes while it waits for a touch', async () => {
      const service = await panel.running();
      await panel.clock.advanceTo('2026-07-02T06:58:00+02:00');
      service.touched();
      await panel.clock.advance(HOUR);
      assert.deepEqual(service.power(), AWAKE);
      assert.deepEqual(panel.powerEvents(), [ASLEEP, AWAKE]);
    });

    test('should sleep at the edge even while the panel is being touched', async () => {
      const service = await panel.running();
      await panel.clock.advance(Date.parse(OFF) - panel.clock.wall() - 1);
      service.touched();
      await panel.clock.advance(1);
      assert.deepEqual(service.power(), ASLEEP);
    });

    test('should ignore touches while it is awake by its schedule', async () => {
      const service = await panel.running();
      const pending = panel.clock.pending;
      for (let touch = 0; touch < 1000; touch++) service.touched();
      assert.equal(panel.clock.pending, pending);
      await panel.clock.advance(HOUR);
      assert.deepEqual(panel.events, []);
    });
  });

  describe('with a new schedule', () => {
    test('should wake at once if the new one says so, or is switched off', async () => {
      const service = await panel.running();
      for (const plan of [alarm({ offTime: '23:30' }), alarm({ enabled: false })]) {
        await service.setAlarm(alarm(), context);
        panel.clock.jump(Date.parse(NIGHT) - panel.clock.wall());
        await panel.clock.advance(7 * MINUTE);
        assert.deepEqual(service.power(), ASLEEP);
        await service.setAlarm(plan, context);
        assert.deepEqual(service.power(), AWAKE);
      }
    });

    test('should wait for five minutes without a touch if now becomes sleep time', async () => {
      const service = await panel.running();
      await service.setAlarm(alarm({ offTime: '11:00' }), context);
      assert.deepEqual(service.power(), AWAKE);
      await panel.clock.advance(5 * MINUTE);
      assert.deepEqual(service.power(), ASLEEP);
    });

    test('should stay asleep if it is still sleep time', async () => {
      const service = await panel.running();
      await panel.clock.advanceTo(NIGHT);
      panel.forget();
      await service.setAlarm(alarm({ onTime: '05:00' }), context);
      assert.deepEqual(panel.calls, []);
      await panel.clock.advanceTo('2026-07-02T05:00:00+02:00');
      assert.deepEqual(panel.powerEvents(), [AWAKE]);
    });
  });
});
