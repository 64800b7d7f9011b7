import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { windowAt } from './window.ts';

const at = (day: number, hours: number, minutes = 0) => new Date(2026, 4, day, hours, minutes).getTime();

describe('the window of a setting', () => {
  test('should be the one that a moment lies in, else the next one', () => {
    const night = { from: at(5, 2), to: at(5, 4) };
    assert.deepEqual(windowAt('02:00-04:00', at(4, 12)), night);
    assert.deepEqual(windowAt('02:00-04:00', at(5, 2)), night);
    assert.deepEqual(windowAt('02:00-04:00', at(5, 3, 59)), night);
    assert.deepEqual(windowAt('02:00-04:00', at(5, 4)), { from: at(6, 2), to: at(6, 4) });
  });

  test('should pass midnight', () => {
    const night = { from: at(4, 22, 30), to: at(5, 2) };
    assert.deepEqual(windowAt('22:30-02:00', at(4, 12)), night);
    assert.deepEqual(windowAt('22:30-02:00', at(5, 1, 59)), night);
    assert.deepEqual(windowAt('22:30-02:00', at(5, 2)), { from: at(5, 22, 30), to: at(6, 2) });
  });
});
