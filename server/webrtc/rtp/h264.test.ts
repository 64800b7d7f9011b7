import assert from 'node:assert/strict';
import { test } from 'node:test';
import { idrSlice, PPS, SPS } from '../../testing/scriptedCamera.ts';
import { annexB, depacketize, numberedNal } from '../../video/testing/depacketize.ts';
import { aggregate, aggregated, packed, splitByteStream, splitPayload } from './h264.ts';
import { parsePps, parseSps, parseSpsSize } from './h264Sps.ts';

test('should leave payloads within the limit as they are', () => {
  const payload = idrSlice(1_200);
  assert.deepEqual(splitPayload(payload), [payload]);
});

test('should split a large NAL unit into fragments that join to the same bytes', () => {
  for (const length of [1_201, 2_397, 2_398, 16_000]) {
    const nal = numberedNal(0x65, length);
    const parts = splitPayload(nal);
    assert.ok(parts.length > 1 && parts.every((part) => part.length <= 1_200));
    assert.deepEqual(depacketize(parts), annexB([nal]));
  }
});

test('should split large fragments again, and keep their ends', () => {
  const nal = numberedNal(0x65, 40_000);
  const large = splitPayload(nal, 16_000);
  const small = large.flatMap((part) => splitPayload(part));
  assert.ok(small.every((part) => part.length <= 1_200));
  assert.deepEqual(depacketize(small), annexB([nal]));
  assert.deepEqual(
    small.map((part) => part[1]! & 0xc0).filter((flags) => flags !== 0),
    [0x80, 0x40],
  );
});

test('should split a large aggregate', () => {
  const nals = [SPS, PPS, numberedNal(0x65, 1_500), numberedNal(0x41, 900)];
  const parts = splitPayload(aggregate(nals));
  assert.ok(parts.every((part) => part.length <= 1_200));
  assert.deepEqual(depacketize(parts), annexB(nals));
});

test('should stop at broken aggregates and drop payloads that are not H.264', () => {
  assert.deepEqual([...aggregated(Buffer.from([0x78, 0, 9, 1]))], []);
  assert.deepEqual([...aggregated(Buffer.from([0x78, 0, 0, 0, 1, 7]))], []);
  assert.deepEqual(splitPayload(Buffer.alloc(2_000, 0x1f)), []);
});

test('should read the picture size of real parameter sets', () => {
  const cases: [string, number, number][] = [
    [SPS.toString('hex'), 640, 360],
    // Made with x264. High: cropped from 1088 lines.
    ['67640028acd940780227e5c044000003000400000300c83c60c658', 1920, 1080],
    // High 4:4:4, cropped on both sides.
    ['67f4000d919b282a33c7c5e022000003000200000300641e28532c', 322, 182],
    // Interlaced.
    ['6764001eacd940b424d8088000000300800000190f8a14cb', 720, 576],
    // 4:2:2.
    ['677a000cbcd941417eaf011000000300100000030320f1429960', 318, 174],
  ];
  for (const [hex, width, height] of cases) {
    assert.deepEqual(parseSpsSize(Buffer.from(hex, 'hex')), { width, height }, hex);
  }
});

test('should skip the scaling lists of a parameter set', () => {
  const bits = [
    '01100111 01100100 00000000 00011110', // SPS, High, level 3
    '1 010 1 1 0', // id 0, 4:2:0, 8 bits, 8 bits
    '1', // scaling matrix:
    `1 ${'010 '.repeat(16)}`, // list 0: sixteen deltas of 1
    '1 000010001', // list 1: a delta of -8 ends it at once, as 8 - 8 is 0. se(v) -8 is ue(v) 16
    '0 0 0 0 0 0', // the others follow a default
    '1 1 1', // frame_num, picture order type 0 with its length
    '010 0', // one reference frame, no gaps
    '00000101000 000010111', // 40 blocks wide, 23 high
    '1 1 1', // frames only, direct inference, cropping:
    '1 1 1 00101', // bottom 4 x 2 lines
    '0 1', // no VUI, stop bit
  ];
  const text = bits.join('').replaceAll(' ', '');
  const nal = Buffer.from(
    (text.padEnd(Math.ceil(text.length / 8) * 8, '0').match(/.{8}/g) ?? []).map((b) => Number.parseInt(b, 2)),
  );
  assert.deepEqual(parseSpsSize(nal), { width: 640, height: 360 });
});

test('should call a cut parameter set broken, and never throw', () => {
  for (let length = 0; length < 8; length++) assert.equal(parseSpsSize(SPS.subarray(0, length)), undefined);
  assert.equal(parseSpsSize(Buffer.alloc(64)), undefined);
  assert.equal(parsePps(Buffer.from([0x68])), undefined);
});

test('should read the ids of parameter sets', () => {
  assert.equal(parseSps(SPS)?.id, 0);
  assert.deepEqual(parsePps(PPS), { id: 0, spsId: 0 });
  // ue(v) 010 is 1.
  assert.deepEqual(parsePps(Buffer.from([0x68, 0b0101_1111])), { id: 1, spsId: 0 });
});

test('should put small NAL units together, and large ones into fragments', () => {
  const nals = [SPS, PPS, numberedNal(0x06, 1_190), numberedNal(0x65, 3_000), numberedNal(0x41, 20)];
  const payloads = packed(nals);
  assert.deepEqual(
    payloads.map((payload) => payload[0]! & 31),
    [24, 6, 28, 28, 28, 1],
  );
  assert.deepEqual(depacketize(payloads), annexB(nals));
});

test('should split a byte stream at start codes of three and four bytes', () => {
  for (const [hex, nals] of [
    ['0000000167aa00000168bb0000000165cc', ['67aa', '68bb', '65cc']],
    ['67aa00000168bb', ['67aa', '68bb']],
    ['67aa00000001', ['67aa']],
    ['67aa0000', ['67aa']],
    ['000001', []],
    ['', []],
  ] as const) {
    const parts = splitByteStream(Buffer.from(hex, 'hex')).map((nal) => nal.toString('hex'));
    assert.deepEqual(parts, nals, hex);
  }
});
