import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { silentLogger } from '../../platform/log.ts';
import { FakeClock } from '../../testing/fakeClock.ts';
import { until } from '../../testing/waiting.ts';
import { parseCameraUrl } from '../rtsp/cameraUrl.ts';
import { type DoubleOptions, OnvifCamera } from '../testing/onvifCamera.ts';
import { openAccess } from '../testing/openAccess.ts';
import { fails } from '../testing/testPanel.ts';
import { OnvifCameras } from './service.ts';

const PROFILES = [
  { token: 'main', codec: 'H264', width: 1280, height: 720, uri: 'rtsp://0.0.0.0:8554/main?a=1&amp;b=2' },
  { token: '4k', codec: 'H265', width: 3840, height: 2160, uri: 'rtsp://192.168.1.108/4k' },
  { token: 'sub', codec: 'H264', width: 640, height: 360, uri: 'rtsp://user:pw@10.9.9.9:554/sub' },
];
const LOGIN = 'panel:s3cret%3C%26%3E';
const never = new AbortController().signal;

async function start(t: TestContext, options: Partial<DoubleOptions> = {}, login = LOGIN) {
  const camera = new OnvifCamera({ profiles: PROFILES, ...options });
  await camera.start();
  const clock = Object.assign(new FakeClock(), { wall: () => Date.now() });
  const cameras = new OnvifCameras({ access: openAccess, clock, log: silentLogger() });
  t.after(async () => {
    await cameras.stop();
    await camera.stop();
  });
  return { camera, cameras, clock, url: parseCameraUrl(camera.url(login)) };
}

describe('profiles of a camera', () => {
  test('should read them by Media2, with the host that was dialled and without a login', async (t) => {
    const { camera, cameras, url } = await start(t, { speaks: true });
    const { profiles, ...rest } = await cameras.describe(url, never);
    assert.deepEqual(profiles, [
      {
        token: 'main',
        name: 'main',
        codec: 'H264',
        width: 1280,
        height: 720,
        fps: 12.5,
        url: 'rtsp://127.0.0.1:8554/main?a=1&b=2',
        chosen: 'large',
      },
      {
        token: '4k',
        name: '4k',
        codec: 'H265',
        width: 3840,
        height: 2160,
        fps: 12.5,
        url: 'rtsp://127.0.0.1/4k',
        chosen: null,
      },
      {
        token: 'sub',
        name: 'sub',
        codec: 'H264',
        width: 640,
        height: 360,
        fps: 12.5,
        url: 'rtsp://127.0.0.1:554/sub',
        chosen: 'small',
      },
    ]);
    const presets = [
      { token: 'p1', name: 'Gate' },
      { token: 'p2', name: 'p2' },
    ];
    assert.deepEqual(rest, {
      clockOffSeconds: 0,
      snapshot: true,
      talk: true,
      ptz: true,
      events: true,
      presets,
    });
    assert.equal(camera.most, 1);
    assert.ok(!camera.calls.some((call) => call.endsWith('!')), camera.calls.join());
  });

  test('should fall back to Media1, and to GetCapabilities', async (t) => {
    const { cameras, url } = await start(t, {
      hasMedia2: false,
      hasServices: false,
      moves: false,
      hasEvents: false,
      snapshot: '',
    });
    const { profiles, snapshot, ptz, events, presets } = await cameras.describe(url, never);
    assert.deepEqual(
      profiles.map(({ token, fps }) => [token, fps]),
      [
        ['main', 25],
        ['sub', 25],
      ],
    );
    assert.deepEqual([snapshot, ptz, events, presets], [false, false, false, []]);
  });

  test('should choose by size, and give the login to the dialled host alone', async (t) => {
    const { cameras, url, camera } = await start(t);
    const of = (width: number, height: number) => cameras.streamFor(url, { width, height }, never);
    const small = await of(800, 450);
    assert.deepEqual(small.profile, { token: 'sub', width: 640, height: 360 });
    assert.deepEqual(
      [small.url.host, small.url.port, small.url.credentials?.user],
      ['127.0.0.1', 554, 'panel'],
    );
    assert.equal((await of(801, 450)).profile.token, 'main');
    assert.equal((await cameras.streamFor(url, undefined, never)).profile.token, 'main');
    const before = camera.calls.length;
    await of(3840, 2160);
    assert.equal(camera.calls.length, before, 'what is known is not asked again');
    camera.options.profiles = [PROFILES[1]!];
    cameras.forget(url);
    await assert.rejects(of(1, 1), fails('UNSUPPORTED_CODEC', /H265/));
  });
});

describe('login of a camera', () => {
  test('should follow the clock of the camera, and name one that is off', async (t) => {
    const { camera, cameras, url } = await start(t, { clockOff: -90_000 });
    const { clockOffSeconds } = await cameras.describe(url, never);
    assert.ok(Math.abs(clockOffSeconds + 90) <= 2, String(clockOffSeconds));
    // It is set while the panel runs.
    camera.options.clockOff = 0;
    assert.equal((await cameras.describe(url, never)).profiles.length, 3);
    camera.options.clockOff = 7_200_000;
    cameras.forget(url);
    await cameras.streamFor(url, undefined, never);
    camera.options.password = 'other';
    await assert.rejects(cameras.describe(url, never), fails('CAMERA_UNAUTHORIZED', /7\d\d\d s ahead/));
  });

  test('should log in by Digest where the camera wants that, and stay with it', async (t) => {
    const { camera, cameras, url } = await start(t, { login: 'digest', guardsClock: true });
    assert.equal((await cameras.describe(url, never)).profiles.length, 3);
    const refused = camera.calls.filter((call) => call.endsWith('!')).length;
    assert.ok(refused <= 2, camera.calls.join());
  });

  test('security: should rest a refused login for 60 s, and no other', async (t) => {
    const { camera, cameras, clock, url } = await start(t, { password: 'other' });
    const first = [0, 1, 2].map(() => cameras.describe(url, never));
    for (const result of await Promise.allSettled(first)) assert.equal(result.status, 'rejected');
    const asked = camera.tokens.length;
    assert.equal(asked, 1);
    await clock.advance(20_000);
    cameras.forget(url);
    await assert.rejects(cameras.describe(url, never), fails('CAMERA_UNAUTHORIZED', /in 40 s/));
    assert.equal(camera.tokens.length, asked);
    const right = parseCameraUrl(camera.url('panel:other'));
    assert.equal((await cameras.describe(right, never)).profiles.length, 3);
    await clock.advance(40_000);
    await assert.rejects(cameras.describe(url, never), fails('CAMERA_UNAUTHORIZED', /refused the user name/));
    const none = parseCameraUrl(camera.url());
    for (const _try of [1, 2])
      await assert.rejects(cameras.describe(none, never), fails('CAMERA_UNAUTHORIZED', /asks for a login/));
    camera.options.login = 'refuse';
    await clock.advance(60_000);
    await assert.rejects(cameras.describe(right, never), fails('CAMERA_UNAUTHORIZED'));
  });
});

describe('faults of a camera', () => {
  test('security: should bound the answer, its time, and what it is', async (t) => {
    const { camera, cameras, url } = await start(t);
    const answers: [string, RegExp, string][] = [
      [`<s:Envelope><s:Body><a>${'x'.repeat(2 ** 20)}</a></s:Body></s:Envelope>`, /1 MiB/, 'CAMERA_PROTOCOL'],
      ['<!DOCTYPE a><Envelope/>', /DTD/, 'CAMERA_PROTOCOL'],
      ['<html></html>', /no SOAP/, 'CAMERA_PROTOCOL'],
      ['hello', /not XML/, 'CAMERA_PROTOCOL'],
    ];
    for (const [answer, sentence, code] of answers) {
      camera.options.instead = (_method, response) => {
        response.end(answer);
        return true;
      };
      await assert.rejects(cameras.describe(url, never), fails(code as never, sentence));
    }
    camera.options.instead = (_method, response) => {
      response.writeHead(404).end();
      return true;
    };
    await assert.rejects(cameras.describe(url, never), fails('CAMERA_PROTOCOL'));
    await camera.stop();
    await assert.rejects(cameras.describe(url, never), fails('CAMERA_UNREACHABLE'));
  });

  test('security: should never ask the panel itself', async (t) => {
    const { camera } = await start(t);
    const access = { ...openAccess, ownPort: () => camera.port };
    const clock = Object.assign(new FakeClock(), { wall: () => 0 });
    const cameras = new OnvifCameras({ access, clock, log: silentLogger() });
    await assert.rejects(cameras.describe(parseCameraUrl(camera.url()), never), fails('FORBIDDEN'));
    assert.deepEqual(camera.calls, []);
  });
});

describe('movements', () => {
  test('should move, and stop by itself', async (t) => {
    const { camera, cameras, clock, url } = await start(t);
    await cameras.move(url, { pan: -0.5, zoom: 1, seconds: 2 }, never);
    assert.deepEqual(camera.movements, [
      'ContinuousMove(ProfileToken(main) Velocity(PanTilt x=-0.5 y=0() Zoom x=1()) Timeout(PT2S))',
    ]);
    await clock.advance(1_900);
    await cameras.move(url, { tilt: 1 }, never);
    await clock.advance(100);
    assert.equal(camera.movements.length, 2);
    await clock.advance(400);
    await until(() => camera.movements.length === 3, 'the stop');
    assert.match(camera.movements[2]!, /^Stop\(ProfileToken\(main\)/);
    await cameras.move(url, { preset: 'gate' }, never);
    assert.match(camera.movements[3]!, /^GotoPreset.*PresetToken\(p1\)/);
    await assert.rejects(cameras.move(url, { preset: 'x' }, never), fails('NOT_FOUND'));
    await cameras.move(url, { pan: 1, seconds: 10 }, never);
    await cameras.stop();
    assert.match(camera.movements.at(-1)!, /^Stop/);
  });

  test('should say that a camera cannot be moved', async (t) => {
    const { cameras, url } = await start(t, { moves: false });
    await assert.rejects(cameras.move(url, { stop: true }, never), fails('UNSUPPORTED_HARDWARE'));
  });
});
