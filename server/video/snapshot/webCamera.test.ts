import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { type TestContext, test } from 'node:test';
import { FakeClock } from '../../testing/fakeClock.ts';
import { until } from '../../testing/waiting.ts';
import type { NamedCamera } from '../named/settingsContract.ts';
import { namedCameraUrl } from '../rtsp/cameraUrl.ts';
import { openAccess } from '../testing/openAccess.ts';
import { fails } from '../testing/testPanel.ts';
import { behindDigest, jpegOf, WebCamera } from '../testing/webCamera.ts';
import { jpegSize } from './picture.ts';
import { PartReader, WebCameras } from './webCamera.ts';

const PICTURE = jpegOf(640, 360);
const never = new AbortController().signal;
const send = (response: ServerResponse, body = PICTURE) =>
  response.writeHead(200, { 'Content-Type': 'image/jpeg' }).end(body);

async function start(
  t: TestContext,
  answer: WebCamera['answer'],
  login?: { user: string; password: string },
) {
  const camera = new WebCamera(answer);
  await camera.start();
  t.after(() => camera.stop());
  const clock = new FakeClock();
  const cameras = new WebCameras(openAccess, clock);
  const named: NamedCamera = {
    name: 'x',
    url: camera.url(),
    talk: 'auto',
    talkBytes: 160,
    events: [],
    login,
  };
  return { camera, cameras, clock, url: namedCameraUrl(named, []) };
}

test('should get a JPEG, with Basic and with Digest once it is asked for a login', async (t) => {
  const login = { user: 'panel', password: 'a:b c' };
  const { camera, cameras, url } = await start(
    t,
    behindDigest(login.user, login.password, (_request, response) => send(response)),
    login,
  );
  assert.deepEqual(await cameras.picture(url, never), PICTURE);
  assert.match(camera.asked.join('|'), /^\|Digest username="panel"/);
  camera.asked.length = 0;
  camera.answer = ({ headers }, response) => {
    if (headers.authorization === `Basic ${Buffer.from('panel:a:b c').toString('base64')}`) send(response);
    else response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="x"' }).end();
  };
  assert.deepEqual(await cameras.picture(url, never), PICTURE);
  assert.equal(camera.asked.length, 2);
});

test('security: should not send a login that the camera refused for a minute', async (t) => {
  const login = { user: 'panel', password: 'wrong' };
  const right = behindDigest('panel', 'right', (_request, response) => send(response));
  const { camera, cameras, clock, url } = await start(t, right, login);
  await assert.rejects(cameras.picture(url, never), fails('CAMERA_UNAUTHORIZED', /refused/));
  const tries = camera.asked.length;
  await assert.rejects(cameras.picture(url, never), fails('CAMERA_UNAUTHORIZED', /in 60 s/));
  const beside = { ...url, key: `${url.key}/other`, requestUri: new URL('/other.jpg', url.requestUri).href };
  await assert.rejects(cameras.picture(beside, never), fails('CAMERA_UNAUTHORIZED', /in 60 s/));
  assert.equal(camera.asked.length, tries);
  await clock.advance(60_000);
  await assert.rejects(cameras.picture(url, never), fails('CAMERA_UNAUTHORIZED', /refused/));
  assert.ok(camera.asked.length > tries);
});

test('security: should send a login only to the port that it is for', async (t) => {
  const { camera, cameras, url } = await start(t, (_request, response) =>
    response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="x"' }).end(),
  );
  const other = { ...url, credentials: { user: 'a', password: 'b' }, credentialsPort: url.port + 1 };
  await assert.rejects(cameras.picture(other, never), fails('CAMERA_UNAUTHORIZED', /asks for a login/));
  assert.deepEqual(camera.asked, ['']);
});

test('should say what keeps it from a picture', async (t) => {
  const { camera, cameras, clock, url } = await start(t, () => {});
  const answers = [
    [401, 'CAMERA_UNAUTHORIZED'],
    [403, 'CAMERA_UNAUTHORIZED'],
    [404, 'CAMERA_NOT_FOUND'],
    [302, 'CAMERA_PROTOCOL'],
    [500, 'CAMERA_PROTOCOL'],
  ] as const;
  for (const [status, code] of answers) {
    camera.answer = (_request, response) => response.writeHead(status, { Location: '/other' }).end();
    await assert.rejects(cameras.picture(url, never), fails(code));
  }
  camera.asked.length = 0;
  camera.answer = () => {};
  const late = cameras.picture(url, never);
  late.catch(() => {});
  await until(() => camera.asked.length === 1);
  await clock.advance(5_000);
  await assert.rejects(late, fails('CAMERA_TIMEOUT'));
  camera.answer = (_request, response) => void response.writeHead(200).write(PICTURE);
  const slow = cameras.picture(url, never);
  slow.catch(() => {});
  await until(() => camera.asked.length === 2);
  await clock.advance(5_000);
  await assert.rejects(slow, fails('CAMERA_TIMEOUT'));
  await until(() => camera.open === 0, 'the connections to be closed');
  await camera.stop();
  await assert.rejects(cameras.picture(url, never), fails('CAMERA_UNREACHABLE'));
});

test('security: should take a picture of at most 8 MiB, also in parts', async (t) => {
  const { camera, cameras, url } = await start(t, (_request, response) =>
    send(response, Buffer.alloc(8 * 2 ** 20 + 1)),
  );
  await assert.rejects(cameras.picture(url, never), fails('TOO_LARGE', /8 MiB/));
  camera.answer = (_request, response) => {
    response.writeHead(200, { 'Content-Type': 'multipart/x-mixed-replace; boundary=x' });
    response.write('--x\r\nContent-Type: image/jpeg\r\n\r\n');
    const more = () => !response.destroyed && response.write(Buffer.alloc(2 ** 20), () => setImmediate(more));
    more();
  };
  await assert.rejects(cameras.picture(url, never), fails('TOO_LARGE', /8 MiB/));
  camera.answer = (_request, response) => {
    response.writeHead(200, { 'Content-Type': 'multipart/x-mixed-replace; boundary=x' });
    response.write(`--x\r\nContent-Length: ${9 * 2 ** 20}\r\n\r\n`);
  };
  await assert.rejects(cameras.picture(url, never), fails('TOO_LARGE', /8 MiB/));
  camera.answer = (_request, response) => {
    response.writeHead(200, { 'Content-Type': 'multipart/x-mixed-replace; boundary=x' });
    response.write('a'.repeat(9_000));
  };
  await assert.rejects(cameras.picture(url, never), fails('CAMERA_PROTOCOL', /headers/));
  await until(() => camera.open === 0, 'the connections to be closed');
});

test('should take the first part of an MJPEG, and leave', async (t) => {
  const { camera, cameras, url } = await start(t, (_request, response) => {
    response.writeHead(200, { 'Content-Type': 'multipart/x-mixed-replace;boundary="--b"' });
    response.write(`--b\r\nContent-Type: image/jpeg\r\nContent-Length: ${PICTURE.length}\r\n\r\n`);
    response.write(PICTURE);
  });
  assert.deepEqual(await cameras.picture(url, never), PICTURE);
  await until(() => camera.open === 0, 'the connection to be closed');
});

test('should read parts however they are cut, with a length or without', () => {
  const [one, two] = [jpegOf(10, 10, 300), jpegOf(20, 20, 500)];
  const withLength = (jpeg: Buffer) =>
    Buffer.concat([Buffer.from(`--b\r\ncontent-length: ${jpeg.length}\r\n\r\n`), jpeg, Buffer.from('\r\n')]);
  const without = (jpeg: Buffer, name = 'b', end = '\r\n') =>
    Buffer.concat([
      Buffer.from(`--${name}${end}Content-Type: image/jpeg${end}${end}`),
      jpeg,
      Buffer.from(end),
    ]);
  const forms: [string, Buffer][] = [
    ['multipart/x-mixed-replace; boundary=b', Buffer.concat([withLength(one), withLength(two)])],
    [
      'multipart/x-mixed-replace; boundary=--b',
      Buffer.concat([without(one), without(two), Buffer.from('--b--')]),
    ],
    [
      'multipart/x-mixed-replace; boundary="b"',
      Buffer.concat([Buffer.from('\r\n'), without(one), without(two), Buffer.from('--b--')]),
    ],
    [
      'multipart/x-mixed-replace',
      Buffer.concat([without(one, 'any'), without(two, 'any'), Buffer.from('--any--')]),
    ],
  ];
  for (const [type, bytes] of forms)
    for (const step of [1, 7, 100, bytes.length]) {
      const reader = new PartReader(type);
      const parts: Buffer[] = [];
      for (let at = 0; at < bytes.length; at += step) {
        reader.push(bytes.subarray(at, at + step));
        for (let part = reader.next(); part !== undefined; part = reader.next()) parts.push(part);
      }
      assert.deepEqual(parts, [one, two], `${type} in steps of ${step}`);
    }
});

test('should give the last part of an answer that ends without a delimiter', () => {
  const reader = new PartReader('multipart/x-mixed-replace; boundary=b');
  reader.push(Buffer.concat([Buffer.from('--b\n\n'), PICTURE]));
  assert.equal(reader.next(), undefined);
  assert.deepEqual(reader.last(), PICTURE);
  assert.equal(reader.last(), undefined);
});

test('should read the size of a JPEG, and of nothing else', () => {
  assert.deepEqual(jpegSize(PICTURE), { width: 640, height: 360 });
  for (const bytes of [
    '',
    'ffd8',
    'ffd8ff',
    '89504e47',
    'ffd8ffda0000000000000000',
    'ffd8ffe0000000000000000000',
  ])
    assert.equal(jpegSize(Buffer.from(bytes, 'hex')), undefined, bytes);
  assert.equal(jpegSize(jpegOf(0, 10)), undefined);
});
