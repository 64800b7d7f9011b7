import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { StreamFramer } from './framer.ts';

/** An INFO with this many bytes of padding in head and body. */
function message(head: number, body: number): Buffer {
  const lines = [
    'INFO sip:b@y SIP/2.0',
    'Via: SIP/2.0/TCP 192.0.2.1;branch=z9hG4bK1',
    'From: <sip:a@x>;tag=1',
    'To: <sip:b@y>;tag=2',
    'Call-ID: c',
    'CSeq: 1 INFO',
    ...Array.from({ length: head / 1_000 }, () => `X-Filling: ${'x'.repeat(987)}`),
    `Content-Length: ${body}`,
    '',
    'x'.repeat(body),
  ];
  return Buffer.from(lines.join('\r\n'));
}

/** Counts all bytes of buffers that are searched, copied and decoded, in any code. */
function countWork(t: TestContext): () => number {
  let bytes = 0;
  const proto = Buffer.prototype;
  const original = { indexOf: proto.indexOf, copy: proto.copy, decode: proto.toString };
  const { concat, from } = Buffer;
  t.mock.method(proto, 'indexOf', function (this: Buffer, value: number, start = 0): number {
    const found: number = original.indexOf.call(this, value, start);
    bytes += (found < 0 ? this.length : found + 1) - start;
    return found;
  });
  t.mock.method(proto, 'copy', function (this: Buffer, target: Buffer, ...range: number[]): number {
    const copied: number = original.copy.call(this, target, ...range);
    bytes += copied;
    return copied;
  });
  t.mock.method(
    proto,
    'toString',
    function (this: Buffer, as?: BufferEncoding, start = 0, end = this.length) {
      bytes += end - start;
      return original.decode.call(this, as, start, end);
    },
  );
  t.mock.method(Buffer, 'concat', (parts: readonly Buffer[]) => {
    bytes += parts.reduce((sum, part) => sum + part.length, 0);
    return concat(parts);
  });
  t.mock.method(Buffer, 'from', (...args: Parameters<typeof from>) => {
    const made = Reflect.apply(from, Buffer, args) as Buffer;
    bytes += made.length;
    return made;
  });
  return () => bytes;
}

for (const [what, head, body] of [
  ['the head', 60_000, 0],
  ['the body', 60_000, 60_000],
] as const) {
  test(`security: should read only new bytes while ${what} comes in small pieces`, (t) => {
    const data = message(head, body);
    const read: number[] = [];
    const ignore = (): void => {};
    const framer = new StreamFramer({
      onMessage: (one) => read.push(one.body.length),
      onMalformed: () => assert.fail('it can be read'),
      onPing: ignore,
      onPong: ignore,
      onLost: () => assert.fail('it can be followed'),
    });
    const work = countWork(t);
    for (let at = 0; at < data.length; at += 16) framer.push(data.subarray(at, at + 16));
    t.mock.restoreAll();
    assert.deepEqual(read, [body]);
    const perByte = work() / data.length;
    t.diagnostic(`${perByte.toFixed(1)} bytes of work for each byte`);
    assert.ok(perByte < 10, `${perByte} bytes of work for each byte`);
  });
}

test('security: should read each of many messages in one piece once', (t) => {
  const one = message(0, 0);
  const data = Buffer.concat(Array.from({ length: 300 }, () => one));
  let read = 0;
  const ignore = (): void => {};
  const framer = new StreamFramer({
    onMessage: () => read++,
    onMalformed: ignore,
    onPing: ignore,
    onPong: ignore,
    onLost: ignore,
  });
  const work = countWork(t);
  framer.push(data);
  t.mock.restoreAll();
  assert.equal(read, 300);
  assert.equal(framer.buffered, 0);
  assert.ok(work() / data.length < 10, `${work() / data.length} bytes of work for each byte`);
});
