import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { type TestContext, test } from 'node:test';
import type { Media } from '../../contract/command.ts';
import { FaceplateError } from '../../contract/errors.ts';
import { FakeWallClock } from '../../testing/fakeClock.ts';
import { timeToGoWrong, until } from '../../testing/waiting.ts';
import type { NamedCamera } from '../named/settingsContract.ts';
import { fails, noSignal, startCamera, startPanel } from '../testing/testPanel.ts';
import { jpegOf, WebCamera } from '../testing/webCamera.ts';
import { SnapshotService } from './service.ts';

/** Readers of pictures, with a decoder that counts. */
async function start(t: TestContext, address = 'http://127.0.0.1:1/') {
  const camera: NamedCamera = { name: 'web', url: address, talk: 'auto', talkBytes: 160, events: [] };
  const { service: stream } = await startPanel(t, {}, 0, undefined, { cameras: () => [camera] });
  const clock = new FakeWallClock('2026-11-26T12:00:00Z');
  const decoded: string[] = [];
  const failing = { next: 0 };
  const service = new SnapshotService({
    ...stream.shared,
    decode: async ({ kind, width }) => {
      decoded.push(`${kind} ${width}`);
      if (failing.next-- > 0) throw new FaceplateError('CAMERA_PROTOCOL');
      return Buffer.from(`jpeg ${decoded.length}`);
    },
    clock,
  });
  t.after(() => service.stop());
  return { service, clock, decoded, failing };
}

const reader = (media: Media) => (media.body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();

/** The JPEG in what a reader got. */
function pictureIn({ value }: IteratorResult<Uint8Array>): string {
  const text = Buffer.from(value as Uint8Array).toString('latin1');
  const part = /Content-Type: image\/jpeg\r\nContent-Length: (\d+)\r\n\r\n/.exec(text)!;
  const begin = part.index + part[0].length;
  const end = begin + Number(part[1]);
  assert.equal(text.slice(end), '\r\n--faceplate-next-picture\r\n');
  return text.slice(begin, end);
}

async function startParts(t: TestContext) {
  let response: ServerResponse | undefined;
  const web = new WebCamera((_request, given) => {
    response = given;
    given.writeHead(200, { 'Content-Type': 'multipart/x-mixed-replace; boundary=b' }).flushHeaders();
  });
  await web.start();
  t.after(() => web.stop());
  const send = async (width: number) => {
    await until(() => response !== undefined);
    const jpeg = jpegOf(width, 10);
    response!.write(`--b\r\nContent-Length: ${jpeg.length}\r\n\r\n`);
    response!.write(jpeg);
  };
  return { web, send, end: () => response!.end() };
}

test('should send each new key frame of a stream, at most so many a second', async (t) => {
  const { service, clock, decoded } = await start(t);
  const { camera, video } = await startCamera(t);
  const opening = service.mjpeg({ url: camera.url(), fps: 0.5, width: 320 }, noSignal);
  await until(() => camera.methods().includes('PLAY'));
  await timeToGoWrong(20);
  video.sendPicture();
  const media = await opening;
  assert.equal(media.type, 'multipart/x-mixed-replace; boundary=faceplate-next-picture');
  const pictures = reader(media);
  const first = await pictures.next();
  assert.match(Buffer.from(first.value).toString(), /^--faceplate-next-picture\r\n/);
  assert.equal(pictureIn(first), 'jpeg 1');
  const second = pictures.next();
  clock.stall(1);
  video.sendPicture();
  clock.stall(1);
  video.sendPicture();
  await timeToGoWrong(50);
  assert.deepEqual(decoded, ['h264 320']);
  await clock.advance(2_000);
  // Only the newest of them.
  assert.equal(pictureIn(await second), 'jpeg 2');
  let hasThird = false;
  const third = pictures.next().then((each) => {
    hasThird = true;
    return each;
  });
  await clock.advance(10_000);
  assert.equal(hasThird, false);
  video.sendPicture();
  assert.equal(pictureIn(await third), 'jpeg 3');
  await pictures.return?.();
  await until(() => camera.connections.open === 0, 'the camera to be left');
});

test('should leave out a picture that cannot be decoded', async (t) => {
  const { service, clock, failing } = await start(t);
  const { camera, video } = await startCamera(t);
  video.start();
  const pictures = reader(await service.mjpeg({ url: camera.url(), fps: 5, width: 320 }, noSignal));
  await pictures.next();
  failing.next = 1;
  const next = pictures.next();
  // Key frames come by themselves; the clock says which is which.
  await until(async () => {
    await clock.advance(100);
    return failing.next < 0;
  });
  assert.match(pictureIn(await next), /^jpeg/);
});

test('should refuse a fifth reader, and take it once another has left', async (t) => {
  const { service } = await start(t);
  const { camera, video } = await startCamera(t);
  video.start();
  const open = () => service.mjpeg({ url: camera.url(), fps: 1 }, noSignal);
  const four = await Promise.all([open(), open(), open(), open()]);
  assert.equal(camera.connections.all, 1);
  await assert.rejects(open(), fails('SESSION_LIMIT'));
  await reader(four[0]!).return?.();
  await open();
});

test('should free its place where no picture comes, and where the caller leaves first', async (t) => {
  const { service } = await start(t);
  const { camera } = await startCamera(t);
  for (let at = 0; at < 5; at++) {
    const leaving = new AbortController();
    const opening = service.mjpeg({ url: camera.url(), fps: 1 }, leaving);
    opening.catch(() => {});
    await until(() => camera.connections.open === 1);
    leaving.abort();
    await assert.rejects(opening);
    await until(() => camera.connections.open === 0);
  }
  for (let at = 0; at < 5; at++)
    await assert.rejects(service.mjpeg({ url: 'camera:web', fps: 1 }, noSignal), fails('CAMERA_UNREACHABLE'));
});

test('should pass the parts of an MJPEG camera on, the newest at its time', async (t) => {
  const { web, send, end } = await startParts(t);
  const { service, clock } = await start(t, web.url());
  const opening = service.mjpeg({ url: 'camera:web', fps: 5 }, noSignal);
  await send(1);
  const pictures = reader(await opening);
  const sizes = async (next: Promise<IteratorResult<Uint8Array>>) => pictureIn(await next).charCodeAt(16);
  assert.equal(await sizes(pictures.next()), 1);
  const second = pictures.next();
  await send(2);
  await send(3);
  await timeToGoWrong(100);
  await clock.advance(200);
  assert.equal(await sizes(second), 3);
  end();
  const after = pictures.next();
  await clock.advance(200);
  assert.equal((await after).done, true);
  assert.equal(web.asked.length, 1);
});

test('should ask a camera with single pictures again, at most once a second', async (t) => {
  let width = 0;
  const web = new WebCamera((_request, response) => response.end(jpegOf(++width, 10)));
  await web.start();
  t.after(() => web.stop());
  const { service, clock } = await start(t, web.url());
  const pictures = reader(await service.mjpeg({ url: 'camera:web', fps: 5 }, noSignal));
  assert.equal(pictureIn(await pictures.next()).charCodeAt(16), 1);
  const next = pictures.next();
  await clock.advance(999);
  assert.equal(web.asked.length, 1);
  await clock.advance(1);
  assert.equal(pictureIn(await next).charCodeAt(16), 2);
});

test('should end all readers with the service, and leave the cameras', async (t) => {
  const { web, send } = await startParts(t);
  const { service, clock } = await start(t, web.url());
  const opening = service.mjpeg({ url: 'camera:web', fps: 5 }, noSignal);
  await send(1);
  const pictures = reader(await opening);
  await pictures.next();
  const next = pictures.next();
  await service.stop();
  assert.equal((await next).done, true);
  await until(() => web.open === 0, 'the camera to be left');
  assert.equal(clock.pending, 0);
});
