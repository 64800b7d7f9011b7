import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { annexB, depacketize, numberedNal } from '../../video/testing/depacketize.ts';
import { aggregate, PAYLOAD_LIMIT, Refragmenter, splitPayload } from './h264.ts';

const nalOf = (length: number, header = 0x65): Buffer => numberedNal(header, length);

/** A camera's payloads: NAL units in fragments of `size` bytes. */
const payloadsOf = (nals: readonly Buffer[], size: number): Buffer[] =>
  nals.flatMap((nal) => splitPayload(nal, size));

function pass(payloads: readonly Buffer[]): Buffer[] {
  const sent: Buffer[] = [];
  const refragmenter = new Refragmenter((payload) => sent.push(payload));
  for (const payload of payloads) {
    const isFragment = (payload[0]! & 31) === 28;
    const flags = payload[1]!;
    refragmenter.push(payload, !isFragment || (flags & 0x80) !== 0, !isFragment || (flags & 0x40) !== 0);
  }
  refragmenter.flush();
  return sent;
}

test('should split large fragments into small ones of equal length but for the last, without losing a byte', () => {
  const nal = nalOf(20_000);
  const parts = pass(payloadsOf([nal], 1_400));
  assert.deepEqual(depacketize(parts), annexB([nal]));
  assert.deepEqual(
    parts.map(({ length }) => length === PAYLOAD_LIMIT),
    parts.map((_, index) => index < parts.length - 1),
  );
  // As few as possible; cutting each separately would make two of each.
  assert.equal(parts.length, Math.ceil(19_999 / (PAYLOAD_LIMIT - 2)));
});

test('should preserve any NAL units, however large they and their packets are', () => {
  const sizes = fc.array(fc.integer({ min: 2, max: 9_000 }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(sizes, fc.integer({ min: 100, max: 4_000 }), (lengths, size) => {
      const nals = lengths.map((length) => nalOf(length));
      const parts = pass(payloadsOf(nals, size));
      assert.deepEqual(depacketize(parts), annexB(nals));
      assert.ok(parts.every(({ length }) => length <= PAYLOAD_LIMIT));
    }),
    { numRuns: 200 },
  );
});

test('should pass on small packets unchanged, and hold nothing back', () => {
  const payloads = payloadsOf([nalOf(30), nalOf(5_000)], 1_000);
  const parts = pass(payloads);
  assert.equal(parts.length, payloads.length);
  for (const [index, payload] of payloads.entries()) assert.equal(parts[index], payload);
});

test('should send the rest of a NAL unit that breaks off', () => {
  const [first] = payloadsOf([nalOf(3_000)], 1_400);
  const parts = pass([first!, nalOf(40, 0x41)]);
  assert.deepEqual(
    parts.map(({ length }) => length),
    [1_200, 202, 40],
  );
});

test('should split large aggregates and single NAL units', () => {
  const nals = [nalOf(20, 0x67), nalOf(4_000), nalOf(900, 0x41)];
  assert.deepEqual(depacketize(pass([aggregate(nals)])), annexB(nals));
  assert.deepEqual(depacketize(pass([nals[1]!])), annexB([nals[1]!]));
  assert.deepEqual(pass([Buffer.alloc(2_000, 0x1f)]), []);
});
