import assert from 'node:assert/strict';
import { test } from 'node:test';
import { usualReply } from '../../testing/scriptedCamera.ts';
import { until } from '../../testing/waiting.ts';
import { openAccess } from '../testing/openAccess.ts';
import { fails, newViewer, noSignal, startCamera, startPanel, watch } from '../testing/testPanel.ts';
import { Cameras } from './cameras.ts';
import { type NamedCamera, namedCameras } from './settingsContract.ts';

const named = (name: string, url: string, more: Partial<NamedCamera> = {}): NamedCamera => ({
  name,
  url,
  talk: 'auto',
  talkBytes: 160,
  events: [],
  ...more,
});

const camerasOf = (...cameras: NamedCamera[]) =>
  new Cameras({
    ...openAccess,
    cameras: () => cameras,
    logins: () => [{ host: '10.0.0.9', user: 'house', password: 'h' }],
  });

test('should find a camera by its name, as it is or percent-encoded, in any case', () => {
  const cameras = camerasOf(
    named('Haustür 1', 'rtsp://10.0.0.5/live', { login: { user: 'u', password: 'p:@/' } }),
    named('50%', 'rtsps://10.0.0.9:7441/x'),
    named('50%25', 'http://10.0.0.9/snap.jpg'),
  );
  for (const address of [
    'camera:Haustür 1',
    'camera:Haust%C3%BCr%201',
    'CAMERA:haustÜR 1',
    'camera:Haustu\u0308r 1',
  ])
    assert.equal(cameras.find(address).named?.name, 'Haustür 1', address);
  const { url } = cameras.find('camera:Haustür 1');
  assert.deepEqual(
    [url.kind, url.host, url.port, url.requestUri, url.credentials],
    ['rtsp', '10.0.0.5', 554, 'rtsp://10.0.0.5/live', { user: 'u', password: 'p:@/' }],
  );
  const { url: secure } = cameras.find('camera:50%');
  assert.deepEqual([secure.port, secure.isSecure, secure.credentials?.user], [7441, true, 'house']);
  const { url: web } = cameras.find('camera:50%25');
  assert.deepEqual([web.kind, web.port, web.credentials?.user], ['http', 80, 'house']);
  assert.equal(cameras.find('rtsp://10.0.0.5/live').named, undefined);
  assert.throws(() => cameras.find('camera:Garage'), fails('NOT_FOUND', /streams\.cameras/));
});

test('should list cameras without logins, and judge each for its present address alone', () => {
  let list = [named('A', 'onvif://10.0.0.5', { events: ['motion'] }), named('B', 'rtsp://[fe80::1]:88/x')];
  const at = new Date('2026-01-02T03:04:05Z');
  const cameras = new Cameras({ ...openAccess, cameras: () => list }, () => at);
  cameras.judge(list[0], 'CAMERA_TIMEOUT');
  cameras.judge(undefined, 'OK');
  const verdict = { code: 'CAMERA_TIMEOUT', at: at.toISOString() };
  assert.deepEqual(cameras.states(), [
    { name: 'A', host: '10.0.0.5', talk: 'auto', events: ['motion'], verdict },
    { name: 'B', host: '[fe80::1]', talk: 'auto', events: [], verdict: null },
  ]);
  list = [named('a', 'onvif://10.0.0.6')];
  assert.deepEqual(
    cameras.states().map(({ verdict }) => verdict),
    [null],
  );
});

test('should play a camera by its name, and say so in its session and its verdict', async (t) => {
  const { camera, video } = await startCamera(t);
  const list = namedCameras([
    {
      name: 'Door',
      url: camera.url(),
      login: { user: 'cam', password: 's3cret' },
      talk: 'auto',
      talkBytes: 160,
      events: [],
    },
    { name: 'Still', url: 'http://127.0.0.1:9/snap.jpg', talk: 'auto', talkBytes: 160, events: [] },
  ]);
  const { service } = await startPanel(t, {}, 0, undefined, { cameras: () => list });
  video.start();
  const viewer = await watch(t, service, 'one', 'camera:door');
  await until(() => viewer.received.video.length > 5, 'video at the viewer');
  await until(() => service.namedCameras().cameras[0]!.verdict?.code === 'OK', 'the verdict');
  const [session] = service.sessions().sessions;
  assert.equal(session!.camera, 'Door');
  assert.ok(!JSON.stringify(service.sessions()).includes('s3cret'));
  const direct = await watch(t, service, 'two', camera.url('/live', 'cam:s3cret'));
  await until(() => direct.received.video.length > 0, 'video at the second viewer');
  assert.equal(service.sessions().sessions[1]!.camera, null);
  const { sdp } = await newViewer(t);
  await assert.rejects(service.open({ id: 'x', url: 'camera:Garage', sdp }, noSignal), fails('NOT_FOUND'));
  await assert.rejects(
    service.open({ id: 'x', url: 'camera:Still', sdp }, noSignal),
    fails('UNSUPPORTED_CODEC', /JPEG/),
  );
});

test('should remember a verdict of a camera that does not open', async (t) => {
  const { camera } = await startCamera(t, (request) =>
    request.method === 'DESCRIBE' ? { status: 404 } : usualReply(request),
  );
  const list = [named('Door', camera.url())];
  const { service } = await startPanel(t, {}, 0, undefined, { cameras: () => list });
  const { sdp } = await newViewer(t);
  await assert.rejects(
    service.open({ id: 'x', url: 'camera:Door', sdp }, noSignal),
    fails('CAMERA_NOT_FOUND'),
  );
  assert.equal(service.namedCameras().cameras[0]!.verdict?.code, 'CAMERA_NOT_FOUND');
});
