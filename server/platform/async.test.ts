import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FakeClock, settled } from '../testing/fakeClock.ts';
import { CallQueue, GrowingLimit, InTurn, retry, withTimeLimit } from './async.ts';

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

describe('GrowingLimit', () => {
  test('should double with each try that is cut off, up to sixteen times its first length', () => {
    const limit = new GrowingLimit(20_000);
    const limits = Array.from({ length: 7 }, () => {
      const { ms } = limit;
      limit.missed();
      return ms / 1_000;
    });
    assert.deepEqual(limits, [20, 40, 80, 160, 320, 320, 320]);
  });

  test('should keep what a slow try needed, and go back to its first length after a quick one', () => {
    const limit = new GrowingLimit(1_000);
    limit.missed();
    limit.missed();
    limit.met(1_001);
    assert.equal(limit.ms, 4_000);
    limit.met(1_000);
    assert.equal(limit.ms, 1_000);
  });

  test('should grow until a late answer is in time', async () => {
    const clock = new FakeClock();
    const limit = new GrowingLimit(1_000);
    const slow = () => new Promise<string>((resolve) => clock.after(3_500, () => resolve('late')));
    const answers: (string | undefined)[] = [];
    for (let attempt = 0; attempt < 4; attempt++) {
      const answer = withTimeLimit(clock, limit, slow());
      await clock.advance(4_000);
      answers.push(await answer);
    }
    assert.deepEqual(answers, [undefined, undefined, 'late', 'late']);
    const quick = withTimeLimit(clock, limit, Promise.resolve('at once'));
    assert.equal(await quick, 'at once');
    assert.equal(limit.ms, 1_000);
    await clock.advance(4_000);
    assert.equal(clock.pending, 0);
  });
});

describe('retry', () => {
  const clock = new FakeClock();
  const limit = new GrowingLimit(2_500);

  test('should ask until the browser obeys', async () => {
    let asked = 0;
    const answer = retry(
      clock,
      async () => {
        if (++asked < 3) throw new Error('Not attached to an active page');
        return { data: 'done' };
      },
      'no answer',
      limit,
    );
    for (let pause = 1; pause <= 2; pause++) await clock.advance(300);
    assert.deepEqual(await answer, { data: 'done' });
    assert.deepEqual([asked, clock.pending], [3, 0]);
  });

  test('should give up after five refusals, with the words of the last one', async () => {
    let asked = 0;
    const refused = assert.rejects(
      retry(clock, () => Promise.reject(new Error(`refusal ${++asked}`)), 'no answer', limit),
      /refusal 5/,
    );
    for (let pause = 1; pause <= 4; pause++) await clock.advance(300);
    await refused;
    assert.deepEqual([asked, clock.pending], [5, 0]);
  });

  test('should treat an unanswered call as lost, and say so in the end', async () => {
    let asked = 0;
    const ask = () => {
      asked++;
      return new Promise<object>(() => {});
    };
    const silent = assert.rejects(retry(clock, ask, 'no answer', limit), /no answer/);
    await clock.advance(2_400);
    assert.equal(asked, 1);
    for (let attempt = 1; attempt <= 5; attempt++) await clock.advance(2_800);
    await silent;
    assert.deepEqual([asked, clock.pending], [5, 0]);
  });

  test('should wait longer for each answer after a call whose attempts all went unanswered', async () => {
    const slow = new GrowingLimit(2_500);
    const ask = () => new Promise<object>((resolve) => clock.after(4_000, () => resolve({ data: 'late' })));
    const tries = [retry(clock, ask, 'no answer', slow).catch((error: Error) => error.message)];
    await clock.advance(20_000);
    tries.push(retry(clock, ask, 'no answer', slow).catch((error: Error) => error.message));
    await clock.advance(20_000);
    assert.deepEqual(await Promise.all(tries), ['no answer', { data: 'late' }]);
  });
});
