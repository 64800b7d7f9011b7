import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deltaSlice, idrSlice, PPS, SPS } from '../../testing/scriptedCamera.ts';
import { GopCache } from '../../video/gopCache.ts';
import { aggregate, splitPayload, wholeNals } from './h264.ts';
import { H264Source, type VideoPacket } from './h264Source.ts';

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
