import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ErrorCode, FaceplateError } from '../contract/errors.ts';
import { EventBus } from '../platform/eventBus.ts';
import { createLogger, silentLogger } from '../platform/log.ts';
import { FakeClock } from '../testing/fakeClock.ts';
import { H264_SDP, type ScriptedReply, type ScriptedRequest, usualReply } from '../testing/scriptedCamera.ts';
import { letPass, until } from '../testing/waiting.ts';
import { StreamService } from './service.ts';
import { openAccess } from './testing/openAccess.ts';
import { fails, idsOf, newViewer, noSignal, startCamera, startPanel, watch } from './testing/testPanel.ts';

test('security: should show the user but never the password of a camera', async (t) => {
  const { service, bus } = await startPanel(t);
  const told: string[] = [];
  bus.onAny((_name, payload) => told.push(JSON.stringify(payload)));
  const { camera } = await startCamera(t, () => ({
    status: 401,
    headers: ['WWW-Authenticate: Basic realm="x"'],
  }));
  const { sdp } = await newViewer(t);
  const opened = service.open({ id: 'a', url: camera.url('/live', 'cam:s3cret'), sdp }, noSignal);
  assert.match(service.sessions().sessions[0]!.url, /^rtsp:\/\/cam@127/);
  await assert.rejects(opened, (error: Error) => !/s3cret/.test(error.message));
  assert.doesNotMatch(told.join(), /s3cret/);
});

test('security: should not show a login from the path or query of a camera address', async (t) => {
  const told: string[] = [];
  const log = createLogger('trace', { write: (line: string) => told.push(line) } as never);
  const bus = new EventBus(log);
  bus.onAny((_name, payload) => told.push(JSON.stringify(payload)));
  const limits = { tickMs: 20, inspectMs: 50 };
  const service = new StreamService({ log, bus, lingerSeconds: () => 0, access: openAccess, limits });
  await service.start();
  t.after(() => service.stop());
  const path = '/user=admin&password=SECRET1&channel=1?pwd=SECRET2';
  for (const status of [200, 404, 500]) {
    const { camera } = await startCamera(t, (request) =>
      request.method === 'DESCRIBE' && status !== 200 ? { status } : usualReply(request),
    );
    const { sdp } = await newViewer(t);
    const opened = service.open({ id: 'a', url: camera.url(path), sdp }, noSignal);
    const { url } = service.sessions().sessions[0]!;
    assert.equal(url, camera.url('/user=***&password=***&channel=1'));
    await opened.then(
      () => service.close({ id: 'a' }),
      (error: FaceplateError) => told.push(JSON.stringify(error.toAnswer())),
    );
    assert.equal((await service.inspect({ url: camera.url(path) }, noSignal)).video?.keyFrames ?? 0, 0);
  }
  assert.ok(told.length >= 8, 'events, log lines and errors were told');
  assert.doesNotMatch(told.join(), /SECRET|admin/);
});

test('should report to an opening that it was taken over or closed', async (t) => {
  const { service } = await startPanel(t);
  let isMute = true;
  const { camera } = await startCamera(t, (request) => (isMute ? undefined : usualReply(request)));
  const { sdp } = await newViewer(t);
  const first = service.open({ id: 'x', url: camera.url('/1'), sdp }, noSignal);
  const firstFails = assert.rejects(first, fails('CONFLICT', /took/));
  const second = service.open({ id: 'x', url: camera.url('/2'), sdp }, noSignal);
  const secondFails = assert.rejects(second, fails('CONFLICT', /closed/));
  await firstFails;
  await service.close({ id: 'x' });
  await secondFails;
  await until(() => camera.connections.open === 0, 'all connections closed');
  isMute = false;
  await service.open({ id: 'x', url: camera.url('/2'), sdp }, noSignal);
});

test('should free everything when the caller is gone', async (t) => {
  const { service } = await startPanel(t);
  const { camera } = await startCamera(t, () => undefined);
  const { sdp } = await newViewer(t);
  const caller = new AbortController();
  const opened = service.open({ id: 'x', url: camera.url(), sdp }, { signal: caller.signal });
  const rejected = assert.rejects(opened, fails('CAMERA_TIMEOUT'));
  await until(() => camera.requests.length > 0);
  caller.abort();
  await rejected;
  assert.deepEqual(idsOf(service), []);
  await until(() => camera.connections.open === 0);
});

test('should drop a viewer that never connects', async (t) => {
  const { service } = await startPanel(t, { handshakeMs: 300 });
  const { camera } = await startCamera(t);
  const { sdp } = await newViewer(t);
  await service.open({ id: 'never', url: camera.url(), sdp }, noSignal);
  await until(() => idsOf(service).length === 0, 'the one that never connects');
  await until(() => camera.connections.open === 0);
});

/** Ticks until the service has no session. */
function untilEnded(clock: FakeClock, service: StreamService): Promise<void> {
  return until(async () => {
    await clock.advance(500);
    return idsOf(service).length === 0;
  }, 'the end of the session');
}

test('should drop a viewer that vanishes, and leave its camera', async (t) => {
  // It ticks only once the viewer is connected: on a busy machine that takes longer than the silence.
  const clock = new FakeClock();
  const { service } = await startPanel(t, { viewerSilentMs: 1_000 }, 0, clock);
  const { camera } = await startCamera(t);
  const viewer = await watch(t, service, 'vanishes', camera.url());
  await viewer.connected();
  await viewer.close();
  await untilEnded(clock, service);
  await until(() => camera.connections.open === 0);
});

test('security: should not serve a viewer whose certificate is not the one of its offer', async (t) => {
  const { service } = await startPanel(t, { handshakeMs: 60_000 });
  const { camera, video } = await startCamera(t);
  video.start();
  const { viewer, sdp } = await newViewer(t);
  const forged = sdp.replaceAll(
    /(a=fingerprint:sha-256 )(..)/g,
    (_all, head: string, byte: string) => `${head}${byte === '00' ? '01' : '00'}`,
  );
  assert.notEqual(forged, sdp);
  await viewer.accept((await service.open({ id: 'x', url: camera.url(), sdp: forged }, noSignal)).sdp);
  await until(() => idsOf(service).length === 0, 'the session to be ended');
  assert.equal(viewer.received.video.length, 0);
});

test('should refuse bad offers and addresses before it dials the camera', async (t) => {
  const { service } = await startPanel(t);
  const { camera } = await startCamera(t);
  const { sdp } = await newViewer(t);
  const mode2 = sdp.replaceAll('packetization-mode=1', 'packetization-mode=2');
  await assert.rejects(
    service.open({ id: 'x', url: camera.url(), sdp: mode2 }, noSignal),
    (error: unknown) => fails('INVALID_REQUEST')(error) && (error as FaceplateError).field === 'sdp',
  );
  await assert.rejects(
    service.open({ id: 'x', url: 'file:///etc/passwd', sdp }, noSignal),
    fails('INVALID_REQUEST'),
  );
  assert.equal(camera.connections.all, 0);
  assert.deepEqual(idsOf(service), []);
});

const BAD_CAMERAS: [string, (request: ScriptedRequest) => ScriptedReply, ErrorCode, RegExp][] = [
  ['hangs', () => undefined, 'CAMERA_TIMEOUT', /DESCRIBE/],
  ['sends garbage', () => Buffer.from([1, 2, 3, 4]), 'CAMERA_PROTOCOL', /binary/],
  [
    'has no such path',
    (r) => (r.method === 'DESCRIBE' ? { status: 404 } : usualReply(r)),
    'CAMERA_NOT_FOUND',
    /404/,
  ],
  [
    'fails',
    (r) => (r.method === 'PLAY' ? { status: 500 } : usualReply(r)),
    'CAMERA_PROTOCOL',
    /PLAY with RTSP 500/,
  ],
  [
    'asks for a login',
    () => ({ status: 401, headers: ['WWW-Authenticate: Basic realm="x"'] }),
    'CAMERA_UNAUTHORIZED',
    /401/,
  ],
  ['sends H.265', (r) => usualReply(r, H264_SDP.replace('H264', 'H265')), 'UNSUPPORTED_CODEC', /H\.265/],
];
for (const [what, reply, code, sentence] of BAD_CAMERAS) {
  test(`should report ${code} for a camera that ${what}, and free everything`, async (t) => {
    // Who answers has the usual time.
    const { service } = await startPanel(t, code === 'CAMERA_TIMEOUT' ? { replyMs: 200 } : {}, 20);
    const { camera } = await startCamera(t, reply);
    const { sdp } = await newViewer(t);
    await assert.rejects(service.open({ id: 'x', url: camera.url(), sdp }, noSignal), fails(code, sentence));
    assert.deepEqual(idsOf(service), []);
    await until(() => camera.connections.open === 0, 'the camera connection closed');
  });
}

test('should keep a camera that answers slowly within the time limit of the whole opening', async (t) => {
  const { service } = await startPanel(t, { openMs: 200 });
  const { camera } = await startCamera(t, () => undefined);
  const { sdp } = await newViewer(t);
  await assert.rejects(
    service.open({ id: 'x', url: camera.url(), sdp }, noSignal),
    fails('CAMERA_TIMEOUT', /whole/),
  );
  await until(() => camera.connections.open === 0);
});

test('should report a camera that refuses the connection', async (t) => {
  const { service } = await startPanel(t);
  const { camera } = await startCamera(t);
  const url = camera.url();
  await camera.stop();
  const { sdp } = await newViewer(t);
  await assert.rejects(
    service.open({ id: 'x', url, sdp }, noSignal),
    fails('CAMERA_UNREACHABLE', /ECONNREFUSED/),
  );
});

test('should not know a session that does not exist', async (t) => {
  const { service } = await startPanel(t);
  await assert.rejects(service.close({ id: 'nobody' }), fails('SESSION_NOT_FOUND'));
});

test('should close a session whose viewer has just left, once', async (t) => {
  const clock = new FakeClock();
  const { service } = await startPanel(t, { viewerSilentMs: 1_000 }, 0, clock);
  const { camera } = await startCamera(t);
  const viewer = await watch(t, service, 'a', camera.url());
  await viewer.connected();
  await viewer.close();
  await untilEnded(clock, service);
  assert.deepEqual(await service.close({ id: 'a' }), { status: 'stopped' });
  await assert.rejects(service.close({ id: 'a' }), fails('SESSION_NOT_FOUND'));
  // A later session with this id is closed once as well, and one that never played was never there.
  await watch(t, service, 'a', camera.url());
  await service.close({ id: 'a' });
  await assert.rejects(service.close({ id: 'a' }), fails('SESSION_NOT_FOUND'));
  await camera.stop();
  const { sdp } = await newViewer(t);
  await assert.rejects(service.open({ id: 'b', url: 'rtsp://127.0.0.1:1/', sdp }, noSignal));
  await assert.rejects(service.close({ id: 'b' }), fails('SESSION_NOT_FOUND'));
});

test('should end sessions and openings when it stops, even twice and before start, and leave no socket', async (t) => {
  const { service } = await startPanel(t, {}, 20);
  let isMute = false;
  const { camera } = await startCamera(t, (request) => (isMute ? undefined : usualReply(request)));
  await watch(t, service, 'playing', camera.url('/1'));
  isMute = true;
  const { sdp } = await newViewer(t);
  const opening = service.open({ id: 'opening', url: camera.url('/2'), sdp }, noSignal);
  const rejected = assert.rejects(opening, fails('SHUTTING_DOWN'));
  await until(() => camera.connections.all === 2);
  await service.stop();
  await rejected;
  await service.stop();
  await until(() => camera.connections.open === 0);
  assert.deepEqual(idsOf(service), []);
  await assert.rejects(service.open({ id: 'x', url: camera.url(), sdp }, noSignal), fails('SHUTTING_DOWN'));
  await new StreamService({
    log: silentLogger(),
    bus: new EventBus(silentLogger()),
    lingerSeconds: () => 1,
    access: openAccess,
  }).stop();
});

test('should leave no socket and no timer behind', async (t) => {
  const { camera, video } = await startCamera(t);
  video.start();
  // Handshakes that other tests cut off end within a second.
  await letPass(1_000);
  const count = (): number =>
    process.getActiveResourcesInfo().filter((name) => ['TCPSocketWrap', 'UDPWrap', 'Timeout'].includes(name))
      .length;
  const before = count();
  for (let cycle = 0; cycle < 5; cycle++) {
    const { service } = await startPanel(t, {}, 60);
    const viewer = await watch(t, service, 'a', camera.url());
    await until(() => viewer.received.video.length > 0);
    await service.stop();
    await viewer.close();
  }
  await until(() => count() <= before, `having ${before} resources as at the beginning`);
});
