import assert from 'node:assert/strict';
import { test } from 'node:test';
import { timeToGoWrong, until } from '../testing/waiting.ts';
import type { VideoPacket } from '../webrtc/rtp/h264Source.ts';
import { GopReplay } from './gopReplay.ts';

const packetOf = (timestamp: number, marker = true): VideoPacket => ({
  payload: Buffer.from([0x41]),
  timestamp,
  marker,
  startsKeyFrame: false,
  isRepeated: false,
});

function replayOf(recent: () => readonly VideoPacket[], again = false) {
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
