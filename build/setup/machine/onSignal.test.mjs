import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onSignal } from './onSignal.mjs';

test('should count a signal that comes several times within a moment once, and a later one again', () => {
  let at = 0;
  let count = 0;
  const stop = onSignal(
    ['SIGCONT'],
    () => count++,
    () => at,
  );
  for (const time of [0, 1, 300, 900, 901]) {
    at = time;
    process.emit('SIGCONT');
  }
  assert.equal(count, 2);
  stop();
  assert.equal(process.listenerCount('SIGCONT'), 0);
});
