import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { systemClock } from '../platform/clock.ts';
import { silentLogger } from '../platform/log.ts';
import { deltaSlice, ScriptedVideo } from '../testing/scriptedCamera.ts';
import { letPass, timeToGoWrong, until } from '../testing/waiting.ts';
import { createCertificate } from '../webrtc/dtls/dtls.ts';
import { LoopbackSocket } from '../webrtc/ice/loopbackSocket.ts';
import { parseOffer } from '../webrtc/offer.ts';
import { PLAYOUT_DELAY } from '../webrtc/rtp/rtpPacket.ts';
import { CameraFeed } from './cameraFeed.ts';
import { defaultMediaLimits } from './limits.ts';
import { parseCameraUrl } from './rtsp/cameraUrl.ts';
import { openAccess } from './testing/openAccess.ts';
import { startCamera } from './testing/rtspClient.ts';
import { WeriftViewer } from './testing/weriftViewer.ts';
import { Viewer } from './viewer.ts';

/** A socket that stops accepting data when the test says so. */
class SlowSocket extends LoopbackSocket {
  isFull = false;
  /** How often a packet was to be sent while it was full. */
  refused = 0;

  override isCongested(): boolean {
    if (this.isFull) this.refused++;
    return this.isFull;
  }
}

/** A viewer that got one key frame. */
async function connect(t: TestContext, edit = (sdp: string): string => sdp) {
  const camera = await startCamera(t);
  const video = new ScriptedVideo(camera);
  const socket = new SlowSocket();
  await socket.start();
  t.after(() => socket.stop());
  const feed = new CameraFeed({
    url: parseCameraUrl(camera.url()),
    limits: defaultMediaLimits,
    log: silentLogger(),
    access: openAccess,
    clock: systemClock,
    isWanted: () => true,
    onEnded: () => {},
  });
  feed.start();
  t.after(() => feed.stop());
  await feed.ready;
  const browser = new WeriftViewer(false);
  t.after(() => browser.close());
  const viewer = new Viewer({
    feed,
    socket,
    certificate: await createCertificate(),
    offer: parseOffer(edit(await browser.offer())),
    limits: defaultMediaLimits,
    onFirstFrame: () => {},
    onGone: () => {},
  });
  t.after(() => viewer.close());
  await browser.accept(viewer.open());
  await browser.connected();
  video.sendPicture();
  await until(() => browser.received.video.length === 2);
  return { browser, socket, video };
}

/** NAL types in order of arrival; a STAP-A is 24. */
const typesOf = (browser: WeriftViewer): number[] =>
  browser.received.video.map((packet) => packet.payload[0]! & 31);

test('should skip to the next key frame for a viewer that cannot keep up', async (t) => {
  const { browser, socket, video } = await connect(t);
  socket.isFull = true;
  video.sendPicture([deltaSlice()]);
  await until(() => socket.refused > 0, 'the picture that is skipped');
  socket.isFull = false;
  video.sendPicture([deltaSlice()]);
  video.sendPicture();
  video.sendPicture([deltaSlice()]);
  await until(() => browser.received.video.length === 5, 'the pictures from the key frame on');
  assert.deepEqual(typesOf(browser), [24, 5, 24, 5, 1]);
  // Skipped pictures are no loss: the numbers continue, and nothing is requested again.
  const numbers = browser.received.video.map(({ header }) => header.sequenceNumber);
  assert.deepEqual(
    numbers.map((number) => number - numbers[0]!),
    [0, 1, 2, 3, 4],
  );
});

test('should skip to the next key frame for a viewer that reports much loss for a second', async (t) => {
  const { browser, video } = await connect(t);
  let sent = 0;
  await until(() => {
    void browser.reportLoss(0.5);
    video.sendPicture([deltaSlice()]);
    sent++;
    return sent > 100 && typesOf(browser).length + 20 < sent;
  }, 'the end of what is sent');
  video.sendPicture();
  await until(() => typesOf(browser).at(-1) === 5, 'the key frame');
  const deltas = typesOf(browser).slice(2, -2);
  assert.deepEqual(typesOf(browser).slice(-2), [24, 5]);
  assert.ok(deltas.length < sent, 'nothing was left out');
  // It gets what follows, and a single bad report changes nothing.
  await browser.reportLoss(0.5);
  await timeToGoWrong(50);
  video.sendPicture([deltaSlice()]);
  await until(() => typesOf(browser).at(-1) === 1, 'the next picture');
});

test('should skip to the next key frame for a viewer that requests packets no longer kept', async (t) => {
  const { browser, video } = await connect(t);
  const first = browser.received.video[0]!.header.sequenceNumber;
  for (let i = 0; i < 1_100; i += 50) {
    for (let j = 0; j < 50; j++) video.sendPicture([deltaSlice()]);
    await until(() => browser.received.video.length >= 2 + i + 50, 'the pictures');
  }
  await browser.retry(first);
  await letPass(200);
  video.sendPicture([deltaSlice()]);
  video.sendPicture();
  await until(() => typesOf(browser).at(-1) === 5, 'the key frame');
  assert.equal(browser.received.video.length, 2 + 1_100 + 2);
});

test('should have pictures shown at once until the camera pauses, and evenly from then on', async (t) => {
  const { browser, video } = await connect(t, (sdp) => `${sdp}a=extmap:9 ${PLAYOUT_DELAY}\r\n`);
  video.sendPicture([deltaSlice()]);
  await until(() => browser.received.video.length === 3, 'the second picture');
  await letPass(250);
  video.sendPicture([deltaSlice()]);
  video.sendPicture([deltaSlice()]);
  await until(() => browser.received.video.length === 5, 'the late picture, and the next');
  const extensions = browser.received.video.map(({ header }) =>
    header.extensions.map(({ id, payload }) => [id, ...payload]),
  );
  const [once, evenly] = [[[9, 0, 0, 0]], [[9, 0, 0x03, 0xe8]]];
  assert.deepEqual(extensions, [once, once, once, evenly, evenly]);
});
