import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CallQueue } from './callQueue.ts';

const never = new AbortController().signal;
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

test('should run calls one after the other, in the order they came', async () => {
  const queue = new CallQueue();
  const steps: string[] = [];
  const call = (name: string) =>
    queue.run(never, async () => {
      steps.push(`${name} begins`);
      await turn();
      steps.push(`${name} ends`);
      return name;
    });
  assert.deepEqual(await Promise.all([call('a'), call('b')]), ['a', 'b']);
  assert.deepEqual(steps, ['a begins', 'a ends', 'b begins', 'b ends']);
});

test('should go on after a call that failed', async () => {
  const queue = new CallQueue();
  const failing = queue.run(never, async () => {
    throw new Error('broken');
  });
  const next = queue.run(never, async () => 'fine');
  await assert.rejects(failing, /broken/);
  assert.equal(await next, 'fine');
});

test('should never run a call whose signal aborted while it waited', async () => {
  const queue = new CallQueue();
  const caller = new AbortController();
  let ran = false;
  const first = queue.run(never, turn);
  const second = queue.run(caller.signal, async () => {
    ran = true;
  });
  caller.abort(new Error('gone'));
  await assert.rejects(second, /gone/);
  await first;
  await queue.idle();
  assert.equal(ran, false);
});

test('should free the caller at once, but keep the turn of work that still runs', async () => {
  const queue = new CallQueue();
  const caller = new AbortController();
  let finish = (): void => undefined;
  const first = queue.run(caller.signal, () => new Promise<void>((resolve) => (finish = resolve)));
  let nextRan = false;
  const next = queue.run(never, async () => {
    nextRan = true;
  });
  await turn();
  caller.abort(new Error('gone'));
  await assert.rejects(first, /gone/);
  await turn();
  assert.equal(nextRan, false);
  finish();
  await next;
  assert.equal(nextRan, true);
});
