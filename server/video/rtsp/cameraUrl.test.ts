import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FaceplateError } from '../../contract/errors.ts';
import { type CameraUrl, parseCameraUrl, redirectTargets } from './cameraUrl.ts';

const redirectTarget = (from: CameraUrl, location: string) => redirectTargets(from, location)[0];

test('should split an address and keep the login out of the request line', () => {
  const url = parseCameraUrl('rtsp://admin:p%40ss%2Fword@10.0.0.5:8554/ch1?profile=0#frag');
  assert.deepEqual(
    { ...url },
    {
      kind: 'rtsp',
      key: 'rtsp://admin:p%40ss%2Fword@10.0.0.5:8554/ch1?profile=0',
      host: '10.0.0.5',
      port: 8554,
      isSecure: false,
      requestUri: 'rtsp://10.0.0.5:8554/ch1?profile=0',
      credentials: { user: 'admin', password: 'p@ss/word' },
    },
  );
});

test('should use port 554 and no login when the address has none', () => {
  const url = parseCameraUrl('rtsp://[::1]/x');
  assert.deepEqual([url.host, url.port, url.credentials], ['[::1]', 554, undefined]);
});

test('should take a password with a bare percent sign literally', () => {
  assert.equal(parseCameraUrl('rtsp://u:100%@c/').credentials?.password, '100%');
});

test('should refuse other schemes and unreadable addresses', () => {
  for (const text of ['http://c/', 'file:///etc/passwd', 'rtsp:', 'rtsp:///x', 'nonsense']) {
    assert.throws(
      () => parseCameraUrl(text),
      (error: unknown) =>
        error instanceof FaceplateError && error.code === 'INVALID_REQUEST' && error.field === 'url',
      text,
    );
  }
});

test('should recognise RTSP over TLS and its port', () => {
  const { port, isSecure, requestUri } = parseCameraUrl('rtsps://u:p@cam/live');
  assert.deepEqual([port, isSecure, requestUri], [322, true, 'rtsps://cam/live']);
});

test('security: should not pass the login from TLS to an unencrypted connection', () => {
  const from = parseCameraUrl('rtsps://u:p@cam/one');
  assert.equal(redirectTarget(from, 'rtsps://cam/two')?.credentials?.password, 'p');
  assert.equal(redirectTarget(from, 'rtsp://cam/two')?.credentials, undefined);
});

test('security: should give the login only to the same host when the camera redirects', () => {
  const from = parseCameraUrl('rtsp://u:p@cam/one');
  assert.equal(redirectTarget(from, 'rtsp://cam:8554/two')?.credentials?.password, 'p');
  assert.equal(redirectTarget(from, '/three')?.requestUri, 'rtsp://cam/three');
  assert.equal(redirectTarget(from, 'rtsp://elsewhere/two')?.credentials, undefined);
  assert.equal(redirectTarget(from, 'http://cam/two'), undefined);
  assert.equal(redirectTarget(from, 'file:///etc/passwd'), undefined);
});

test('should use the login of the settings for an address without one', () => {
  const logins = [
    { host: 'CAM', user: 'panel', password: 'any' },
    { host: 'cam', port: 8554, user: 'panel', password: 'of 8554' },
    { host: '::1', user: 'six', password: 'six' },
  ];
  const passwordFor = (address: string) => parseCameraUrl(address, logins).credentials?.password;
  assert.equal(passwordFor('rtsp://cam/live'), 'any');
  assert.equal(passwordFor('rtsp://Cam:8554/live'), 'of 8554');
  assert.equal(passwordFor('rtsps://[::1]/live'), 'six');
  assert.equal(passwordFor('rtsp://u:own@cam/live'), 'own');
  assert.equal(passwordFor('rtsp://u@cam/live'), '');
  assert.equal(passwordFor('rtsp://cam.evil/live'), undefined);
  assert.doesNotMatch(parseCameraUrl('rtsp://cam/live', logins).key, /panel|any/);
});

test('security: should give the login of the settings only to its own host and port when the camera redirects', () => {
  const logins = [
    { host: 'cam', port: 554, user: 'panel', password: 'p' },
    { host: 'other', user: 'panel', password: 'q' },
  ];
  const from = parseCameraUrl('rtsp://cam/one', logins);
  assert.equal(redirectTarget(from, 'rtsp://cam/two')?.credentials?.password, 'p');
  assert.equal(redirectTarget(from, 'rtsp://cam:8554/two')?.credentials, undefined);
  assert.equal(redirectTarget(from, 'rtsp://elsewhere/two')?.credentials, undefined);
  const wide = parseCameraUrl('rtsps://other/one', logins);
  assert.equal(redirectTarget(wide, 'rtsps://other:8554/two')?.credentials?.password, 'q');
  assert.equal(redirectTarget(wide, 'rtsp://other/two')?.credentials, undefined);
  const twice = redirectTarget(redirectTarget(from, 'rtsp://cam/two')!, 'rtsp://cam:8554/three');
  assert.equal(twice?.credentials, undefined);
});

test('should try the own port for a redirect to the same host without one', () => {
  const from = parseCameraUrl('rtsp://u:p@cam:8554/one');
  const addressesOf = (location: string) =>
    redirectTargets(from, location).map(({ port, requestUri, credentials }) => [
      port,
      requestUri,
      credentials?.user,
    ]);
  assert.deepEqual(addressesOf('rtsp://cam/two'), [
    [554, 'rtsp://cam/two', 'u'],
    [8554, 'rtsp://cam:8554/two', 'u'],
  ]);
  assert.deepEqual(addressesOf('rtsp://cam:8554/two'), [[8554, 'rtsp://cam:8554/two', 'u']]);
  assert.deepEqual(addressesOf('rtsp://other/two'), [[554, 'rtsp://other/two', undefined]]);
  assert.deepEqual(addressesOf('rtsp://rtsp://cam:8554/two'), [[8554, 'rtsp://cam:8554/two', 'u']]);
});

test('should take the login of an address as people paste it', () => {
  for (const [address, user, password, request] of [
    [
      'rtsp://admin:word##X@10.0.0.5/cam?channel=1&subtype=1',
      'admin',
      'word##X',
      'rtsp://10.0.0.5/cam?channel=1&subtype=1',
    ],
    ['rtsp://admin:a/b?c@CAM/s', 'admin', 'a/b?c', 'rtsp://CAM/s'],
    ['rtsp://admin:P@ss@CAM/s', 'admin', 'P@ss', 'rtsp://CAM/s'],
    ['rtsp://admin:P@ss/word@10.0.0.5:554/s', 'admin', 'P@ss/word', 'rtsp://10.0.0.5:554/s'],
    ['rtsp://admin:12/34@10.0.0.5/s', 'admin', '12/34', 'rtsp://10.0.0.5/s'],
    ['rtsp://admin:12#34@cam.local/s', 'admin', '12#34', 'rtsp://cam.local/s'],
    ['rtsp://admin:?@[fd00::5]:8554/s', 'admin', '?', 'rtsp://[fd00::5]:8554/s'],
    ['rtsp://ad/min@x:p@10.0.0.5/s', 'ad/min@x', 'p', 'rtsp://10.0.0.5/s'],
    ['rtsp://admin:a%0X@CAM/s', 'admin', 'a%0X', 'rtsp://CAM/s'],
    ['rtsp://admin:a%40b%@CAM/s', 'admin', 'a@b%', 'rtsp://CAM/s'],
    ['rtsp://admin:a%23#b@CAM/s', 'admin', 'a##b', 'rtsp://CAM/s'],
    ['rtsp://admin:a^ !b@CAM/s', 'admin', 'a^ !b', 'rtsp://CAM/s'],
    ['rtsp://admin:/:@#?%@10.0.0.5', 'admin', '/:@#?%', 'rtsp://10.0.0.5'],
    ['rtsp://admin:@CAM:554/s', 'admin', '', 'rtsp://CAM:554/s'],
    ['rtsps://admin:a/b@10.0.0.5:7441/s?enableSrtp', 'admin', 'a/b', 'rtsps://10.0.0.5:7441/s?enableSrtp'],
  ] as const) {
    const { credentials, requestUri, key } = parseCameraUrl(address);
    assert.deepEqual([credentials, requestUri], [{ user, password }, request], address);
    assert.deepEqual(parseCameraUrl(key).credentials, credentials, key);
  }
});

test('should leave an @ in the path or query where it is', () => {
  for (const address of [
    'rtsp://c/a@b',
    'rtsp://10.0.0.5:554/user=admin&password=a@10.0.0.6/x',
    'rtsp://proxy/play?src=rtsp://u:p@10.0.0.5/live',
    'rtsp://c:1/a@b?x=@',
  ]) {
    const { credentials, requestUri } = parseCameraUrl(address);
    assert.deepEqual([credentials, requestUri], [undefined, address]);
  }
  assert.equal(parseCameraUrl('rtsp://u:p%40@c:1/a@b?x=@').requestUri, 'rtsp://c:1/a@b?x=@');
});

test('security: should read an address of many @ in one go', () => {
  const long = `rtsp://${'a:@'.repeat(680)}/`;
  const begun = process.cpuUsage().user;
  for (let i = 0; i < 20; i++) assert.throws(() => parseCameraUrl(long), FaceplateError);
  assert.ok(process.cpuUsage().user - begun < 500_000);
});
