import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FakeClock } from '../testing/fakeClock.ts';
import { RateLimit, StrangerBudget, StrangersLog, WrongTries } from './limits.ts';
import { createLogger } from './log.ts';

describe('a limit in windows of time', () => {
  test('should let so many pass in each window', async () => {
    const clock = new FakeClock();
    const rate = new RateLimit({ clock, limit: 2, windowMs: 100 });
    const three = () => [rate.take(), rate.take(), rate.take()];
    assert.deepEqual(three(), [true, true, false]);
    await clock.advance(99);
    assert.deepEqual(three(), [false, false, false]);
    await clock.advance(1);
    assert.deepEqual(three(), [true, true, false]);
    assert.equal(clock.pending, 0);
  });

  test('should tell at the end of a window how many did not pass, and nothing where all did', async () => {
    const clock = new FakeClock();
    const dropped: number[] = [];
    const rate = new RateLimit({ clock, limit: 2, windowMs: 100, onDropped: (count) => dropped.push(count) });
    rate.take();
    await clock.advance(50);
    for (let i = 0; i < 5; i++) rate.take();
    await clock.advance(49);
    assert.deepEqual(dropped, []);
    await clock.advance(1);
    assert.deepEqual(dropped, [4]);
    rate.take();
    await clock.advance(1_000);
    assert.deepEqual(dropped, [4]);
  });

  test('should tell it even when the timer is late, and only once', () => {
    const clock = new FakeClock();
    const dropped: number[] = [];
    const rate = new RateLimit({ clock, limit: 1, windowMs: 100, onDropped: (count) => dropped.push(count) });
    for (let i = 0; i < 3; i++) rate.take();
    clock.stall(1_000);
    assert.equal(rate.take(), true);
    assert.deepEqual(dropped, [2]);
    assert.equal(clock.pending, 0);
  });
});

test('security: should remember 10,000 addresses, and forget those that guessed longest ago', () => {
  const tries = new WrongTries(2, () => 0);
  for (let i = 0; i < 2; i++) tries.note('first');
  assert.ok(tries.isBlocked('first'));
  for (let i = 1; i < 10_000; i++) tries.note(`address ${i}`);
  assert.ok(tries.isBlocked('first'));
  tries.note('one more');
  assert.ok(!tries.isBlocked('first'));
});

test('security: should count the addresses of one IPv6 /64 as one caller', () => {
  const tries = new WrongTries(5, () => 0);
  for (let i = 1; i <= 5; i++) tries.note(`2001:db8:1:2::${i}`);
  assert.ok(tries.isBlocked('2001:db8:1:2:ffff::1'));
  assert.ok(tries.note('2001:db8:1:2:aaaa:bbbb:cccc:dddd'));
  assert.ok(!tries.isBlocked('2001:db8:1:3::1'));
  for (let i = 1; i <= 5; i++) tries.note('::ffff:192.0.2.7');
  assert.ok(tries.isBlocked('192.0.2.7'));
  assert.ok(!tries.isBlocked('192.0.2.8'));
});

const MINUTE_MS = 60_000;

describe('what strangers may have written', () => {
  const passed = (budget: StrangerBudget, from: string, times: number) =>
    Array.from({ length: times }, () => budget.take(from)).filter(Boolean).length;

  test('security: should be 10 in a minute for an address, 30 in all, and the rest is counted', async () => {
    const clock = new FakeClock();
    const ended: number[] = [];
    const budget = new StrangerBudget(clock, (dropped) => ended.push(dropped));
    assert.equal(passed(budget, '192.0.2.1', 50), 10);
    await clock.advance(MINUTE_MS - 1);
    assert.deepEqual(
      [2, 3, 4, 5].map((host) => passed(budget, `192.0.2.${host}`, 50)),
      [10, 10, 0, 0],
    );
    assert.deepEqual(ended, []);
    await clock.advance(1);
    assert.deepEqual(ended, [250 - 30]);
    assert.equal(passed(budget, '192.0.2.1', 7), 7);
    await clock.advance(MINUTE_MS);
    assert.deepEqual(ended, [220, 0]);
    assert.equal(clock.pending, 0);
    // Nobody came.
    budget.end();
    assert.deepEqual(ended, [220, 0]);
  });

  test('security: should count a /64 of IPv6 as one address, in any spelling', () => {
    const budget = new StrangerBudget(new FakeClock(), () => {});
    const spellings = ['2001:db8:0:1::1', '2001:DB8::1:ffff:0:0:2', '2001:0db8:0000:0001:0:0:0:3%eth0'];
    for (let i = 0; i < 4; i++) for (const one of spellings) budget.take(one);
    assert.equal(budget.take('2001:db8:0:1:aaaa::'), false);
    assert.ok(budget.take('2001:db8:0:2::1'));
    assert.ok(budget.take('::1'));
    assert.equal(passed(budget, '::ffff:192.0.2.1', 10), 10);
    assert.equal(budget.take('192.0.2.1'), false);
  });

  test('security: the log should have one line that counts what it does not show', async () => {
    const clock = new FakeClock();
    const lines: string[] = [];
    const log = new StrangersLog(createLogger('info', { write: (line) => lines.push(line) }), clock);
    for (let i = 0; i < 100; i++) log.info('broker:1883', { call: 'led.on' }, 'commands: call refused');
    assert.equal(lines.length, 10);
    await clock.advance(MINUTE_MS);
    assert.equal(lines.length, 11);
    assert.match(lines[10]!, /"dropped":90/);
    log.info('broker:1883', {}, 'commands: call refused');
    log.stop();
    assert.equal(lines.length, 12);
    assert.equal(clock.pending, 0);
  });
});
