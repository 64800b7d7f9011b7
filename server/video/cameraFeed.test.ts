import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { systemClock } from '../platform/clock.ts';
import { createLogger, silentLogger } from '../platform/log.ts';
import { FakeClock } from '../testing/fakeClock.ts';
import { deltaSlice, idrSlice, type ScriptedCamera, ScriptedVideo } from '../testing/scriptedCamera.ts';
import { until } from '../testing/waiting.ts';
import type { VideoPacket } from '../webrtc/rtp/h264Source.ts';
import { CameraFeed } from './cameraFeed.ts';
import { defaultMediaLimits } from './limits.ts';
import { parseCameraUrl } from './rtsp/cameraUrl.ts';
import { openAccess } from './testing/openAccess.ts';
import { startCamera } from './testing/rtspClient.ts';

interface Watched {
  readonly feed: CameraFeed;
  readonly clock: FakeClock;
  readonly camera: ScriptedCamera;
  readonly video: ScriptedVideo;
  readonly packets: VideoPacket[];
  /** Pauses before retries so far, in milliseconds. */
  readonly pauses: readonly number[];
  /** Sends a picture and waits until it arrives. */
  show(nals?: readonly Buffer[]): Promise<void>;
}

/** A feed with real sockets whose time stands still until the test moves it. */
async function watchCamera(t: TestContext, random = 0): Promise<Watched> {
  const camera = await startCamera(t);
  const video = new ScriptedVideo(camera);
  const pauses: number[] = [];
  const clock = new (class extends FakeClock {
    override after(milliseconds: number, run: () => void): () => void {
      const { tickMs, openMs } = defaultMediaLimits;
      // The end of a picture waits for at most 100 ms.
      if (milliseconds !== tickMs && milliseconds !== openMs && milliseconds > 100) pauses.push(milliseconds);
      return super.after(milliseconds, run);
    }
  })();
  const feed = new CameraFeed({
    url: parseCameraUrl(camera.url()),
    limits: defaultMediaLimits,
    log: silentLogger(),
    access: openAccess,
    clock,
    random: () => random,
    isWanted: () => true,
    onEnded: () => {},
  });
  const packets: VideoPacket[] = [];
  feed.attach({ onVideo: (packet) => packets.push(packet), onAudio: () => {}, onRestart: () => {} });
  feed.start();
  t.after(() => feed.stop());
  await feed.ready;
  const show = async (nals?: readonly Buffer[]): Promise<void> => {
    const before = packets.length;
    const timers = clock.pending;
    video.sendPicture(nals);
    await until(() => packets.length > before || clock.pending > timers, 'the picture');
  };
  return { feed, clock, camera, video, packets, pauses, show };
}

/** Moves time in steps in which real sockets keep up. */
async function pass(clock: FakeClock, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 100) await clock.advance(Math.min(100, left));
}

test('should be stalled after 2 s without video, and well again with the next picture', async (t) => {
  const { feed, clock, show } = await watchCamera(t);
  await show();
  await pass(clock, 1_900);
  assert.equal(feed.isStalled(), false);
  // The first picture has waited 10 ms for what shows that its marker is right.
  await pass(clock, 110);
  assert.equal(feed.isStalled(), true);
  await show();
  assert.equal(feed.isStalled(), false);
});

test('should connect again after 5 s of silence, and stay stalled until a picture comes', async (t) => {
  const { feed, clock, camera, pauses, show } = await watchCamera(t);
  await show();
  await pass(clock, 4_900);
  assert.equal(camera.connections.all, 1);
  await clock.advance(100);
  await until(() => pauses.length === 1, 'the pause before the next try');
  assert.ok(camera.methods().includes('TEARDOWN'));
  await clock.advance(pauses[0]!);
  await until(() => camera.methods().filter((method) => method === 'PLAY').length === 2, 'the second PLAY');
  assert.equal(feed.isStalled(), true);
  await show();
  assert.equal(feed.isStalled(), false);
});

test('should wait for three pictures of a camera that sends one every four seconds', async (t) => {
  const { clock, camera, show, video, pauses } = await watchCamera(t);
  for (let picture = 0; picture < 3; picture++) {
    await show();
    video.skip(4_000 * 90 - 3_600);
    await pass(clock, 4_000);
  }
  await pass(clock, 7_400);
  assert.ok(!camera.methods().includes('TEARDOWN'));
  await pass(clock, 1_200);
  await until(() => pauses.length === 1, 'the end of the silent connection');
});

test('should try again after 0.5 s, then after doubling pauses up to 15 s', async (t) => {
  const { clock, camera, pauses, show } = await watchCamera(t);
  await show();
  const { port } = camera;
  await camera.stop();
  for (let failure = 0; failure < 7; failure++) {
    await until(() => pauses.length === failure + 1, 'a pause');
    await clock.advance(pauses[failure]!);
  }
  await until(() => pauses.length === 8, 'the last pause');
  // Three quarters of the whole pause, since chance is 0.
  assert.deepEqual(pauses, [375, 750, 1_500, 3_000, 6_000, 11_250, 11_250, 11_250]);
  await camera.start(port);
  await clock.advance(11_250);
  await until(() => camera.methods().filter((method) => method === 'PLAY').length === 2, 'the second PLAY');
  await show();
  camera.hangUp();
  await until(() => pauses.length === 9, 'a pause');
  assert.equal(pauses[8], 375);
});

test('should spread the tries of several panels by a quarter of the pause', async (t) => {
  const { camera, pauses } = await watchCamera(t, 0.5);
  camera.hangUp();
  await until(() => pauses.length === 1, 'the pause');
  assert.equal(pauses[0], 437.5);
});

test('should begin a group of pictures again after the connection was lost', async (t) => {
  const { feed, clock, camera, show, packets, pauses } = await watchCamera(t);
  await show();
  await show([deltaSlice()]);
  assert.equal(feed.recent.length, 3);
  camera.hangUp();
  await until(() => pauses.length === 1, 'the pause');
  await clock.advance(pauses[0]!);
  await until(() => camera.methods().filter((method) => method === 'PLAY').length === 2, 'the second PLAY');
  await show([deltaSlice()]);
  assert.equal(feed.recent.length, 0);
  await show([idrSlice()]);
  // The first picture of a connection shows whether its marker is right.
  await clock.advance(10);
  assert.equal(feed.recent.length, 2);
  assert.ok(packets.at(-2)!.startsKeyFrame);
});

test('should say in the log that nothing came over UDP, and play over TCP', async (t) => {
  const camera = await startCamera(t);
  let logged = '';
  const feed = new CameraFeed({
    url: parseCameraUrl(camera.url('/stream', 'cam:s3cret')),
    limits: { ...defaultMediaLimits, udpMs: 200 },
    log: createLogger('warn', { write: (line: string) => (logged += line) } as never),
    access: { ...openAccess, udpHosts: () => ['127.0.0.1'] },
    clock: systemClock,
    isWanted: () => false,
    onEnded: () => {},
  });
  feed.start();
  t.after(() => feed.stop());
  await feed.ready;
  assert.match(logged, /"camera":"127\.0\.0\.1".*nothing received over UDP/);
  assert.doesNotMatch(logged, /s3cret/);
});

test('should go on for the others when a viewer leaves while it gets a packet', async (t) => {
  const { feed, packets, show } = await watchCamera(t);
  const others = { onAudio: () => {}, onRestart: () => {} };
  let got = 0;
  const leaving = {
    ...others,
    onVideo: () => {
      got++;
      feed.detach(leaving);
    },
  };
  const later: VideoPacket[] = [];
  feed.attach(leaving);
  feed.attach({ ...others, onVideo: (packet) => later.push(packet) });
  await show();
  await show();
  assert.equal(got, 1);
  assert.deepEqual(later, packets);
});

test('should be steady until a picture comes much later than its timestamp says, and again half a minute later', async (t) => {
  const { feed, clock, show } = await watchCamera(t);
  const steadyAfter = async (ms: number): Promise<boolean> => {
    await pass(clock, ms - 10);
    await show([deltaSlice()]);
    // The end of a picture may wait for so long.
    await pass(clock, 10);
    return feed.isSteady;
  };
  // Pictures 100 ms apart, though 40 by their timestamps, are no pause.
  for (const ms of [40, 40, 130, 100]) assert.ok(await steadyAfter(ms));
  assert.ok(!(await steadyAfter(150)));
  for (let i = 0; i < 290; i++) assert.ok(!(await steadyAfter(100)));
  // The second pause comes before the time of the first is over.
  for (let i = 0; i < 290; i++) assert.ok(!(await steadyAfter(i === 0 ? 150 : 100)));
  for (let i = 0; i < 12; i++) await steadyAfter(100);
  assert.ok(feed.isSteady);
});
