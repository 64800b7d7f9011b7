import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deltaSlice, idrSlice, PPS, SPS } from '../../testing/scriptedCamera.ts';
import { nalsOf, numberedNal } from '../../video/testing/depacketize.ts';
import { FRAME, group, picture, play, WatchedSource } from '../../video/testing/pictures.ts';
import { aggregate, PAYLOAD_LIMIT, splitPayload } from './h264.ts';

const FRAME_MS = 40;
/** A slice that is not the first of its picture: first_mb_in_slice is 1. */
const laterSlice = (header: number): Buffer => Buffer.from([header, 0x53, 0x80, 1, 2, 3]);
const SEI = Buffer.from([6, 5, 1, 2, 0x80]);
/** Of slice_type 1 (B): the bits 1 and 010. */
const bSlice = Buffer.from([0x41, 0xa8, 1, 2, 3]);
const AUD = Buffer.from([9, 0xf0]);
/** Constrained baseline, 1920 x 1080, made with x264. */
const LARGE_SPS = Buffer.from('67640028acd940780227e5c044000003000400000300c83c60c658', 'hex');
const KEY = [SPS, PPS, idrSlice()];

for (const marks of ['right', 'never', 'all', 'sets', 'slices'] as const) {
  test(`should mark the end of each picture of a camera whose markers are: ${marks}`, async () => {
    for (const [key, delta] of [
      [KEY, [deltaSlice()]],
      [
        [AUD, ...KEY, laterSlice(0x65), laterSlice(0x65)],
        [AUD, SEI, deltaSlice(), laterSlice(0x41)],
      ],
      [[AUD, SPS, PPS, SEI, ...splitPayload(idrSlice(5_000), 1_400)], splitPayload(deltaSlice(3_000), 1_400)],
    ] as const) {
      const watched = new WatchedSource();
      await play(watched, group(12, key, delta, marks));
      await watched.clock.advance(FRAME_MS);
      const expected = (nals: readonly Buffer[]): string =>
        nalsOf(nals)
          .map((nal) => nal[0]! & 31)
          .join(' ');
      assert.deepEqual(
        watched.shape,
        Array.from({ length: 12 }, (_, i) => (i % 4 === 0 ? `K ${expected(key)}` : expected(delta))),
      );
      const hasSlices = key.length > 4 && (key.at(-1)![0]! & 31) === 5;
      assert.equal(
        watched.source.mended.has('marker'),
        marks === 'slices' ? hasSlices : marks !== 'right',
        marks,
      );
    }
  });
}

test('should send each packet of a camera that marks well at once, and unchanged', async () => {
  const watched = new WatchedSource([SPS, PPS]);
  await play(watched, group(1, KEY, [], 'right'));
  const sent = [numberedNal(0x41, 900), ...splitPayload(numberedNal(0x41, 2_300), PAYLOAD_LIMIT)];
  for (const [index, payload] of sent.entries()) {
    const timestamp = index === 0 ? FRAME : 2 * FRAME;
    const out = watched.push({ timestamp, payload, marker: index === 0 || index === sent.length - 1 });
    assert.deepEqual(
      out.map((packet) => packet.payload),
      [payload],
    );
  }
  assert.equal(watched.clock.pending, 0);
});

test('should let the end of a picture wait no longer than a picture takes', async () => {
  const watched = new WatchedSource();
  await play(watched, group(6, KEY, [deltaSlice()], 'never'));
  const before = watched.packets.length;
  watched.push({ timestamp: 6 * FRAME, payload: deltaSlice() });
  assert.equal(watched.packets.length, before);
  await watched.clock.advance(FRAME_MS);
  assert.deepEqual(
    watched.packets.slice(before).map(({ marker }) => marker),
    [true],
  );
});

test('should wait 10 ms at most for the first picture of a camera that marks well', async () => {
  const watched = new WatchedSource();
  for (const packet of picture(0, KEY)) watched.push(packet);
  assert.equal(watched.packets.at(-1)?.marker, false);
  await watched.clock.advance(10);
  assert.deepEqual(watched.shape, ['K 7 8 5']);
});

test('should trust markers no longer once a slice came after one', async () => {
  const watched = new WatchedSource();
  await play(watched, group(4, KEY, [deltaSlice()], 'right'));
  const slices = [deltaSlice(), laterSlice(0x41), laterSlice(0x41)];
  const later = Array.from({ length: 4 }, (_, i) => picture((4 + i) * FRAME, slices, 'slices'));
  await play(watched, later);
  assert.deepEqual(watched.shape.slice(5), ['1 1 1', '1 1 1', '1 1 1']);
});

test('should give parameter sets with the timestamp of the picture before to the next one', async () => {
  // As a Reolink RLC-822A sends them.
  const watched = new WatchedSource();
  const start = picture(0, KEY);
  const delta = picture(FRAME, [deltaSlice()]);
  const late = { timestamp: FRAME, payload: LARGE_SPS, marker: true };
  const next = picture(2 * FRAME, [PPS, idrSlice()]);
  await play(watched, [start, [...delta, late], next]);
  assert.deepEqual(watched.shape, ['K 7 8 5', '1', 'K 7 8 5']);
  assert.deepEqual(watched.pictures[2]!.nals[0], LARGE_SPS);
  assert.ok(watched.source.mended.has('setsTimestamp'));
});

test('should give parameter sets with a timestamp of their own to the next picture', async () => {
  const watched = new WatchedSource();
  const sets = picture(7, [SPS, PPS], 'all');
  await play(watched, [[...sets, ...picture(FRAME, [idrSlice()])], picture(2 * FRAME, [deltaSlice()])]);
  assert.deepEqual(watched.shape, ['K 7 8 5', '1']);
  assert.equal(watched.pictures[0]!.timestamp, FRAME);
});

test('should put the described parameter sets in front of a key frame that lacks them', async () => {
  const watched = new WatchedSource([PPS, SPS]);
  await play(watched, group(5, [idrSlice()], [deltaSlice()], 'right'));
  assert.deepEqual(watched.shape, ['K 7 8 5', '1', '1', '1', 'K 7 8 5']);
  assert.deepEqual(watched.source.size, { width: 640, height: 360 });
  assert.ok(watched.source.mended.has('setsFromSdp'));
});

test('should put each parameter set in front of a key frame once, the latest of them', async () => {
  const watched = new WatchedSource([SPS, PPS]);
  await play(watched, [
    picture(0, [aggregate([LARGE_SPS, PPS]), idrSlice()]),
    picture(FRAME, [SPS, PPS, deltaSlice()]),
    picture(2 * FRAME, [PPS, deltaSlice()]),
    picture(3 * FRAME, [idrSlice()]),
  ]);
  assert.deepEqual(watched.shape, ['K 7 8 5', '7 1', '1', 'K 7 8 5']);
  assert.deepEqual(watched.pictures[0]!.nals[0], LARGE_SPS);
  assert.deepEqual(watched.pictures[3]!.nals[0], SPS);
});

test('should pass on no key frame without its parameter sets, and say so', async () => {
  const broken = Buffer.from([0x67, 0x42]);
  for (const sets of [[], [SPS], [PPS], [broken, PPS]]) {
    const watched = new WatchedSource(sets);
    await play(watched, group(2, [idrSlice(), laterSlice(0x65)], [], 'right'));
    assert.deepEqual(watched.packets, []);
    assert.equal(watched.source.fault, 'noParameterSets');
    await play(watched, [picture(5 * FRAME, KEY)]);
    assert.deepEqual(watched.shape, ['K 7 8 5']);
    assert.equal(watched.source.fault, undefined);
    assert.equal(watched.source.mended.has('brokenSets'), sets.includes(broken));
  }
});

test('should not remember parameter sets without bound', async () => {
  const watched = new WatchedSource([SPS, PPS]);
  for (let i = 0; i < 200; i++) {
    const code = (i + 1).toString(2);
    const bits = `${'0'.repeat(code.length - 1)}${code}100111111`.padEnd(32, '1');
    const bytes = bits.match(/.{8}/g)!.map((text) => Number.parseInt(text, 2));
    watched.push({ timestamp: i, payload: Buffer.from([0x68, ...bytes]) });
  }
  await play(watched, [picture(1_000, [idrSlice()])]);
  assert.ok(watched.pictures[0]!.nals.length <= 1 + 16 + 1);
});

test('should hold a bounded number of bytes for a picture that does not come', () => {
  const watched = new WatchedSource();
  const before = process.memoryUsage().arrayBuffers;
  for (let i = 0; i < 2_000; i++) {
    watched.push({ timestamp: i, payload: Buffer.concat([SEI, Buffer.alloc(60_000, i | 1)]) });
    watched.push({
      timestamp: i,
      payload: Buffer.concat([Buffer.from([0x1c, 0x86]), Buffer.alloc(1_000, 7)]),
    });
  }
  const { source } = watched;
  assert.deepEqual([watched.packets.length, source.mended.has('annexB')], [0, false]);
  assert.ok(process.memoryUsage().arrayBuffers - before < 100 * 1024 * 1024);
});

test('should end a picture whose last packet was lost', async () => {
  const watched = new WatchedSource();
  await play(watched, group(1, KEY, [], 'right'));
  const [first, second] = splitPayload(numberedNal(0x41, 3_000), 1_200);
  watched.push({ timestamp: FRAME, payload: first! });
  watched.push({ timestamp: FRAME, payload: second! });
  watched.push({ timestamp: 2 * FRAME, payload: deltaSlice(), marker: true }, true);
  assert.deepEqual(watched.shape, ['K 7 8 5', '1 12', '1']);
  assert.ok(!watched.source.mended.has('marker'));
});

test('should begin a picture whose first slice was lost with a delimiter, unless something is ahead of it', async () => {
  const watched = new WatchedSource();
  await play(watched, group(1, KEY, [], 'right'));
  watched.push({ timestamp: FRAME, payload: laterSlice(0x41), marker: true }, true);
  watched.push({ timestamp: 2 * FRAME, payload: SEI });
  watched.push({ timestamp: 2 * FRAME, payload: laterSlice(0x41), marker: true }, true);
  watched.push({ timestamp: 3 * FRAME, payload: deltaSlice() });
  watched.push({ timestamp: 3 * FRAME, payload: laterSlice(0x41), marker: true });
  assert.deepEqual(watched.shape, ['K 7 8 5', '9 1', '6 1', '1 1']);
});

test('should tell pictures apart that have one timestamp, and leave two fields together', async () => {
  const watched = new WatchedSource();
  await play(
    watched,
    Array.from({ length: 8 }, (_, i) => picture(0, i === 0 ? KEY : [deltaSlice()])),
  );
  assert.deepEqual(watched.shape, ['K 7 8 5', ...Array.from({ length: 7 }, () => '1')]);
  const stamps = watched.pictures.map(({ timestamp }) => timestamp);
  // From the third repetition on they go on with the time of arrival.
  assert.deepEqual(
    stamps.slice(3).map((stamp, i) => stamp - stamps[2 + i]!),
    [FRAME, FRAME, FRAME, FRAME, FRAME],
  );
  assert.ok(watched.source.mended.has('timestampRepeated'));
});

for (const hours of [1, -1, 5, -7, 9]) {
  test(`should go on when the camera's clock is set by ${hours} h`, async () => {
    const watched = new WatchedSource();
    const jump = hours * 3_600 * 90_000;
    const stampOf = (i: number): number => 900_000 + i * FRAME + (i < 10 ? 0 : jump);
    await play(
      watched,
      Array.from({ length: 20 }, (_, i) => picture(stampOf(i), i % 5 === 0 ? KEY : [deltaSlice()])),
    );
    const stamps = watched.pictures.map(({ timestamp }) => timestamp);
    for (const [i, stamp] of stamps.slice(1).entries()) assert.equal(stamp - stamps[i]!, FRAME, `${i}`);
    assert.ok(watched.source.mended.has('timestampJump'));
    assert.equal(watched.source.translate(stampOf(19)), stamps[19]);
  });
}

test('should take no late packets of a stalled network for a jump, and no B-frames', async () => {
  const watched = new WatchedSource();
  await play(watched, group(4, KEY, [deltaSlice()], 'right'));
  watched.clock.stall(20_000);
  for (let i = 4; i < 504; i++) for (const packet of picture(i * FRAME, [deltaSlice()])) watched.push(packet);
  await watched.clock.advance(FRAME_MS);
  const order = [506, 504, 505, 509, 507, 508];
  await play(
    watched,
    order.map((i) => picture(i * FRAME, [i % 3 === 2 ? deltaSlice() : bSlice])),
  );
  assert.deepEqual(
    watched.pictures.map(({ timestamp }) => timestamp / FRAME),
    [...Array(504).keys(), ...order],
  );
  assert.deepEqual([...watched.source.mended], []);
});

test('should say that a stream has recovery points in place of key frames', async () => {
  const watched = new WatchedSource([SPS, PPS]);
  const recovery = Buffer.from([6, 6, 1, 0x84, 0x80]);
  await play(watched, group(4, [recovery, deltaSlice()], [deltaSlice()], 'right'));
  assert.equal(watched.source.fault, 'noKeyFrame');
  assert.ok(watched.packets.every(({ startsKeyFrame }) => !startsKeyFrame));
});
