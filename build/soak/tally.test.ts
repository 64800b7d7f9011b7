import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Tally } from './tally.ts';

function tally(done: number, ...failures: Error[]): Tally {
  const made = new Tally('page loads');
  for (let n = 0; n < done; n++) made.hasDone(1000 * (n + 1));
  for (const failure of failures) made.hasMissed(failure);
  return made;
}
const failures = (count: number) => Array.from({ length: count }, () => new Error('no answer'));

test('should take work that was never done, and work that failed too often, for a failure', () => {
  assert.equal(tally(0).hasFailed, true);
  assert.equal(tally(12).hasFailed, false);
  assert.equal(tally(12, ...failures(2)).hasFailed, true);
  assert.equal(tally(100, ...failures(5)).hasFailed, false);
  assert.equal(tally(100, ...failures(6)).hasFailed, true);
});

test('should not take the one failure of a short run for too many', () => {
  assert.equal(tally(3, ...failures(1)).hasFailed, false);
});

test('should say how long it took, and count reasons that differ in numbers alone as one', () => {
  const reasons = [
    new Error('no picture in 500 ms'),
    new Error('refused'),
    new Error('no picture in 700 ms'),
  ];
  assert.deepEqual(tally(3, ...reasons).lines(), [
    '  page loads: 3 done, median 2.0 s, longest 3.0 s, 3 failed: TOO MANY',
    '    2 x no picture in N ms',
    '    1 x refused',
  ]);
});

test('should tell eight reasons apart, and no more', () => {
  const reasons = [...'abcdefghijkl'].map((letter) => new Error(letter));
  const lines = tally(1, ...reasons).lines();
  assert.equal(lines.length, 10);
  assert.ok(lines.includes('    4 x other reasons'));
});
