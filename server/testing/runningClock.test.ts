import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RunningClock } from './runningClock.ts';

function clock() {
  const time = { wall: 1_000, computed: 400 };
  const running = new RunningClock({ wall: () => time.wall, computed: () => time.computed });
  const after = (wall: number, computed: number) => {
    time.wall += wall;
    time.computed += computed;
    return running.now();
  };
  return after;
}

test('should go as time does while the process runs or waits', () => {
  const after = clock();
  assert.equal(after(10, 1), 10);
  assert.equal(after(25, 0), 35);
});

test('should stand still while the machine gives the process no core', () => {
  const after = clock();
  assert.equal(after(2_000, 3), 30);
  assert.equal(after(10, 1), 40);
});

test('should go on while the process itself holds the loop', () => {
  const after = clock();
  assert.equal(after(2_000, 1_900), 1_900);
});
