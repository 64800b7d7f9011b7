import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { expectedSeconds, minutes, readProgress, secondsLeft } from './testProgress.mjs';

describe('how far a run of tests is', () => {
  it('should expect of a step what its longest stage takes, and add the steps up', () => {
    const check = { step: 1, seconds: 45 };
    assert.equal(expectedSeconds([check, { step: 1, seconds: 300 }, { step: 3, seconds: 60 }]), 360);
    assert.equal(expectedSeconds([{ step: 6 }]), 0);
  });

  it('should read what has ended, and how many there are', () => {
    assert.deepEqual(readProgress(''), { done: 0 });
    assert.deepEqual(readProgress('total 12\n.\n.\n'), { done: 2, total: 12 });
  });

  it('should go by the speed of this machine once enough is done', () => {
    const stage = { seconds: 100 };
    assert.equal(secondsLeft(stage, { done: 1, total: 100, elapsed: 30 }), 70);
    assert.equal(secondsLeft(stage, { done: 0, total: 100, elapsed: 130 }), 0);
    assert.equal(secondsLeft(stage, { done: 25, total: 100, elapsed: 60 }), 180);
    assert.equal(secondsLeft(stage, { done: 100, total: 100, elapsed: 60 }), 0);
  });

  it('should tell minutes', () => {
    assert.equal(minutes(10), 'about 1 minute');
    assert.equal(minutes(500), 'about 8 minutes');
  });
});
