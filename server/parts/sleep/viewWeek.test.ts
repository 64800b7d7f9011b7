import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { awakeSpans } from './viewWeek.ts';

describe('the week of the sleep schedule', () => {
  it('should be awake from waking to sleeping on every day', () => {
    const day = [{ from: 420, to: 1_320 }];
    assert.deepEqual(
      awakeSpans({ onTime: '07:00', offTime: '22:00', onDays: [] }),
      Array.from({ length: 7 }, () => day),
    );
  });

  it('should sleep through days on which it does not wake', () => {
    const week = awakeSpans({ onTime: '07:00', offTime: '22:00', onDays: [1, 2] });
    assert.deepEqual(week[0], []);
    assert.deepEqual(week[1], [{ from: 420, to: 1_320 }]);
    assert.deepEqual(week[3], []);
  });

  it('should go on over midnight, and over the end of the week', () => {
    const week = awakeSpans({ onTime: '18:30', offTime: '00:30', onDays: [5, 6] });
    assert.deepEqual(week[5], [{ from: 1_110, to: 1_440 }]);
    assert.deepEqual(week[6], [
      { from: 0, to: 30 },
      { from: 1_110, to: 1_440 },
    ]);
    assert.deepEqual(week[0], [{ from: 0, to: 30 }]);
    assert.deepEqual(week[1], []);
  });
});
