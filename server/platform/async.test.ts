import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settled } from '../testing/fakeClock.ts';
import { CallQueue, InTurn } from './async.ts';

test('should run one piece of work at a time, in the order they came', async () => {
  const turns = new InTurn();
  const first = Promise.withResolvers<string>();
  const ran: string[] = [];
  const one = turns.run(() => first.promise);
  const two = turns.run(() => {
    ran.push('two');
    return 2;
  });
  await settled();
  assert.deepEqual(ran, []);
  first.resolve('one');
  assert.deepEqual(await Promise.all([one, two]), ['one', 2]);
});

test('security: should go on after work that failed, and reject nothing that nobody hears', async () => {
  const turns = new InTurn();
  const fail = () => {
    throw new Error('EMFILE');
  };
  await assert.rejects(turns.run(fail), /EMFILE/);
  const failures: unknown[] = [];
  await turns.follow(fail, (error) => failures.push(error));
  await turns.follow(
    () => Promise.reject(new Error('ENFILE')),
    (error) => failures.push(error),
  );
  assert.deepEqual(failures.map(String), ['Error: EMFILE', 'Error: ENFILE']);
  assert.equal(await turns.run(() => 'went on'), 'went on');
  turns.run(fail).catch(() => {});
  await turns.idle();
});

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
