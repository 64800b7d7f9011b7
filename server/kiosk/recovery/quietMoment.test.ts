import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { FakeClock } from '../../testing/fakeClock.ts';
import { QuietMoment } from './quietMoment.ts';

describe('the quiet moment', () => {
  let clock: FakeClock;
  let hour: number;
  let isAsleep: boolean;
  let isInCall: () => Promise<boolean>;
  let quiet: QuietMoment;
  beforeEach(() => {
    clock = new FakeClock();
    hour = 12;
    isAsleep = false;
    isInCall = async () => false;
    quiet = new QuietMoment({
      clock,
      date: () => new Date(2026, 0, 1, hour, 30),
      quietHour: () => 3,
      isAsleep: () => isAsleep,
      isInCall: () => isInCall(),
    });
  });

  test('should be the quiet hour, five minutes after the last touch', async () => {
    assert.equal(await quiet.isNow(), false);
    hour = 3;
    assert.equal(await quiet.isNow(), true);
    quiet.touched();
    await clock.advance(299_999);
    assert.equal(await quiet.isNow(), false);
    await clock.advance(1);
    assert.equal(await quiet.isNow(), true);
  });

  test('should be any hour in which the panel sleeps, also just after a touch', async () => {
    isAsleep = true;
    quiet.touched();
    assert.equal(await quiet.isNow(), true);
  });

  test('should not be while there is a call, nor where nobody can say', async () => {
    isAsleep = true;
    isInCall = async () => true;
    assert.equal(await quiet.isNow(), false);
    isInCall = () => Promise.reject(new Error('not known'));
    assert.equal(await quiet.isNow(), false);
  });
});
