import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timeToGoWrong, until } from '../../testing/waiting.ts';
import type { VideoPacket } from '../../webrtc/rtp/h264Source.ts';
import { GopCache, GopReplay, type PictureGroup } from './gop.ts';

const packet = (payload: Buffer, startsKeyFrame = false): VideoPacket => ({
  payload,
  timestamp: 0,
  marker: true,
  startsKeyFrame,
});

const packetsOf = (group: PictureGroup): VideoPacket[] =>
  Array.from({ length: group.length }, (_, index) => group.at(index)!);

/** A group of packets of different lengths, with other bytes for each. */
function group(count: number, seed: number): Buffer[] {
  return Array.from({ length: count }, (_, i) => Buffer.alloc(1 + ((i * 379 + seed) % 1_200), i + seed));
}

test('should keep each group unchanged, longer and shorter ones in turn, whatever becomes of the chunks', () => {
  const cache = new GopCache();
  for (const [seed, count] of [900, 40, 1_500, 1, 700].entries()) {
    const payloads = group(count, seed);
    for (const [index, payload] of payloads.entries()) {
      const chunk = Buffer.from(payload);
      cache.add(packet(chunk, index === 0));
      chunk.fill(0xee);
    }
    assert.equal(cache.packets.length, count);
    for (const [index, payload] of payloads.entries()) {
      assert.ok(cache.packets.at(index)!.payload.equals(payload), `packet ${index} of group ${seed}`);
    }
  }
});

test('should be another object with each group, so that a reader sees that its packets are gone', () => {
  const cache = new GopCache();
  cache.add(packet(Buffer.from('first'), true));
  const before = cache.packets;
  cache.add(packet(Buffer.from('second')));
  assert.equal(cache.packets, before);
  cache.add(packet(Buffer.from('third'), true));
  assert.notEqual(cache.packets, before);
  assert.deepEqual(
    packetsOf(cache.packets).map(({ payload }) => payload.toString()),
    ['third'],
  );
  assert.deepEqual([before.length, before.at(0), before.at(-1)], [0, undefined, undefined]);
});

test('should take no new memory for the next groups of the same size', () => {
  const cache = new GopCache();
  const memoryOfGroup = (): Set<ArrayBufferLike> => {
    for (const [index, payload] of group(900, 1).entries()) cache.add(packet(payload, index === 0));
    return new Set(packetsOf(cache.packets).map(({ payload }) => payload.buffer));
  };
  const first = memoryOfGroup();
  assert.ok(first.size > 1);
  for (let next = 0; next < 2; next++) {
    assert.ok([...memoryOfGroup()].every((memory) => first.has(memory)));
  }
});

const packetOf = (timestamp: number, marker = true): VideoPacket => ({
  payload: Buffer.from([0x41]),
  timestamp,
  marker,
  startsKeyFrame: false,
});

function replayOf(recent: () => PictureGroup, again = false) {
  const sent: string[] = [];
  const done: boolean[] = [];
  const replay = new GopReplay({
    recent,
    again,
    send: ({ timestamp }, repeats) => sent.push(`${timestamp}${repeats ? ' again' : ''}`),
    onDone: (isComplete) => done.push(isComplete),
  });
  return { replay, sent, done };
}

test('should spread a large group over some milliseconds, and send new pictures in order', async () => {
  const group = Array.from({ length: 100 }, (_, index) => packetOf(index));
  const { replay, sent, done } = replayOf(() => group);
  replay.start();
  assert.ok(sent.length < 50, `${sent.length} at once`);
  group.push(packetOf(100));
  replay.onAppended();
  await until(() => done.length > 0, 'the end');
  assert.deepEqual(
    sent,
    group.map(({ timestamp }) => String(timestamp)),
  );
  assert.deepEqual(done, [true]);
});

test('should give the first picture time before the others follow', async () => {
  const group = [packetOf(1, false), packetOf(1), packetOf(2), packetOf(3)];
  const { replay, sent, done } = replayOf(() => group);
  replay.start();
  assert.deepEqual(sent, ['1', '1']);
  await until(() => done.length > 0, 'the end');
  assert.deepEqual(sent, ['1', '1', '2', '3']);
});

test('should switch to the next group when a key frame comes in between', async () => {
  let group = Array.from({ length: 100 }, (_, index) => packetOf(index));
  const { replay, sent, done } = replayOf(() => group, true);
  replay.start();
  group = [packetOf(1_000)];
  replay.onAppended();
  await until(() => done.length > 0, 'the end');
  assert.equal(sent.at(0), '0 again');
  assert.equal(sent.at(-1), '1000');
  assert.ok(sent.length < 50);
  assert.deepEqual(done, [true]);
});

test('should wait for a key frame when the group has grown too large', async () => {
  let group: VideoPacket[] = Array.from({ length: 100 }, (_, index) => packetOf(index));
  const { replay, done } = replayOf(() => group);
  replay.start();
  group = [];
  await until(() => done.length > 0, 'the end');
  assert.deepEqual(done, [false]);
});

test('should not end in the middle of a picture that is sent again', async () => {
  const group = [packetOf(1), packetOf(2, false)];
  const { replay, sent, done } = replayOf(() => group, true);
  replay.start();
  await until(() => sent.length === 2, 'the beginning of the second picture');
  assert.deepEqual(done, []);
  group.push(packetOf(2));
  replay.onAppended();
  assert.deepEqual([sent, done], [['1 again', '2 again', '2 again'], [true]]);
});

test('should send nothing more after it was stopped', async () => {
  const group = Array.from({ length: 100 }, (_, index) => packetOf(index));
  const { replay, sent, done } = replayOf(() => group);
  replay.start();
  replay.stop();
  const before = sent.length;
  // Longer than the pause between two slices.
  await timeToGoWrong(20);
  assert.deepEqual([sent.length, done], [before, []]);
});

function videoPacket(timestamp: number, startsKeyFrame: boolean, length = 10): VideoPacket {
  return { payload: Buffer.alloc(length), timestamp, marker: true, startsKeyFrame };
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
    packetsOf(cache.packets).map(({ timestamp }) => timestamp),
    [10_800],
  );
});

test('should copy payloads, as their buffers belong to a socket', () => {
  const cache = new GopCache();
  const packet = videoPacket(0, true);
  cache.add(packet);
  packet.payload.fill(1);
  assert.equal(cache.packets.at(0)!.payload[0], 0);
});

test('should give packets back as they were, from either end', () => {
  const cache = new GopCache();
  const sent = Array.from({ length: 3_000 }, (_, index) => ({
    payload: Buffer.from(String(index)),
    timestamp: (0xfffff000 + index * 7) >>> 0,
    marker: index % 3 === 0,
    startsKeyFrame: index === 0,
  }));
  for (const each of sent) cache.add(each);
  assert.deepEqual(packetsOf(cache.packets), sent);
  assert.deepEqual([cache.packets.at(-1), cache.packets.at(-3_000)], [sent.at(-1), sent[0]]);
  assert.deepEqual([cache.packets.at(3_000), cache.packets.at(-3_001)], [undefined, undefined]);
});

test('should drop a group of more than 8 MB, 10 s or 32,768 packets, and begin again at the next key frame', () => {
  const cache = new GopCache();
  cache.add(videoPacket(0, true));
  for (let i = 1; i <= 33; i++) cache.add(videoPacket(i, false, 256 * 1024 - 1));
  assert.equal(cache.packets.length, 0);
  cache.add(videoPacket(0, true, 1));
  for (let i = 1; i < 32_768; i++) cache.add(videoPacket(0, false, 1));
  assert.equal(cache.packets.length, 32_768);
  cache.add(videoPacket(0, false, 1));
  assert.equal(cache.packets.length, 0);
  cache.add(videoPacket(0, true, 256 * 1024 + 1));
  assert.equal(cache.packets.length, 0);
  cache.add(videoPacket(0xffffff00, true));
  cache.add(videoPacket((0xffffff00 + 899_999) >>> 0, false));
  assert.equal(cache.packets.length, 2);
  cache.add(videoPacket((0xffffff00 + 900_001) >>> 0, false));
  assert.equal(cache.packets.length, 0);
});
