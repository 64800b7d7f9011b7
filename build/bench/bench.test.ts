import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Bench, median, runBench } from './bench.ts';

function benchOf(rounds: readonly { ours: number; theirs: number }[], log: string[] = []): Bench {
  return {
    name: 'sample',
    about: 'ours against theirs',
    rows: [{ key: 'ours', label: 'our calls', unit: '/s' }],
    ratios: [{ label: 'ours to theirs', of: 'ours', by: 'theirs', goal: { atLeast: 0.5 } }],
    setUp: async () => {
      const left = [...rounds];
      return {
        round: async () => left.shift() ?? Promise.reject(new Error('no more rounds')),
        tearDown: async () => void log.push('ended'),
      };
    },
  };
}

describe('bench frame', () => {
  it('should take the middle value, or the mean of the two in the middle', () => {
    assert.equal(median([9, 1, 5]), 5);
    assert.equal(median([4, 1, 2, 9]), 3);
  });

  it('should compare the median of a row with its goal', async () => {
    const judge = (atMost: number) => {
      const rows = [{ key: 'ours', label: 'our calls', unit: 'ms', goal: { atMost } }];
      return runBench({ ...benchOf([{ ours: 7, theirs: 1 }]), rows, ratios: [] }, 1);
    };
    assert.equal((await judge(7)).met, true);
    const missed = await judge(6);
    assert.equal(missed.met, false);
    assert.match(missed.lines.join('\n'), /goal: at most 6: MISSED/);
  });

  it('should take ratios within a round and compare their median with the goal', async () => {
    const good = await runBench(
      benchOf([
        { ours: 60, theirs: 100 },
        { ours: 6, theirs: 10 },
        { ours: 1, theirs: 100 },
      ]),
      3,
    );
    assert.equal(good.met, true);
    assert.match(good.lines.join('\n'), /our calls +6 .*\(60, 6, 1\)/);
    assert.match(good.lines.join('\n'), /0\.6 x +\(.*\) +goal: at least 0\.5: met/);
    const bad = await runBench(benchOf([{ ours: 4, theirs: 10 }]), 1);
    assert.equal(bad.met, false);
    assert.match(bad.lines.join('\n'), /MISSED/);
  });

  it('should tear down a bench when a round fails', async () => {
    const log: string[] = [];
    await assert.rejects(runBench(benchOf([], log), 1), /no more rounds/);
    assert.deepEqual(log, ['ended']);
  });
});
