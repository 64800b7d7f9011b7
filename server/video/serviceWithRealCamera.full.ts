import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { FaceplateError } from '../contract/errors.ts';
import { EventBus } from '../platform/eventBus.ts';
import { silentLogger } from '../platform/log.ts';
import { CAMERA_LOGIN, type RtspCamera, startRtspCamera } from '../testing/rtspCamera.ts';
import { until } from '../testing/waiting.ts';
import type { StreamSession } from './contract.ts';
import { StreamService } from './service.ts';
import { openAccess } from './testing/openAccess.ts';
import { noSignal, startPanel } from './testing/testPanel.ts';
import { WeriftViewer } from './testing/weriftViewer.ts';

let camera: RtspCamera;
let service: StreamService;

before(async () => {
  camera = await startRtspCamera();
  service = new StreamService({
    log: silentLogger(),
    bus: new EventBus(silentLogger()),
    lingerSeconds: () => 0,
    access: openAccess,
    limits: { tickMs: 50 },
  });
  await service.start();
});

after(async () => {
  await service?.stop();
  await camera?.stop();
});

async function watch(
  t: TestContext,
  url: string,
): Promise<{ viewer: WeriftViewer; session: () => StreamSession }> {
  const viewer = new WeriftViewer();
  t.after(() => viewer.close());
  const { sdp } = await service.open(
    { id: 'test', url, sdp: await viewer.offer() },
    { signal: new AbortController().signal },
  );
  await viewer.accept(sdp);
  return { viewer, session: () => service.sessions().sessions[0]! };
}

for (const [mount, codec, payloadType] of [
  ['h264-pcmu', 'PCMU', 0],
  ['h264-opus', 'OPUS', 96],
] as const) {
  test(`should play H.264 with ${codec}`, async (t) => {
    const { viewer, session } = await watch(t, camera.url(mount));
    await until(
      () => viewer.received.video.length > 30 && viewer.received.audio.length > 5,
      'video and audio',
    );
    const { state, codec: video, audioCodec, width, height, lost } = session();
    assert.deepEqual(
      { state, video, audioCodec, width, height, lost },
      { state: 'playing', video: 'H264', audioCodec: codec, width: 640, height: 360, lost: 0 },
    );
    assert.equal(viewer.received.audio[0]!.header.payloadType, payloadType);
    assert.equal(viewer.received.video[0]!.payload[0]! & 31, 24);
  });
}

test('should leave out AAC and play the video', async (t) => {
  const { viewer, session } = await watch(t, camera.url('h264-aac'));
  await until(() => viewer.received.video.length > 10);
  assert.equal(session().audioCodec, null);
  assert.equal(viewer.received.audio.length, 0);
});

test('should play a camera that sends over UDP only', async (t) => {
  const { viewer, session } = await watch(t, camera.url('udp'));
  await until(() => viewer.received.video.length > 30 && viewer.received.audio.length > 5, 'video and sound');
  const { state, lost, audioCodec } = session();
  assert.deepEqual({ state, lost, audioCodec }, { state: 'playing', lost: 0, audioCodec: 'PCMU' });
});

test('should log in to a camera that asks for Digest', async (t) => {
  const { viewer, session } = await watch(t, camera.url('login', CAMERA_LOGIN));
  await until(() => viewer.received.video.length > 5);
  assert.equal(session().url, camera.url('login', 'cam'));
});

for (const [what, url, code, sentence] of [
  ['a wrong password', () => camera.url('login', 'cam:wrong'), 'CAMERA_UNAUTHORIZED', /refused/],
  ['no login', () => camera.url('login'), 'CAMERA_UNAUTHORIZED', /asks for a login/],
  ['an unknown path', () => camera.url('nothing'), 'CAMERA_NOT_FOUND', /404/],
  ['H.265', () => camera.url('h265'), 'UNSUPPORTED_CODEC', /H\.265/],
] as const) {
  test(`should answer ${what} with ${code}`, async (t) => {
    await assert.rejects(
      watch(t, url()),
      (error: unknown) =>
        error instanceof FaceplateError && error.code === code && sentence.test(error.message),
    );
    assert.deepEqual(service.sessions().sessions, []);
  });
}

test('should come back on its own when the camera is killed and started again', async (t) => {
  const own = await startRtspCamera();
  t.after(() => own.stop());
  const { viewer, session } = await watch(t, own.url('h264'));
  await until(() => viewer.received.video.length > 10);
  process.kill(own.pid, 'SIGKILL');
  await own.stop();
  await until(() => session().state === 'stalled', 'the stall');
  const again = await startRtspCamera(own.port);
  t.after(() => again.stop());
  const before = viewer.received.video.length;
  await until(() => viewer.received.video.length > before + 10, 'video after the restart');
  assert.equal(session().state, 'playing');
  assert.equal(viewer.state, 'connected');
  // It continues with parameter sets and a key frame, in the same sequence of numbers.
  const [last, next] = viewer.received.video.slice(before - 1, before + 1);
  assert.equal(next!.payload[0]! & 31, 24);
  assert.equal(next!.header.sequenceNumber, (last!.header.sequenceNumber + 1) & 0xffff);
  assert.equal(next!.header.ssrc, last!.header.ssrc);
});

test('should report that a camera has stopped, and play on in the same session when it continues', async (t) => {
  const own = await startRtspCamera();
  // Even after a failure: a stopped process could not be ended.
  t.after(() => {
    process.kill(own.pid, 'SIGCONT');
    return own.stop();
  });
  const { viewer, session } = await watch(t, own.url('h264'));
  await until(() => session().state === 'playing' && viewer.received.video.length > 10);
  const { startedAt } = session();
  process.kill(own.pid, 'SIGSTOP');
  await until(() => session().state === 'stalled', 'the stall');
  const before = viewer.received.video.length;
  process.kill(own.pid, 'SIGCONT');
  await until(() => viewer.received.video.length > before + 10, 'video after the stall');
  await until(() => session().state === 'playing', 'the session to play');
  assert.equal(session().startedAt, startedAt);
  assert.equal(viewer.state, 'connected');
});

test('should see the B-frames and the H.265 of real cameras, and name AAC', async (t) => {
  const camera = await startRtspCamera();
  t.after(() => camera.stop());
  const { service } = await startPanel(t, { inspectMs: 2_000 });
  const of = (mount: string) => service.inspect({ url: camera.url(mount) }, noSignal);
  const bFrames = await of('b-frames');
  assert.deepEqual([bFrames.ok, bFrames.code, bFrames.video?.bFrames], [false, 'B_FRAMES', true]);
  assert.match(bFrames.hint, /Baseline/);
  const h265 = await of('h265');
  assert.deepEqual([h265.code, h265.video?.codec], ['UNSUPPORTED_CODEC', 'H265']);
  const aac = await of('h264-aac');
  assert.deepEqual([aac.ok, aac.audio?.codec, aac.audio?.forwarded], [true, 'MPEG4-GENERIC', false]);
  const udp = await of('udp');
  assert.deepEqual([udp.ok, udp.video?.transport, udp.video?.bFrames], [true, 'udp', false]);
});
