import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FakeClock } from '../../testing/fakeClock.ts';
import { answerTopic, CommandDeduplicator } from './commands.ts';
import { fits, MessageDeduplicator, Outgoing } from './messages.ts';
import { Throttle } from './states.ts';

describe('bounds of what goes to and comes from a broker', () => {
  test('security: an answer should go to no place of commands, states or discovery', () => {
    const names = { prefix: 'house/panels', id: 'hall', groups: [], discovery: 'homeassistant' };
    const to = (topic?: string) => answerTopic(names, 'led.on', topic);
    assert.equal(to(), 'house/panels/hall/result/led.on');
    for (const fine of ['x', 'house', 'house/panels2/a', 'house/panels/hall/reply', 'house/panels/reply/a'])
      assert.equal(to(fine), fine);
    for (const refused of [
      '',
      'a/+',
      'a/#',
      'a\0b',
      '$SYS/x',
      '$share/g/x',
      'house/panels',
      'house/panels/hall/command/led.on',
      'house/panels/replys/x',
      'homeassistant',
      'homeassistant/reply/x',
      'é'.repeat(40_000),
    ])
      assert.equal(to(refused), undefined, refused.slice(0, 40));
    assert.equal(answerTopic({ ...names, discovery: '' }, 'x', 'homeassistant/a'), 'homeassistant/a');
  });

  test('security: messages should wait for a broker in 16 MiB at most, and as many be under way as it takes', async () => {
    const sent: ((error?: Error) => void)[] = [];
    const it = new Outgoing((_, done) => sent.push(done), 20);
    const payload = Buffer.alloc(1024 * 1024);
    const all = Array.from({ length: 40 }, () =>
      it.add({ topic: 't', payload, options: {} }).then(
        () => 'sent',
        () => 'refused',
      ),
    );
    assert.equal(sent.length, 20);
    assert.equal(it.isBehind, false);
    sent[0]!();
    assert.equal(sent.length, 21);
    sent[1]!(new Error('no'));
    it.end();
    const results = await Promise.all(all);
    // 20 under way and 15 that fit behind them; one of those was refused by the broker.
    assert.equal(results.filter((result) => result === 'sent').length, 34);
    assert.equal(await it.add({ topic: 't', payload, options: {} }), undefined);
    assert.equal(sent.length, 22);
    await it.idle();
  });

  test('security: should survive a connection that refuses all that waits at once', async () => {
    let refuse: ((error?: Error) => void) | undefined;
    let isOver = false;
    const it = new Outgoing((_, done) => {
      if (isOver) done(new Error('over'));
      else refuse = done;
    }, 1);
    const all = Array.from({ length: 100_000 }, () =>
      it.add({ topic: 't', payload: '{}', options: {} }).then(
        () => 'sent',
        () => 'refused',
      ),
    );
    assert.equal(it.isBehind, true);
    isOver = true;
    refuse?.(new Error('over'));
    assert.deepEqual(new Set(await Promise.all(all)), new Set(['refused']));
    await it.idle();
  });

  test('should know a repeat for a minute, by correlation data, command and response topic', async () => {
    const clock = new FakeClock();
    const it = new CommandDeduplicator(clock);
    const data = Buffer.from('1');
    assert.equal(it.note('a', 'r', data), false);
    assert.equal(it.note('a', 'r', data), true);
    assert.equal(it.note('b', 'r', data), false);
    assert.equal(it.note('a', undefined, data), false);
    assert.equal(it.note('a', 'r', undefined), false);
    assert.equal(it.note('a', 'r', undefined), false);
    await clock.advance(60_000);
    assert.equal(it.note('a', 'r', data), false);
  });

  test('should know a message that the broker sends once more after a lost connection', async () => {
    const clock = new FakeClock();
    const it = new MessageDeduplicator(clock);
    const message = { topic: 't', payload: Buffer.from('x'), messageId: 5, isDuplicate: false };
    assert.equal(it.note(message), false);
    assert.equal(it.note(message), false);
    assert.equal(it.note({ ...message, isDuplicate: true }), true);
    assert.equal(it.note({ ...message, isDuplicate: true, payload: Buffer.from('y') }), false);
    assert.equal(it.note({ ...message, isDuplicate: true, messageId: 6 }), false);
    await clock.advance(60_000);
    assert.equal(it.note({ ...message, isDuplicate: true, messageId: 6 }), false);
  });

  test('should send a state at most ten times a second, one at a time, and the last one always', async () => {
    const clock = new FakeClock();
    const sent: string[] = [];
    let taken = Promise.withResolvers<void>();
    const it = new Throttle(clock, (text) => {
      sent.push(text);
      return taken.promise;
    });
    for (const text of ['1', '2', '3']) it.set(text);
    assert.deepEqual(sent, ['1']);
    await clock.advance(1_000);
    // The broker has not taken the first one yet.
    assert.deepEqual(sent, ['1']);
    taken.resolve();
    taken = Promise.withResolvers();
    taken.resolve();
    await clock.advance(0);
    assert.deepEqual(sent, ['1', '3']);
    it.set('4');
    it.set('3');
    await clock.advance(99);
    assert.deepEqual(sent, ['1', '3']);
    await clock.advance(1_000);
    it.set('5');
    await clock.advance(100);
    assert.deepEqual(sent.at(-1), '5');
    await it.again('5');
    assert.deepEqual(sent.slice(-2), ['5', '5']);
    it.set('6');
    it.stop();
    assert.equal(clock.pending, 0);
  });

  test('should send each change of a button in between, of at most 16 that wait', async () => {
    const clock = new FakeClock();
    const sent: string[] = [];
    const it = new Throttle(clock, async (text) => void sent.push(text));
    for (const text of ['false', 'true', 'false', 'true', 'false']) it.set(text, true);
    assert.deepEqual(sent, ['false']);
    await clock.advance(1_000);
    assert.deepEqual(sent, ['false', 'true', 'false', 'true', 'false']);
    for (let at = 0; at < 100; at++) it.set(`${at % 2 === 0}`, true);
    await clock.advance(10_000);
    assert.ok(sent.length < 25, `${sent.length} messages`);
    assert.equal(sent.at(-1), 'false');
  });

  test('should know which topics a filter means', () => {
    for (const [filter, topic] of [
      ['a/+', 'a/b'],
      ['a/#', 'a'],
      ['a/#', 'a/b/c'],
      ['#', 'a'],
      ['+/b', 'a/b'],
      ['a/+/c', 'a//c'],
    ] as const)
      assert.ok(fits(filter.split('/'), topic.split('/')), filter);
    for (const [filter, topic] of [
      ['a/+', 'a'],
      ['a/+', 'a/b/c'],
      ['a', 'a/b'],
      ['#', '$SYS/x'],
      ['+/x', '$SYS/x'],
    ] as const)
      assert.ok(!fits(filter.split('/'), topic.split('/')), filter);
  });
});
