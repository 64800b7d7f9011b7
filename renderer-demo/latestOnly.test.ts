import assert from 'node:assert/strict';
import { it } from 'node:test';
import { latestOnly } from './latestOnly.ts';

function newProbe() {
  const started: number[] = [];
  const finish: (() => void)[] = [];
  const offer = latestOnly((value: number) => {
    started.push(value);
    const { promise, resolve } = Promise.withResolvers<void>();
    finish.push(resolve);
    return promise;
  });
  /** Ends the running call, and lets the next one begin. */
  const finishOne = async () => {
    finish.shift()!();
    await new Promise(setImmediate);
  };
  return { offer, started, finishOne };
}

it('should run one call at a time, and only the newest of those that wait', async () => {
  const { offer, started, finishOne } = newProbe();
  offer(1);
  offer(2);
  offer(3);
  assert.deepEqual(started, [1]);
  await finishOne();
  assert.deepEqual(started, [1, 3]);
});

it('should be busy until the last call has ended, then run the next one at once', async () => {
  const { offer, started, finishOne } = newProbe();
  assert.equal(offer.isBusy, false);
  offer(1);
  assert.equal(offer.isWaiting, false);
  offer(2);
  assert.equal(offer.isWaiting, true);
  await finishOne();
  assert.deepEqual([offer.isBusy, offer.isWaiting], [true, false]);
  await finishOne();
  assert.equal(offer.isBusy, false);
  offer(3);
  assert.deepEqual(started, [1, 2, 3]);
});
