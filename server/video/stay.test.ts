import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deltaSlice, idrSlice, PPS, SPS } from '../testing/scriptedCamera.ts';
import { timeToGoWrong, until } from '../testing/waiting.ts';
import { startCamera, startPanel, startWatching, stateOf, watch } from './testing/testPanel.ts';
import type { WeriftViewer } from './testing/weriftViewer.ts';

/** The SPS of a 1080p picture. */
const LARGE_SPS = Buffer.from('67640028acd940780227e5c044000003000400000300c83c60c658', 'hex');

/** NAL types in order of arrival; a STAP-A is 24. */
const typesOf = (viewer: WeriftViewer): number[] =>
  viewer.received.video.map((packet) => packet.payload[0]! & 31);

/** One stream for the viewer: one SSRC, no gap in the numbers, no step back in time. */
function assertContinuous(viewer: WeriftViewer): void {
  const headers = viewer.received.video.map((packet) => packet.header);
  for (const [index, header] of headers.slice(1).entries()) {
    const before = headers[index]!;
    assert.equal(header.ssrc, before.ssrc);
    assert.equal(header.sequenceNumber, (before.sequenceNumber + 1) & 0xffff);
    const step = (header.timestamp - before.timestamp) | 0;
    assert.ok(step >= 0 && step < 60 * 90_000, `a step of ${step} ticks at ${index}`);
  }
}

test('should hold back a returning camera until its next key frame, even with another picture size', async (t) => {
  const { service, camera, video, viewer } = await startWatching(t);
  video.sendPicture();
  video.sendPicture([deltaSlice()]);
  await until(() => viewer.received.video.length === 3);
  camera.hangUp();
  await until(() => camera.methods().filter((method) => method === 'PLAY').length === 2, 'the second PLAY');
  video.restart();
  video.sendPicture([deltaSlice()]);
  video.sendPicture([LARGE_SPS, PPS, idrSlice()]);
  video.sendPicture([deltaSlice()]);
  await until(() => viewer.received.video.length === 6, 'the picture after the break');
  assert.deepEqual(typesOf(viewer), [24, 5, 1, 24, 5, 1]);
  assertContinuous(viewer);
  const { width, height, lost } = service.sessions().sessions[0]!;
  assert.deepEqual({ width, height, lost }, { width: 1920, height: 1080, lost: 0 });
});

test('should play on when the picture size changes in mid-stream', async (t) => {
  const { service, video, viewer } = await startWatching(t);
  video.sendPicture([SPS, PPS, idrSlice()]);
  video.sendPicture([LARGE_SPS, PPS, idrSlice()]);
  await until(() => viewer.received.video.length >= 4);
  assert.equal(service.sessions().sessions[0]!.width, 1920);
  assertContinuous(viewer);
});

test('should announce that a picture stands still and that it moves again', async (t) => {
  const { service, announced } = await startPanel(t, { stallMs: 1_000 });
  const { camera, video } = await startCamera(t);
  video.start();
  await watch(t, service, 'a', camera.url());
  await until(() => stateOf(service, 'a') === 'playing');
  video.stop();
  await until(() => announced.at(-1) === 'a stalled');
  video.start();
  await until(() => announced.at(-1) === 'a playing');
  assert.deepEqual(announced, ['a connecting', 'a playing', 'a stalled', 'a playing']);
  assert.equal(camera.connections.all, 1);
});

test('should answer a request for a key frame by repeating the last pictures, newer than what was shown', async (t) => {
  const { video, viewer } = await startWatching(t, { replayMs: 0 });
  video.sendPicture();
  video.sendPicture([deltaSlice()]);
  await until(() => viewer.received.video.length === 3);
  await viewer.askForKeyFrame();
  await until(() => viewer.received.video.length === 6, 'the pictures again');
  video.sendPicture([deltaSlice()]);
  await until(() => viewer.received.video.length === 7, 'the next picture');
  assert.deepEqual(typesOf(viewer), [24, 5, 1, 24, 5, 1, 1]);
  assertContinuous(viewer);
  const times = new Set(viewer.received.video.map(({ header }) => header.timestamp));
  assert.equal(times.size, 5);
});

test('should not answer requests for a key frame that come too often', async (t) => {
  const { video, viewer } = await startWatching(t, { replayMs: 60_000 });
  video.sendPicture();
  await until(() => viewer.received.video.length === 2);
  await viewer.askForKeyFrame();
  await timeToGoWrong(200);
  video.sendPicture([deltaSlice()]);
  await until(() => viewer.received.video.length === 3, 'the next picture');
  assert.deepEqual(typesOf(viewer), [24, 5, 1]);
});
