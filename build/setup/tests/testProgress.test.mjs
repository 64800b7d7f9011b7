import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { expectedSeconds, minutes, progressLine, readProgress, secondsLeft } from './testProgress.mjs';

describe('how far a run of tests is', () => {
  it('should add up the stages of a lane, and expect of all lanes what the longest takes', () => {
    const code = { lane: 'code', seconds: 300 };
    assert.equal(
      expectedSeconds([code, { lane: 'screens', seconds: 45 }, { lane: 'screens', seconds: 60 }]),
      300,
    );
    assert.equal(
      expectedSeconds([{ lane: 'screens', seconds: 250 }, code, { lane: 'screens', seconds: 60 }]),
      310,
    );
    assert.equal(expectedSeconds([{ lane: 'screens' }]), 0);
  });

  it('should say in one line how far each stage is, and how long the longest lane still takes', () => {
    const unit = { name: 'unit', lane: 'code', seconds: 300 };
    const check = { name: 'check', lane: 'screens', seconds: 60 };
    const bare = { name: 'bare', lane: 'screens', seconds: 120 };
    const e2e = { name: 'e2e', lane: 'screens', seconds: 240 };
    const lanes = [[unit], [check, bare, e2e]];
    const unitAt = { done: 100, total: 400, elapsed: 60 };
    const atCheck = new Map([
      [unit, unitAt],
      [check, { done: 0, total: 0, elapsed: 30 }],
    ]);
    assert.equal(progressLine(lanes, atCheck, new Set()), '[unit: 100 of 400, about 7 minutes left]');
    const atBare = new Map([
      [unit, unitAt],
      [bare, { done: 6, total: 12, elapsed: 60 }],
    ]);
    assert.equal(
      progressLine(lanes, atBare, new Set([check])),
      '[unit: 100 of 400, bare: 6 of 12, about 5 minutes left]',
    );
    const last = new Map([[unit, { done: 200, total: 400, elapsed: 240 }]]);
    assert.equal(
      progressLine(lanes, last, new Set([check, bare, e2e])),
      '[unit: 200 of 400, about 4 minutes left]',
    );
    assert.equal(progressLine(lanes, new Map([[check, { done: 0, total: 0, elapsed: 30 }]]), new Set()), '');
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
