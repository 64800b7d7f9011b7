import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deltaSlice, idrSlice, usualReply } from '../testing/scriptedCamera.ts';
import { timeToGoWrong, until } from '../testing/waiting.ts';
import { streamSession } from './contract.ts';
import { RecentlyClosed } from './service.ts';
import {
  fails,
  idsOf,
  newViewer,
  noSignal,
  startCamera,
  startPanel,
  startWatching,
  stateOf,
  watch,
} from './testing/testPanel.ts';

test('should play a camera to a viewer and report what it plays', async (t) => {
  const { service, announced } = await startPanel(t);
  const { camera, video } = await startCamera(t);
  video.start();
  const viewer = await watch(t, service, 'door', camera.url('/live', 'cam:s3cret'));
  await until(() => viewer.received.video.length > 20, 'video at the viewer');
  const { sessions, max } = service.sessions();
  assert.equal(max, 8);
  const session = streamSession.parse(sessions[0]);
  assert.deepEqual(
    [session.id, session.state, session.codec, session.audioCodec, session.width, session.height],
    ['door', 'playing', 'H264', null, 640, 360],
  );
  assert.deepEqual([session.lost, session.viewers], [0, 1]);
  assert.ok(session.packets >= 20 && session.bitrate > 0 && session.firstFrameMs !== null);
  assert.deepEqual(announced, ['door connecting', 'door playing']);
  // Parameter sets first, then the key frame: a decoder needs that order.
  assert.deepEqual(
    viewer.received.video.slice(0, 2).map((packet) => packet.payload[0]! & 31),
    [24, 5],
  );
});

test('should give a new viewer the last key frame at once', async (t) => {
  const { service } = await startPanel(t);
  const { camera, video } = await startCamera(t);
  const first = await watch(t, service, 'one', camera.url());
  await first.connected();
  video.sendPicture();
  video.sendPicture([deltaSlice()]);
  await until(() => first.received.video.length === 3);
  // The camera sends nothing more: what the second viewer gets can only come from the cache.
  const second = await watch(t, service, 'two', camera.url());
  await until(() => second.received.video.length === 3, 'the cached pictures');
  assert.deepEqual(
    second.received.video.map((packet) => packet.payload[0]! & 31),
    [24, 5, 1],
  );
  assert.equal(camera.connections.all, 1);
  assert.deepEqual(
    service.sessions().sessions.map(({ viewers }) => viewers),
    [2, 2],
  );
});

test('should keep cameras with other logins apart', async (t) => {
  const { service } = await startPanel(t);
  const { camera } = await startCamera(t);
  await watch(t, service, 'one', camera.url('/live', 'a:1'));
  await watch(t, service, 'two', camera.url('/live', 'a:2'));
  assert.equal(camera.connections.all, 2);
});

test('should wait for a key frame before it sends anything', async (t) => {
  const { video, viewer } = await startWatching(t);
  video.sendPicture([deltaSlice()]);
  video.sendPicture([deltaSlice()]);
  video.sendPicture([idrSlice(5_000)]);
  await until(() => viewer.received.video.length >= 6);
  assert.deepEqual(
    viewer.received.video.map((packet) => packet.payload[0]! & 31),
    [24, 28, 28, 28, 28, 28],
  );
  assert.ok(viewer.received.video.every((packet) => packet.payload.length <= 1_200));
  assert.deepEqual(
    viewer.received.video.map((packet) => packet.header.marker),
    [false, false, false, false, false, true],
  );
});

test('should answer even if the camera plays nothing, and report the session as stalled', async (t) => {
  const { service, announced } = await startPanel(t, { stallMs: 100 });
  const { camera } = await startCamera(t);
  const viewer = await watch(t, service, 'dead', camera.url());
  await until(() => stateOf(service, 'dead') === 'stalled');
  await viewer.connected();
  assert.equal(service.sessions().sessions[0]!.firstFrameMs, null);
  await until(() => announced.includes('dead stalled'));
});

test('should connect again to a camera that goes away, while its viewer stays', async (t) => {
  const { service, announced } = await startPanel(t, { stallMs: 1_000 });
  let isBroken = false;
  const { camera, video } = await startCamera(t, (request) =>
    isBroken && request.method === 'DESCRIBE' ? { status: 500 } : usualReply(request),
  );
  video.start();
  const viewer = await watch(t, service, 'a', camera.url());
  await until(() => viewer.received.video.length > 5);
  isBroken = true;
  camera.hangUp();
  await until(() => stateOf(service, 'a') === 'stalled');
  await until(() => camera.connections.all >= 3, 'another try');
  video.restart();
  isBroken = false;
  const before = viewer.received.video.length;
  await until(() => viewer.received.video.length > before + 5, 'video after the break');
  assert.equal(viewer.state, 'connected');
  await until(() => announced.length >= 4 && announced.at(-1) === 'a playing');
  assert.deepEqual(announced, ['a connecting', 'a playing', 'a stalled', 'a playing']);
  // One stream for the viewer: no gap in the numbers, no step back in time.
  const headers = viewer.received.video.map((packet) => packet.header);
  for (const [index, header] of headers.slice(1).entries()) {
    assert.equal(header.sequenceNumber, (headers[index]!.sequenceNumber + 1) & 0xffff);
    const step = (header.timestamp - headers[index]!.timestamp) | 0;
    assert.ok(step >= 0 && step < 60 * 90_000, `a step of ${step} ticks at ${index}`);
  }
});

test('should connect again to a camera that falls silent', async (t) => {
  const { service } = await startPanel(t, { stallMs: 50, reconnectMs: 150 });
  const { camera } = await startCamera(t);
  await watch(t, service, 'a', camera.url());
  await until(() => camera.connections.all >= 2, 'another connection');
  await until(() => camera.methods().includes('TEARDOWN'));
});

test('should say goodbye to the viewer of a session that is closed, and when the panel stops', async (t) => {
  const { service } = await startPanel(t);
  const { camera } = await startCamera(t);
  const one = await watch(t, service, 'one', camera.url());
  const two = await watch(t, service, 'two', camera.url());
  await Promise.all([one.connected(), two.connected()]);
  await service.close({ id: 'one' });
  await until(() => one.hasHeardGoodbye, 'the goodbye of DELETE');
  assert.equal(two.hasHeardGoodbye, false);
  await service.stop();
  await until(() => two.hasHeardGoodbye, 'the goodbye of the panel');
});

test('should keep the camera for a while after its last viewer, then release it', async (t) => {
  const { service } = await startPanel(t, {}, 0.3);
  const { camera } = await startCamera(t);
  await watch(t, service, 'a', camera.url());
  await service.close({ id: 'a' });
  assert.equal(camera.connections.open, 1);
  await watch(t, service, 'b', camera.url());
  assert.equal(camera.connections.all, 1);
  await service.close({ id: 'b' });
  await until(() => camera.connections.open === 0);
  assert.ok(camera.methods().includes('TEARDOWN'));
});

test('should let a ninth session wait until one of eight is closed', async (t) => {
  const { service } = await startPanel(t);
  const { camera } = await startCamera(t);
  const { sdp } = await newViewer(t);
  const open = (id: string): Promise<unknown> => service.open({ id, url: camera.url(), sdp }, noSignal);
  for (let i = 1; i <= 8; i++) await open(`s${i}`);
  await assert.rejects(open('s9'), fails('SESSION_LIMIT'));
  assert.equal(service.sessions().sessions.length, 8);
  // Taking over needs no free place.
  await open('s3');
  assert.deepEqual(idsOf(service).sort(), ['s1', 's2', 's3', 's4', 's5', 's6', 's7', 's8']);
  assert.deepEqual(await service.close({ id: 's1' }), { status: 'stopped' });
  await open('s9');
  assert.equal(camera.connections.all, 1);
});

test('should end the old session when its id is taken over', async (t) => {
  const { service } = await startPanel(t);
  const { camera, video } = await startCamera(t);
  video.start();
  const old = await watch(t, service, 'same', camera.url());
  await until(() => old.received.video.length > 0);
  const young = await watch(t, service, 'same', camera.url());
  await until(() => young.received.video.length > 0);
  const before = old.received.video.length;
  await timeToGoWrong(100);
  assert.equal(old.hasHeardGoodbye, false, 'two viewers of one id would take it from each other for ever');
  assert.ok(old.received.video.length <= before + 1, 'the old viewer still gets video');
  assert.equal(idsOf(service).length, 1);
  // lingerSeconds is 0: only a camera that is handed over keeps its connection.
  assert.equal(camera.connections.all, 1);
});

test('should report a viewer that left once, within 30 seconds', () => {
  let now = 0;
  const ids = new RecentlyClosed(() => now);
  ids.add('a');
  ids.add('b');
  now = 29_999;
  assert.deepEqual([ids.take('a'), ids.take('a'), ids.take('never')], [true, false, false]);
  now = 30_000;
  assert.equal(ids.take('b'), false);
});

test('security: should remember no more than 64 viewers that left', () => {
  const ids = new RecentlyClosed(() => 0);
  for (let index = 0; index < 65; index++) ids.add(`viewer-${index}`);
  assert.deepEqual([ids.take('viewer-0'), ids.take('viewer-1'), ids.take('viewer-64')], [false, true, true]);
});
