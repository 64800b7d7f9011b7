import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import { EventBus } from '../platform/eventBus.ts';
import { createLogger, silentLogger } from '../platform/log.ts';
import {
  H264_SDP,
  type ScriptedReply,
  type ScriptedRequest,
  ScriptedVideo,
  usualReply,
} from '../testing/scriptedCamera.ts';
import { until } from '../testing/waiting.ts';
import { streamCommands } from './contract.ts';
import { StreamService } from './service.ts';
import { openAccess } from './testing/openAccess.ts';
import { fails, newViewer, noSignal, startCamera, startPanel } from './testing/testPanel.ts';

// What a first viewer loads takes longer than a camera of these tests may to answer.
await Promise.all([
  import('./viewer.ts'),
  import('../webrtc/dtls/dtls.ts'),
  import('../webrtc/ice/loopbackSocket.ts'),
]);

const QUICK = { inspectMs: 300, replyMs: 300 };

async function inspect(t: TestContext, url: string) {
  const { service } = await startPanel(t, QUICK);
  return streamCommands['stream.inspect'].result.parse(await service.inspect({ url }, noSignal));
}

test('should report what a good camera sends', async (t) => {
  const { camera, video } = await startCamera(t, (request) =>
    usualReply(request, `${H264_SDP}m=audio 0 RTP/AVP 0\r\na=control:trackID=1\r\n`),
  );
  video.start();
  const { video: seen, audio, ...verdict } = await inspect(t, camera.url());
  const { mended, ...said } = verdict;
  assert.deepEqual(said, {
    ok: true,
    code: 'OK',
    verdict: 'The camera plays in a browser.',
    hint: '',
    talk: null,
  });
  assert.ok(mended.every((sentence) => /^The .*\.$/.test(sentence)));
  // As a viewer does: the sound may be what a camera refuses.
  assert.equal(camera.methods().filter((method) => method === 'SETUP').length, 2);
  const { packets, bitrate, keyFrames, ...rest } = seen!;
  assert.ok(packets > 3 && bitrate > 0 && keyFrames >= 1);
  assert.deepEqual(rest, {
    codec: 'H264',
    profile: 'Constrained Baseline',
    width: 640,
    height: 360,
    fps: 25,
    bFrames: false,
    packetization: 1,
    lost: 0,
    transport: 'tcp',
  });
  assert.deepEqual(audio, { codec: 'PCMU', clockRate: 8000, channels: 1, forwarded: true });
  await until(() => camera.connections.open === 0);
});

const MJPEG = H264_SDP.replace('RTP/AVP 96', 'RTP/AVP 26').replace('a=rtpmap:96 H264/90000\r\n', '');
const ONLY_AUDIO = 'v=0\r\nm=audio 0 RTP/AVP 0\r\na=control:a\r\n';
const BAD_CAMERAS: [string, (request: ScriptedRequest) => ScriptedReply, string, RegExp][] = [
  ['sends MJPEG', (r) => usualReply(r, MJPEG), 'UNSUPPORTED_CODEC', /H\.264/],
  ['has only sound', (r) => usualReply(r, ONLY_AUDIO), 'NO_VIDEO', /path/],
  ['plays nothing', usualReply, 'NO_MEDIA', /Restart/],
  [
    'wants a login',
    () => ({ status: 401, headers: ['WWW-Authenticate: Basic realm="x"'] }),
    'CAMERA_UNAUTHORIZED',
    /%40/,
  ],
  [
    'has no such path',
    (r) => (r.method === 'DESCRIBE' ? { status: 404 } : usualReply(r)),
    'CAMERA_NOT_FOUND',
    /manual/,
  ],
  ['hangs', () => undefined, 'CAMERA_TIMEOUT', /firewall/],
];
for (const [what, reply, code, hint] of BAD_CAMERAS) {
  test(`should give the verdict ${code} on a camera that ${what}`, async (t) => {
    const { camera } = await startCamera(t, reply);
    const result = await inspect(t, camera.url());
    assert.deepEqual([result.ok, result.code], [false, code]);
    assert.match(result.hint, hint);
    await until(() => camera.connections.open === 0);
  });
}

test('should wait for a key frame and say that none came', async (t) => {
  const { camera } = await startCamera(t);
  const video = new ScriptedVideo(camera);
  const timer = setInterval(() => video.sendPicture([Buffer.from([0x41, 0x9a, 1, 2, 3])]), 20);
  t.after(() => clearInterval(timer));
  const { code } = await inspect(t, camera.url());
  assert.equal(code, 'NO_KEY_FRAME');
});

test('should say that the sound is not heard which the camera refuses', async (t) => {
  const { camera, video } = await startCamera(t, (request) =>
    request.method === 'SETUP' && request.uri.endsWith('trackID=1')
      ? { status: 404 }
      : usualReply(request, `${H264_SDP}m=audio 0 RTP/AVP 0\r\na=control:trackID=1\r\n`),
  );
  video.start();
  const { code, audio, mended } = await inspect(t, camera.url());
  assert.deepEqual([code, audio?.codec, audio?.forwarded], ['OK', 'PCMU', false]);
  assert.ok(mended.includes('The camera refuses its sound; the panel shows the picture alone.'));
});

test('should not say that a camera plays whose key frames have no parameter sets', async (t) => {
  const { camera, video } = await startCamera(t, (request) =>
    usualReply(request, H264_SDP.replace(/;sprop-parameter-sets=\S+/, '')),
  );
  video.start();
  const { ok, code, verdict } = await inspect(t, camera.url());
  assert.deepEqual([ok, code], [false, 'NO_KEY_FRAME']);
  assert.match(verdict, /without usable parameter sets/);
});

test('should say that an rtsps:// address does not speak TLS', async (t) => {
  const server = createServer((socket) => socket.on('data', () => socket.end('RTSP/1.0 400 Bad\r\n\r\n')));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const { port } = server.address() as { port: number };
  const { code, hint } = await inspect(t, `rtsps://127.0.0.1:${port}/`);
  assert.equal(code, 'CAMERA_TLS');
  assert.match(hint, /rtsp:\/\//);
});

test('should end an inspection with its caller and with the service, and allow two at a time', async (t) => {
  const { service } = await startPanel(t, { inspectMs: 60_000 });
  const { camera } = await startCamera(t);
  const caller = new AbortController();
  const url = camera.url();
  const first = assert.rejects(service.inspect({ url }, { signal: caller.signal }), /gone/);
  const second = assert.rejects(service.inspect({ url }, noSignal), fails('SHUTTING_DOWN'));
  await assert.rejects(service.inspect({ url }, noSignal), fails('SESSION_LIMIT'));
  await until(() => camera.methods().filter((method) => method === 'PLAY').length === 2);
  caller.abort(new Error('gone'));
  await first;
  await service.stop();
  await second;
  await until(() => camera.connections.open === 0);
});

test("security: should not dial the panel's own port, by name or by a redirect", async (t) => {
  const heard: string[] = [];
  const own = createServer((socket) => socket.on('data', (data) => heard.push(String(data))));
  own.listen(0, '::');
  await once(own, 'listening');
  t.after(() => own.close());
  const { port } = own.address() as { port: number };
  const service = new StreamService({
    log: silentLogger(),
    bus: new EventBus(silentLogger()),
    lingerSeconds: () => 0,
    access: { ...openAccess, ownPort: () => port },
  });
  await service.start();
  t.after(() => service.stop());
  const { camera } = await startCamera(t, (request) =>
    request.method === 'DESCRIBE'
      ? { status: 302, headers: [`Location: rtsp://127.0.0.1:${port}/`] }
      : usualReply(request),
  );
  const { sdp } = await newViewer(t);
  const hosts = ['127.0.0.1', 'localhost', '127.1.2.3', '0.0.0.0', '[::1]', '[::ffff:127.0.0.1]'];
  for (const url of [...hosts.map((host) => `rtsp://${host}:${port}/`), camera.url()]) {
    await assert.rejects(service.open({ id: 'x', url, sdp }, noSignal), fails('FORBIDDEN', /own/), url);
    await assert.rejects(service.inspect({ url }, noSignal), fails('FORBIDDEN'), url);
  }
  assert.deepEqual(heard, []);
});

test('security: should keep the password of an inspected camera out of log and answer', async (t) => {
  let logged = '';
  const log = createLogger('trace', { write: (line: string) => (logged += line) } as never);
  const service = new StreamService({
    log,
    bus: new EventBus(log),
    lingerSeconds: () => 0,
    access: openAccess,
    limits: QUICK,
  });
  await service.start();
  t.after(() => service.stop());
  const { camera } = await startCamera(t, () => ({
    status: 401,
    headers: ['WWW-Authenticate: Basic realm="x"'],
  }));
  const answer = await service.inspect({ url: camera.url('/1', 'cam:s3cret') }, noSignal);
  assert.equal(answer.code, 'CAMERA_UNAUTHORIZED');
  assert.doesNotMatch(JSON.stringify(answer) + logged, /s3cret/);
});

test('security: should log in with the login of the settings, and show it nowhere', async (t) => {
  let logged = '';
  const log = createLogger('trace', { write: (line: string) => (logged += line) } as never);
  const login = { host: '127.0.0.1', user: 'panel-user', password: 's3cret' };
  let isStarted = false;
  const service = new StreamService({
    log,
    bus: new EventBus(log),
    lingerSeconds: () => 0,
    // Without a login at its start it does not get ready for viewers, which takes longer than this camera may to answer.
    access: { ...openAccess, logins: () => (isStarted ? [login] : []) },
    limits: QUICK,
  });
  await service.start();
  isStarted = true;
  t.after(() => service.stop());
  const { camera, video } = await startCamera(t, (request) =>
    request.headers.get('authorization') === `Basic ${btoa('panel-user:s3cret')}`
      ? usualReply(request)
      : { status: 401, headers: ['WWW-Authenticate: Basic realm="x"'] },
  );
  video.start();
  const inspection = await service.inspect({ url: camera.url() }, noSignal);
  assert.equal(inspection.code, 'OK');
  const { sdp } = await newViewer(t);
  await service.open({ id: 'x', url: camera.url(), sdp }, noSignal);
  const wrong = service.open({ id: 'y', url: camera.url('/stream', 'panel-user:other'), sdp }, noSignal);
  await assert.rejects(wrong, fails('CAMERA_UNAUTHORIZED'), 'a login of its own is not replaced');
  const told = JSON.stringify([inspection, service.sessions()]);
  await service.stop();
  assert.doesNotMatch(told + logged, /s3cret/);
});
