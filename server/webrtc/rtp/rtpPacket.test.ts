import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  LossCounter,
  PLAYOUT_DELAY,
  parseRtpPacket,
  playoutDelayId,
  shownAtOnce,
  shownEvenly,
} from './rtpPacket.ts';

test('should cut off CSRCs, extension and padding', () => {
  const packet = Buffer.concat([
    Buffer.from([0xb2, 0xe0, 0x12, 0x34, 0xff, 0xff, 0xff, 0xfe, 0, 0, 0, 1]),
    Buffer.alloc(8, 0xcc),
    Buffer.from([0xbe, 0xde, 0, 1, 9, 9, 9, 9]),
    Buffer.from('payload'),
    Buffer.from([0, 0, 3]),
  ]);
  const parsed = parseRtpPacket(packet);
  assert.deepEqual(
    { ...parsed, payload: parsed?.payload.toString() },
    { payloadType: 96, marker: true, sequence: 0x1234, timestamp: 0xfffffffe, payload: 'payload' },
  );
});

test('should refuse anything but RTP packets', () => {
  const cases = [
    '',
    '80',
    '00600001000000000000000001',
    'a0600001000000000000000100ff',
    '90600001000000000000000100',
    '806000010000000000000001',
  ];
  for (const hex of cases) assert.equal(parseRtpPacket(Buffer.from(hex, 'hex')), undefined, hex);
});

test('should count gaps over the wrap of the sequence number and not count what comes late', () => {
  const loss = new LossCounter();
  for (const sequence of [65_533, 65_534, 1, 0, 2, 5]) loss.add(sequence);
  assert.equal(loss.lost, 2 + 2);
});

test('should tell what follows from what does not, and not count what is of another stream', () => {
  const loss = new LossCounter();
  assert.deepEqual(
    [7, 8, 8, 7, 10].map((sequence) => loss.add(sequence)),
    ['next', 'next', 'old', 'old', 'gap'],
  );
  for (const sequence of [11, 12, 12]) loss.pass(sequence);
  assert.deepEqual([loss.add(13), loss.lost], ['next', 1]);
  loss.pass(14);
  assert.deepEqual([loss.add(16), loss.lost], ['gap', 2]);
  // It begins again with other numbers.
  assert.deepEqual([loss.add(60_000), loss.add(60_001), loss.lost], ['gap', 'next', 2]);
});

test('should find the identifier of the extension, and take none that is of no use', () => {
  for (const [entry, id] of [
    ['6', 6],
    ['14/recvonly', 14],
    ['3/sendrecv', 3],
    ['3/sendonly', undefined],
    ['15', undefined],
    ['0', undefined],
    ['', undefined],
    ['4096', undefined],
  ] as const)
    assert.equal(playoutDelayId(['1 urn:other', `${entry} ${PLAYOUT_DELAY}`]), id, entry);
  assert.equal(playoutDelayId(['6', `6 ${PLAYOUT_DELAY}x`]), undefined);
});

test('should write the delays in units of 10 ms', () => {
  assert.equal(shownAtOnce(6).toString('hex'), 'bede000162000000');
  assert.equal(shownEvenly(14).toString('hex'), 'bede0001e20003e8');
});
