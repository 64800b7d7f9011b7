import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { silentLogger } from '../observe/log.ts';
import { deltaSlice, ScriptedVideo, until } from '../testing/scriptedCamera.ts';
import { CameraFeed } from './cameraFeed.ts';
import { systemClock } from './clock.ts';
import { defaultMediaLimits } from './limits.ts';
import { parseCameraUrl } from './rtsp/cameraUrl.ts';
import { openAccess } from './testing/openAccess.ts';
import { startCamera } from './testing/rtspClient.ts';
import { WeriftViewer } from './testing/weriftViewer.ts';
import { Viewer } from './viewer.ts';
import { createCertificate } from './webrtc/dtls.ts';
import { LoopbackSocket } from './webrtc/loopbackSocket.ts';
import { parseOffer } from './webrtc/offer.ts';

/** A socket that takes nothing more when the test says so. */
class SlowSocket extends LoopbackSocket {
  isFull = false;

  override get isCongested(): boolean {
    return this.isFull;
  }
}

test('should skip to the next key frame for a viewer that cannot keep up', async (t) => {
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
    offer: parseOffer(await browser.offer()),
    limits: defaultMediaLimits,
    onFirstFrame: () => {},
    onGone: () => {},
  });
  t.after(() => viewer.close());
  await browser.accept(viewer.open());
  await until(() => browser.state === 'connected');
  video.sendPicture();
  await until(() => browser.received.video.length === 2);
  socket.isFull = true;
  video.sendPicture([deltaSlice()]);
  await sleep(50);
  socket.isFull = false;
  video.sendPicture([deltaSlice()]);
  video.sendPicture();
  video.sendPicture([deltaSlice()]);
  await until(() => browser.received.video.length === 5, 'the pictures from the key frame on');
  assert.deepEqual(
    browser.received.video.map((packet) => packet.payload[0]! & 31),
    [24, 5, 24, 5, 1],
  );
  // What was left out is no loss on the way: the numbers go on, and nothing is asked for again.
  const numbers = browser.received.video.map(({ header }) => header.sequenceNumber);
  assert.deepEqual(
    numbers.map((number) => number - numbers[0]!),
    [0, 1, 2, 3, 4],
  );
});
