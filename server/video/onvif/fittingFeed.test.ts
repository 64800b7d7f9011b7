import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Clock, systemClock } from '../../platform/clock.ts';
import { timeToGoWrong, until } from '../../testing/waiting.ts';
import { OnvifCamera } from '../testing/onvifCamera.ts';
import { fails, newViewer, noSignal, startCamera, startPanel } from '../testing/testPanel.ts';
import { choose } from './choice.ts';

/** The two seconds of a better profile, and the ten of a failed switch, pass 20 times as fast. */
const clock: Clock = {
  now: () => systemClock.now(),
  after: (ms, run) => systemClock.after(ms === 2_000 || ms === 10_000 ? ms / 20 : ms, run),
};

async function start(t: TestContext) {
  const [main, sub] = await Promise.all([startCamera(t), startCamera(t)]);
  const at = (camera: typeof main.camera) => camera.url().replace('127.0.0.1', '0.0.0.0');
  const camera = new OnvifCamera({
    login: 'none',
    profiles: [
      { token: 'main', codec: 'H264', width: 1280, height: 720, uri: at(main.camera) },
      { token: 'sub', codec: 'H264', width: 640, height: 360, uri: at(sub.camera) },
    ],
  });
  await camera.start();
  t.after(() => camera.stop());
  const { service } = await startPanel(t, {}, 0, clock);
  return { camera, main, sub, service };
}

test('should choose by pixels, 0.8 of the viewer, and 1920x1080 without a size', () => {
  const of = (width: number, height: number, codec = 'H264') => ({ width, height, codec });
  const [small, wide, large, huge] = [of(640, 360), of(1280, 720), of(1920, 1080), of(3840, 2160)];
  const all = [huge, of(320, 180, 'H265'), small, large, wide];
  const size = (width: number, height: number) => ({ width, height });
  assert.equal(choose(all, size(800, 450)), small);
  assert.equal(choose(all, size(801, 450)), wide);
  assert.equal(choose(all, size(100, 451)), wide);
  assert.equal(choose(all, size(16_384, 16_384)), huge);
  assert.equal(choose(all), large);
  assert.equal(choose([huge, of(5_000, 3_000)]), huge);
  assert.equal(choose([of(1, 1, 'H265')]), undefined);
  assert.equal(choose([wide, of(1280, 720)], size(1, 1)), wide);
});

test('should change to the profile that fits, at its key frame, on one time line', async (t) => {
  const { camera, main, sub, service } = await start(t);
  sub.video.start();
  const { viewer, sdp } = await newViewer(t);
  const answer = await service.open({ id: 'a', url: camera.url(), sdp, width: 320, height: 180 }, noSignal);
  assert.deepEqual(answer.profile, { token: 'sub', width: 640, height: 360 });
  await viewer.accept(answer.sdp);
  const { video } = viewer.received;
  await until(() => video.length > 20, 'the small profile');

  const large = { token: 'main', width: 1280, height: 720 };
  assert.deepEqual(await service.size({ id: 'a', width: 1280, height: 720 }, noSignal), { profile: large });
  // For less than two seconds: nothing is connected.
  await service.size({ id: 'a', width: 320, height: 180 }, noSignal);
  await timeToGoWrong(200);
  assert.equal(main.camera.connections.all, 0);
  await service.size({ id: 'a', width: 1280, height: 720 }, noSignal);
  await until(() => main.camera.methods().includes('PLAY'), 'the large profile to be connected');
  // It sends no key frame yet: the small one goes on.
  const before = video.length;
  for (let at = 0; at < 5; at++) main.video.sendPicture([Buffer.from('419a0101', 'hex')]);
  await until(() => video.length > before + 10, 'the small profile to go on');
  assert.equal(service.sessions().sessions[0]!.profile?.token, 'sub');
  main.video.start();
  await until(() => service.sessions().sessions[0]!.profile?.token === 'main', 'the switch');
  const after = video.length;
  await until(() => video.length > after + 10, 'the large profile');
  await until(() => sub.camera.connections.open === 0, 'the small profile to be left');

  assert.equal(new Set(video.map(({ header }) => header.ssrc)).size, 1);
  for (const [index, { header }] of video.entries()) {
    if (index === 0) continue;
    const last = video[index - 1]!.header;
    assert.equal(header.sequenceNumber, (last.sequenceNumber + 1) & 0xffff);
    const step = (header.timestamp - last.timestamp) | 0;
    assert.ok(step >= 0 && step < 90_000, `a step of ${step}`);
  }
  assert.deepEqual(service.sessions().sessions[0]!.profile, large);
  assert.equal(sub.camera.connections.all + main.camera.connections.all, 2);
});

test('should share a connection between viewers of one profile, and keep the picture when a switch fails', async (t) => {
  const { camera, main, sub, service } = await start(t);
  sub.video.start();
  const watch = async (id: string) => {
    const { viewer, sdp } = await newViewer(t);
    await viewer.accept(
      (await service.open({ id, url: camera.url(), sdp, width: 16, height: 16 }, noSignal)).sdp,
    );
    await until(() => viewer.received.video.length > 5, `video for ${id}`);
    return viewer;
  };
  const first = await watch('a');
  await watch('b');
  assert.equal(sub.camera.connections.all, 1);
  assert.deepEqual(
    service.sessions().sessions.map(({ viewers }) => viewers),
    [2, 2],
  );
  const { port } = main.camera;
  await main.camera.stop();
  await service.size({ id: 'a', width: 1280, height: 720 }, noSignal);
  const before = first.received.video.length;
  await timeToGoWrong(400);
  assert.ok(first.received.video.length > before);
  assert.equal(service.sessions().sessions[0]!.profile?.token, 'sub');
  await main.camera.start(port);
  main.video.start();
  await until(() => service.sessions().sessions[0]!.profile?.token === 'main', 'another try');
  assert.equal(service.sessions().sessions[1]!.profile?.token, 'sub');
  await assert.rejects(
    service.size({ id: 'c', width: 16, height: 16 }, noSignal),
    fails('SESSION_NOT_FOUND'),
  );
});

test('should inspect what a viewer without a size would get, and pass on why a camera does not open', async (t) => {
  const { camera, main, service } = await start(t);
  main.video.start();
  const found = await service.inspect({ url: camera.url() }, noSignal);
  assert.deepEqual([found.code, found.video?.width], ['OK', 640]);
  camera.options.profiles = [{ token: 'x', codec: 'H265', width: 1, height: 1, uri: 'rtsp://a/' }];
  camera.options.login = 'token';
  const { sdp } = await newViewer(t);
  const open = (login: string) => service.open({ id: 'a', url: camera.url(login), sdp }, noSignal);
  await assert.rejects(open('panel:wrong'), fails('CAMERA_UNAUTHORIZED'));
  await assert.rejects(open('panel:s3cret%3C%26%3E'), fails('UNSUPPORTED_CODEC', /H265/));
  assert.deepEqual(service.sessions().sessions, []);
});
