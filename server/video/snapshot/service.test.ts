import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Media } from '../../contract/command.ts';
import { FaceplateError } from '../../contract/errors.ts';
import type { CodedPicture } from '../../kiosk/glass/contract.ts';
import { FakeWallClock } from '../../testing/fakeClock.ts';
import { timeToGoWrong, until } from '../../testing/waiting.ts';
import type { NamedCamera } from '../named/settingsContract.ts';
import { OnvifCamera } from '../testing/onvifCamera.ts';
import { fails, noSignal, startCamera, startPanel, watch } from '../testing/testPanel.ts';
import { jpegOf, WebCamera } from '../testing/webCamera.ts';
import { SnapshotService } from './service.ts';

/** Pictures of cameras, with a decoder that says what it got. */
async function start(t: TestContext, cameras: readonly NamedCamera[] = [], lingerSeconds = 0) {
  const { service: stream } = await startPanel(t, {}, lingerSeconds, undefined, { cameras: () => cameras });
  const clock = new FakeWallClock('2026-11-26T12:00:00Z');
  const decoded: CodedPicture[] = [];
  let decode = async ({ kind, width }: CodedPicture): Promise<Uint8Array> => Buffer.from(`${kind} ${width}`);
  const service = new SnapshotService({
    ...stream.shared,
    decode: (picture) => {
      decoded.push(picture);
      return decode(picture);
    },
    clock,
  });
  t.after(() => service.stop());
  const use = (other: typeof decode) => {
    decode = other;
  };
  const text = async (answer: Promise<Media>) => Buffer.from((await answer).body as Uint8Array).toString();
  return { service, stream, clock, decoded, use, text };
}

const named = (url: string): NamedCamera => ({
  name: 'Yard',
  url,
  talk: 'auto',
  talkBytes: 160,
  events: [],
});

async function startWeb(t: TestContext, picture: Buffer | (() => Buffer)) {
  const camera = new WebCamera((_request, response) => {
    response.writeHead(200, { 'Content-Type': 'image/jpeg' });
    response.end(typeof picture === 'function' ? picture() : picture);
  });
  await camera.start();
  t.after(() => camera.stop());
  return camera;
}

test('should dial a camera that nobody watches, take its first key frame, and linger', async (t) => {
  const { service, decoded, text } = await start(t, [], 1);
  const { camera, video } = await startCamera(t);
  video.start();
  assert.equal(await text(service.snapshot({ url: camera.url(), width: 320 }, noSignal)), 'h264 320');
  // A byte stream that begins with its parameter sets, and has a key frame.
  const [{ bytes }] = decoded as [CodedPicture];
  const nals = Buffer.from(bytes).toString('hex').split('00000001').slice(1);
  assert.deepEqual(
    nals.map((nal) => Number.parseInt(nal.slice(0, 2), 16) & 31),
    [7, 8, 5],
  );
  assert.equal(camera.connections.open, 1);
});

test('should take the picture of who watches, and connect nothing', async (t) => {
  const { service, stream, text } = await start(t);
  const { camera, video } = await startCamera(t);
  const viewer = await watch(t, stream, 'a', camera.url());
  await viewer.connected();
  video.sendPicture();
  await until(() => viewer.received.video.length > 0);
  // It sends no further key frame: this one is that of the viewer.
  assert.equal(await text(service.snapshot({ url: camera.url() }, noSignal)), 'h264 undefined');
  assert.equal(camera.connections.all, 1);
});

test('should share one picture within a second, and its JPEG of each width', async (t) => {
  const { service, clock, decoded } = await start(t, [], 1);
  const { camera, video } = await startCamera(t);
  video.start();
  const url = camera.url();
  const asked = [320, 320, 160, 320].map((width) => service.snapshot({ url, width }, noSignal));
  const tags = (await Promise.all(asked)).map(({ etag }) => etag);
  assert.equal(camera.connections.all, 1);
  assert.equal(decoded.length, 2);
  assert.equal(tags[0], tags[1]);
  assert.notEqual(tags[0], tags[2]);
  await service.snapshot({ url, width: 320 }, noSignal);
  assert.equal(decoded.length, 2);
  video.stop();
  await clock.advance(1_000);
  // The connection lingers, and its key frame is the same: nothing has to be decoded again.
  await service.snapshot({ url, width: 320 }, noSignal);
  assert.equal(decoded.length, 2);
  assert.equal(camera.connections.all, 1);
});

test('security: should dial a camera that fails once a second', async (t) => {
  const { service, clock } = await start(t);
  const { camera } = await startCamera(t, () => ({ status: 404 }));
  const url = camera.url();
  for (let at = 0; at < 3; at++)
    await assert.rejects(service.snapshot({ url }, noSignal), fails('CAMERA_NOT_FOUND'));
  assert.equal(camera.connections.all, 1);
  await clock.advance(1_000);
  await assert.rejects(service.snapshot({ url }, noSignal), fails('CAMERA_NOT_FOUND'));
  assert.equal(camera.connections.all, 2);
});

test('should end the connection once all who wait have left', async (t) => {
  const { service } = await start(t);
  const { camera } = await startCamera(t);
  const [one, other] = [new AbortController(), new AbortController()];
  const waiting = [one, other].map(({ signal }) => service.snapshot({ url: camera.url() }, { signal }));
  for (const each of waiting) each.catch(() => {});
  await until(() => camera.methods().includes('PLAY'));
  one.abort();
  await timeToGoWrong(50);
  assert.equal(camera.connections.open, 1);
  other.abort();
  await until(() => camera.connections.open === 0, 'the connection to be closed');
});

test('should say that a connected camera sends no key frame', async (t) => {
  const { service, clock } = await start(t);
  const { camera } = await startCamera(t);
  const waiting = service.snapshot({ url: camera.url() }, noSignal);
  waiting.catch(() => {});
  await until(() => camera.methods().includes('PLAY'));
  await timeToGoWrong(50);
  await clock.advance(10_000);
  await assert.rejects(waiting, fails('CAMERA_TIMEOUT', /key frame/));
});

test('should decode four pictures at once; a fifth waits five seconds', async (t) => {
  const cameras: NamedCamera[] = [];
  for (let at = 0; at < 5; at++) {
    const web = await startWeb(t, jpegOf(640, 360));
    cameras.push({ ...named(web.url()), name: `c${at}` });
  }
  const { service, clock, decoded, use } = await start(t, cameras);
  const held = Promise.withResolvers<Uint8Array>();
  use(() => held.promise);
  const take = (at: number) => service.snapshot({ url: `camera:c${at}`, width: 100 }, noSignal);
  const four = [0, 1, 2, 3].map(take);
  await until(() => decoded.length === 4);
  const fifth = take(4);
  fifth.catch(() => {});
  await timeToGoWrong(50);
  assert.equal(decoded.length, 4);
  await clock.advance(5_000);
  await assert.rejects(fifth, fails('SESSION_LIMIT'));
  const again = take(4);
  held.resolve(Buffer.from('jpeg'));
  await Promise.all([...four, again]);
  assert.equal(decoded.length, 5);
});

test('should dial eight cameras at once', async (t) => {
  const cameras: NamedCamera[] = [];
  let asked = 0;
  for (let at = 0; at < 9; at++) {
    const web = await startWeb(t, jpegOf(1, 1));
    web.answer = () => void asked++;
    cameras.push({ ...named(web.url()), name: `c${at}` });
  }
  const { service, clock } = await start(t, cameras);
  const leaving = new AbortController();
  const all = cameras.map(({ name }) => service.snapshot({ url: `camera:${name}` }, leaving));
  for (const each of all) each.catch(() => {});
  await until(() => asked === 8);
  await clock.advance(5_000);
  await assert.rejects(all[8]!, fails('SESSION_LIMIT'));
  leaving.abort();
});

test('should pass the JPEG of a camera on as it is, unless it is too wide', async (t) => {
  const picture = jpegOf(640, 360);
  const web = await startWeb(t, picture);
  const { service, decoded, text } = await start(t, [named(web.url())]);
  const take = (width?: number) => service.snapshot({ url: 'camera:yard', width }, noSignal);
  const { type, body, takenAt } = await take();
  assert.deepEqual([type, body, takenAt], ['image/jpeg', picture, '2026-11-26T12:00:00.000Z']);
  assert.deepEqual((await take(640)).body, picture);
  assert.equal(decoded.length, 0);
  assert.equal(await text(take(639)), 'jpeg 639');
  assert.equal(web.asked.length, 1);
});

test('should pass a JPEG on unscaled where nothing can decode, and refuse H.264', async (t) => {
  const picture = jpegOf(640, 360);
  const web = await startWeb(t, picture);
  const { service, use } = await start(t, [named(web.url())]);
  use(() => Promise.reject(new FaceplateError('UNSUPPORTED_HARDWARE')));
  assert.deepEqual((await service.snapshot({ url: 'camera:Yard', width: 100 }, noSignal)).body, picture);
  const { camera, video } = await startCamera(t);
  video.start();
  await assert.rejects(service.snapshot({ url: camera.url() }, noSignal), fails('UNSUPPORTED_HARDWARE'));
});

test('security: should decode no picture of more than 64 million pixels', async (t) => {
  const web = await startWeb(t, jpegOf(65_535, 1_000));
  const { service, decoded } = await start(t, [named(web.url())]);
  await assert.rejects(
    service.snapshot({ url: 'camera:Yard', width: 100 }, noSignal),
    fails('TOO_LARGE', /64 million/),
  );
  assert.equal(decoded.length, 0);
});

test('should say that an answer is no JPEG, and that no camera has the name', async (t) => {
  const web = await startWeb(t, Buffer.from('<html>'));
  const { service } = await start(t, [named(web.url())]);
  await assert.rejects(
    service.snapshot({ url: 'camera:Yard' }, noSignal),
    fails('CAMERA_PROTOCOL', /no JPEG/),
  );
  await assert.rejects(service.snapshot({ url: 'camera:other' }, noSignal), fails('NOT_FOUND'));
});

async function startOnvif(t: TestContext, ownWidth: number) {
  const [main, sub] = await Promise.all([startCamera(t), startCamera(t)]);
  const at = ({ camera }: typeof main) => camera.url().replace('127.0.0.1', '0.0.0.0');
  const onvif = new OnvifCamera({
    login: 'none',
    profiles: [
      { token: 'main', codec: 'H264', width: 1280, height: 720, uri: at(main) },
      { token: 'sub', codec: 'H264', width: 640, height: 360, uri: at(sub) },
    ],
  });
  const own = { asked: 0 };
  onvif.pages.set('/snapshot.jpg', (_request, response) => {
    own.asked++;
    response.end(jpegOf(ownWidth, ownWidth / 2));
  });
  await onvif.start();
  t.after(() => onvif.stop());
  for (const { video } of [main, sub]) video.start();
  return { onvif, main: main.camera, sub: sub.camera, own };
}

test('should ask an ONVIF camera for its own picture, as far as that is wide enough', async (t) => {
  const { service, clock, text } = await start(t);
  const { onvif, main, sub, own } = await startOnvif(t, 640);
  const take = (width?: number) => service.snapshot({ url: onvif.url(), width }, noSignal);
  assert.deepEqual((await take(640)).body, jpegOf(640, 320));
  assert.deepEqual((await take()).body, jpegOf(640, 320));
  assert.equal(own.asked, 1);
  // Wider than its own picture: a stream, and what was learned is remembered.
  await clock.advance(1_000);
  // The pictures of its main stream are as narrow here: they stay as they are.
  assert.equal(await text(take(641)), 'h264 undefined');
  assert.deepEqual([own.asked, main.connections.all, sub.connections.all], [1, 1, 0]);
});

test('should ask for the smallest stream that is wide enough, or for one that is watched already', async (t) => {
  const { service, stream, clock, text } = await start(t);
  const { onvif, main, sub } = await startOnvif(t, 20);
  const take = (width?: number) => service.snapshot({ url: onvif.url(), width }, noSignal);
  assert.equal(await text(take(320)), 'h264 320');
  assert.deepEqual([main.connections.all, sub.connections.all], [0, 1]);
  await watch(t, stream, 'a', onvif.url());
  await until(() => stream.sessions().sessions[0]?.state === 'playing');
  assert.equal(main.connections.all, 1);
  await clock.advance(1_000);
  assert.equal(await text(take(320)), 'h264 320');
  assert.deepEqual([main.connections.all, sub.connections.all], [1, 1]);
});

test('should take a stream where the picture of the camera does not come, and leave that alone for a while', async (t) => {
  const { service, clock, text } = await start(t);
  const { onvif, own } = await startOnvif(t, 640);
  onvif.pages.set('/snapshot.jpg', (_request, response) => {
    own.asked++;
    response.writeHead(500).end();
  });
  const take = () => service.snapshot({ url: onvif.url(), width: 100 }, noSignal);
  assert.equal(await text(take()), 'h264 100');
  await clock.advance(1_000);
  assert.equal(await text(take()), 'h264 100');
  assert.equal(own.asked, 1);
});

test('should show the own picture of a camera whose streams are all H.265', async (t) => {
  const { service } = await start(t);
  const { onvif } = await startOnvif(t, 100);
  onvif.options.profiles = [{ token: 'h', codec: 'H265', width: 3840, height: 2160, uri: 'rtsp://x/' }];
  assert.deepEqual(
    (await service.snapshot({ url: onvif.url(), width: 640 }, noSignal)).body,
    jpegOf(100, 50),
  );
});

test('should end what waits with the service', async (t) => {
  const { service } = await start(t);
  const { camera } = await startCamera(t);
  const waiting = service.snapshot({ url: camera.url() }, noSignal);
  waiting.catch(() => {});
  await until(() => camera.methods().includes('PLAY'));
  await service.stop();
  await service.stop();
  await assert.rejects(waiting, fails('SHUTTING_DOWN'));
});
