import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { annexB, depacketize, numberedNal } from '../../video/testing/depacketize.ts';
import { aggregate, PAYLOAD_LIMIT, splitPayload } from './h264.ts';
import { Refragmenter } from './refragmenter.ts';
import type { RtpPacket } from './rtpPacket.ts';

const nalOf = (length: number, header = 0x65): Buffer => numberedNal(header, length);

/** A camera's packets of one picture: its NAL units in fragments of `size` bytes. */
function picture(nals: readonly Buffer[], size: number, first = 0, timestamp = 1): RtpPacket[] {
  const payloads = nals.flatMap((nal) => splitPayload(nal, size));
  return payloads.map((payload, index) => ({
    payloadType: 96,
    marker: index === payloads.length - 1,
    sequence: (first + index) & 0xffff,
    timestamp,
    payload,
  }));
}

function pass(packets: readonly RtpPacket[]) {
  const refragmenter = new Refragmenter();
  return packets.flatMap((packet) => {
    const released = refragmenter.release(packet);
    return [...(released === undefined ? [] : [released]), ...refragmenter.push(packet)];
  });
}

const payloadsOf = (packet: RtpPacket): Buffer[] => pass([packet]).map(({ payload }) => payload);

test('should split large fragments into small ones of equal length but for the last, without losing a byte', () => {
  const nal = nalOf(20_000);
  const packets = picture([nal], 1_400, 65_530);
  const parts = pass(packets);
  assert.deepEqual(depacketize(parts.map(({ payload }) => payload)), annexB([nal]));
  assert.deepEqual(
    parts.map(({ payload }) => payload.length === PAYLOAD_LIMIT),
    parts.map((_, index) => index < parts.length - 1),
  );
  // As few as possible; cutting each separately would make two of each.
  assert.equal(parts.length, Math.ceil(19_999 / (PAYLOAD_LIMIT - 2)));
  assert.deepEqual(
    parts.map(({ marker }) => marker),
    parts.map((_, index) => index === parts.length - 1),
  );
});

test('should preserve any NAL units, however large they and their packets are', () => {
  const sizes = fc.array(fc.integer({ min: 2, max: 9_000 }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(sizes, fc.integer({ min: 100, max: 4_000 }), (lengths, size) => {
      const nals = lengths.map((length) => nalOf(length));
      const parts = pass(picture(nals, size));
      assert.deepEqual(depacketize(parts.map(({ payload }) => payload)), annexB(nals));
      assert.ok(parts.every(({ payload }) => payload.length <= PAYLOAD_LIMIT));
      assert.equal(parts.at(-1)!.marker, true);
    }),
    { numRuns: 200 },
  );
});

test('should pass on small packets unchanged, and hold nothing back', () => {
  const packets = picture([nalOf(30), nalOf(5_000)], 1_000);
  assert.deepEqual(
    pass(packets).map(({ payload }) => payload),
    packets.map(({ payload }) => payload),
  );
});

test('should join nothing across a lost packet, and still send what it has', () => {
  const packets = picture([nalOf(10_000)], 1_400);
  const heard = packets.filter((_, index) => index !== 3);
  const bytes = pass(heard).reduce((sum, { payload }) => sum + payload.length - 2, 0);
  assert.equal(
    bytes,
    heard.reduce((sum, { payload }) => sum + payload.length - 2, 0),
  );
  // The part before the gap ends where the camera's packet ended.
  const before = pass(packets.slice(0, 3).concat(packets.slice(4)));
  const ends = before.findIndex(({ payload }) => payload.length < PAYLOAD_LIMIT);
  const upTo = before.slice(0, ends + 1).reduce((sum, { payload }) => sum + payload.length - 2, 0);
  assert.equal(
    upTo,
    packets.slice(0, 3).reduce((sum, { payload }) => sum + payload.length - 2, 0),
  );
});

test('should end a picture whose last fragment does not say so', () => {
  const packets = picture([nalOf(3_000)], 1_400);
  const last = packets.at(-1)!;
  last.payload[1]! &= ~0x40;
  const next = picture([nalOf(40, 0x41)], 1_400, packets.length, 2);
  const parts = pass([...packets, ...next]);
  assert.deepEqual(
    parts.map(({ timestamp, marker }) => [timestamp, marker]),
    [
      [1, false],
      [1, false],
      [1, true],
      [2, true],
    ],
  );
});

test('should send what waits under its own timestamp when the picture breaks off', () => {
  const [first] = picture([nalOf(3_000)], 1_400);
  const next = picture([nalOf(40, 0x41)], 1_400, 7, 2);
  const parts = pass([first!, ...next]);
  assert.deepEqual(
    parts.map(({ timestamp, payload }) => [timestamp, payload.length]),
    [
      [1, 1_200],
      [1, 202],
      [2, 40],
    ],
  );
});

test('should split large aggregates and single NAL units', () => {
  const nals = [nalOf(20, 0x67), nalOf(4_000), nalOf(900, 0x41)];
  const packet = { payloadType: 96, marker: true, sequence: 1, timestamp: 1 };
  assert.deepEqual(depacketize(payloadsOf({ ...packet, payload: aggregate(nals) })), annexB(nals));
  assert.deepEqual(depacketize(payloadsOf({ ...packet, payload: nals[1]! })), annexB([nals[1]!]));
  assert.deepEqual(pass([{ ...packet, payload: Buffer.alloc(2_000, 0x1f) }]), []);
});
