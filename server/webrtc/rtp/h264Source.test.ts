import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { deltaSlice, idrSlice, PPS, SPS } from '../../testing/scriptedCamera.ts';
import { GopCache } from '../../video/gop.ts';
import { annexB, depacketize, numberedNal } from '../../video/testing/depacketize.ts';
import { aggregate, PAYLOAD_LIMIT, splitPayload, wholeNals } from './h264.ts';
import { H264Source, Refragmenter, type VideoPacket } from './h264Source.ts';
import type { RtpPacket } from './rtpPacket.ts';

const packetOf = (payload: Buffer, timestamp: number, marker = true) => ({
  payloadType: 96,
  marker,
  sequence: 0,
  timestamp,
  payload,
});

/** NAL types of a packet, and whether a viewer can begin there. */
const shape = ({ payload, startsKeyFrame, isRepeated }: VideoPacket): string =>
  `${[...wholeNals(payload)].map((nal) => nal[0]! & 31).join('+') || 'part'}${startsKeyFrame ? ' start' : ''}${isRepeated ? ' repeated' : ''}`;

test('should put the described parameter sets in front of a key frame that lacks them', () => {
  const source = new H264Source([PPS, SPS]);
  assert.deepEqual(source.push(packetOf(idrSlice(), 1)).map(shape), ['7+8 start', '5']);
  assert.deepEqual(source.push(packetOf(deltaSlice(), 2)).map(shape), ['1']);
  assert.deepEqual(source.size, { width: 640, height: 360 });
});

test('should mark them as repeated when they came in-band', () => {
  const source = new H264Source([]);
  assert.deepEqual(source.push(packetOf(SPS, 1, false)).map(shape), ['7']);
  assert.deepEqual(source.push(packetOf(PPS, 1, false)).map(shape), ['8']);
  assert.deepEqual(source.push(packetOf(idrSlice(), 1)).map(shape), ['7+8 start repeated', '5']);
  assert.deepEqual(source.push(packetOf(idrSlice(), 2)).map(shape), ['7+8 start', '5']);
});

test('should begin a key frame once, however many slices and fragments it has', () => {
  const source = new H264Source([SPS, PPS]);
  const slices = [...splitPayload(idrSlice(3_000)), idrSlice()];
  const starts = slices
    .flatMap((slice) => source.push(packetOf(slice, 5)))
    .filter((packet) => packet.startsKeyFrame);
  assert.equal(starts.length, 1);
});

test('should prefer parameter sets that changed in mid-stream', () => {
  const source = new H264Source([SPS, PPS]);
  const large = Buffer.from('67640028acd940780227e5c044000003000400000300c83c60c658', 'hex');
  source.push(packetOf(aggregate([large, PPS]), 1));
  const [sets] = source.push(packetOf(idrSlice(), 1));
  assert.deepEqual([...wholeNals(sets!.payload)], [large, PPS]);
  assert.deepEqual(source.size, { width: 1920, height: 1080 });
});

test('should begin at a bare key frame when no parameter sets are known', () => {
  assert.deepEqual(new H264Source([]).push(packetOf(idrSlice(), 1)).map(shape), ['5 start']);
});

test('should not remember parameter sets without bound', () => {
  const source = new H264Source([]);
  for (let i = 0; i < 1_000; i++) {
    // Ids 0 to 999 as Exp-Golomb codes.
    const code = (i + 1).toString(2);
    const bits = `${'0'.repeat(code.length - 1)}${code}1`.padEnd(32, '0');
    source.push(
      packetOf(
        Buffer.concat([
          Buffer.from([0x68]),
          Buffer.from(bits.match(/.{8}/g)!.map((b) => Number.parseInt(b, 2))),
        ]),
        1,
      ),
    );
  }
  const [sets] = source.push(packetOf(idrSlice(), 2));
  assert.ok([...wholeNals(sets!.payload)].length <= 16);
});

function videoPacket(timestamp: number, startsKeyFrame: boolean, length = 10): VideoPacket {
  return { payload: Buffer.alloc(length), timestamp, marker: true, startsKeyFrame, isRepeated: false };
}

test('should keep what came since the last key frame', () => {
  const cache = new GopCache();
  cache.add(videoPacket(0, false));
  assert.equal(cache.packets.length, 0);
  cache.add(videoPacket(3_600, true));
  cache.add(videoPacket(7_200, false));
  assert.equal(cache.packets.length, 2);
  cache.add(videoPacket(10_800, true));
  assert.deepEqual(
    cache.packets.map(({ timestamp }) => timestamp),
    [10_800],
  );
});

test('should copy payloads, as their buffers belong to a socket', () => {
  const cache = new GopCache();
  const packet = videoPacket(0, true);
  cache.add(packet);
  packet.payload.fill(1);
  assert.equal(cache.packets[0]!.payload[0], 0);
});

test('should drop a group of more than 8 MB or 10 s, and begin again at the next key frame', () => {
  const cache = new GopCache();
  cache.add(videoPacket(0, true));
  for (let i = 1; i <= 9; i++) cache.add(videoPacket(i, false, 1024 * 1024));
  assert.equal(cache.packets.length, 0);
  cache.add(videoPacket(0xffffff00, true));
  cache.add(videoPacket((0xffffff00 + 899_999) >>> 0, false));
  assert.equal(cache.packets.length, 2);
  cache.add(videoPacket((0xffffff00 + 900_001) >>> 0, false));
  assert.equal(cache.packets.length, 0);
});

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
