import assert from 'node:assert/strict';
import { test } from 'node:test';
import { doOnce, doWork, type Work } from './doWork.ts';

/** Work whose steps are written down; it ends the run after some turns. */
function work(turns: number, fails: (step: string, turn: number) => boolean) {
  const ended = new AbortController();
  const did: string[] = [];
  const step = (name: string, isNeeded = false) => ({
    name,
    isNeeded,
    do: async (turn: number) => {
      did.push(`${name}${turn}`);
      if (name === 'last' && turn === turns - 1) ended.abort();
      if (fails(name, turn)) throw new Error('broken');
    },
  });
  const works: Work[] = [
    { pauseMs: 0, steps: [step('load', true), step('view'), step('view'), step('last')] },
  ];
  return { works, did, signal: ended.signal };
}

test('should count steps of one name together, and go on behind one that failed', async () => {
  const { works, signal } = work(3, (name, turn) => name === 'view' && turn === 1);
  const tallies = await doWork(works, signal);
  assert.deepEqual(
    tallies.map(({ name, done, failed }) => [name, done, failed]),
    [
      ['load', 3, 0],
      ['view', 4, 2],
      ['last', 3, 0],
    ],
  );
});

test('should not try what is behind a step that is needed and failed', async () => {
  const { works, did, signal } = work(3, (name, turn) => name === 'load' && turn === 0);
  const [load, view] = await doWork(works, signal);
  assert.deepEqual([load!.failed, load!.done, view!.done], [1, 2, 4]);
  assert.equal(did[1], 'load1');
});

test('should not count as failed what the end itself cut off', async () => {
  const { works, signal } = work(1, (name) => name === 'last');
  const tallies = await doWork(works, signal);
  assert.equal(tallies.at(-1)!.failed, 0);
});

test('should do everything once, also where something fails', async () => {
  const { works, did } = work(5, () => true);
  await doOnce(works);
  assert.deepEqual(did, ['load0', 'view0', 'view0', 'last0']);
});
