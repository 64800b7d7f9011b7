import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Pacer } from './pacer.ts';

/** A pacer on a clock that the test moves. */
function lane(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const calls: number[] = [];
  const sent: number[] = [];
  const media = new Pacer((datagrams) => {
    calls.push(datagrams.length);
    sent.push(...datagrams.map((datagram) => datagram.readUInt16BE()));
  });
  let next = 0;
  const push = (count: number, endsPicture = true): void => {
    for (let i = 1; i <= count; i++) {
      const datagram = Buffer.alloc(2);
      datagram.writeUInt16BE(next++);
      media.push(datagram, endsPicture && i === count);
    }
  };
  const wait = (milliseconds: number): void => t.mock.timers.tick(milliseconds);
  return { media, push, wait, calls, sent, inOrder: () => sent.every((value, index) => value === index) };
}

test('should send a picture as soon as it is complete, each separately', (t) => {
  const { push, calls } = lane(t);
  push(10);
  push(1);
  push(31);
  assert.deepEqual(calls, [10, 1, 31]);
});

test('should hold the beginning of a picture for five milliseconds at most', async (t) => {
  const { push, wait, calls } = lane(t);
  push(3, false);
  await Promise.resolve();
  wait(4);
  assert.deepEqual(calls, []);
  wait(1);
  assert.deepEqual(calls, [3]);
  push(2);
  assert.deepEqual(calls, [3, 2]);
});

test('should set no timer for a picture that comes in one piece', async (t) => {
  const { push, wait, calls } = lane(t);
  push(3);
  await Promise.resolve();
  push(3, false);
  wait(100);
  assert.deepEqual(calls, [3]);
  await Promise.resolve();
  wait(5);
  assert.deepEqual(calls, [3, 3]);
});

test('should send a large picture in steps with a pause between them', (t) => {
  const { push, wait, calls, sent, inOrder } = lane(t);
  push(80);
  assert.deepEqual(calls, [32]);
  wait(1);
  assert.deepEqual(calls, [32, 32]);
  // A picture that arrives during this is queued after it.
  push(4);
  assert.deepEqual(calls, [32, 32]);
  wait(1);
  assert.deepEqual(calls, [32, 32, 20]);
  assert.ok(sent.length === 84 && inOrder());
});

test('should let no more wait than the ring keeps unchanged', (t) => {
  const { push, calls, inOrder } = lane(t);
  push(600);
  assert.deepEqual(calls, [32, 512]);
  assert.ok(inOrder());
});

test('should forget what waits, and every timer, when it is closed', async (t) => {
  const { media, push, wait, calls } = lane(t);
  push(40);
  push(3, false);
  await Promise.resolve();
  media.close();
  wait(100);
  assert.deepEqual(calls, [32]);
});
