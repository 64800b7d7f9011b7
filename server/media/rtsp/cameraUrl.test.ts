import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FaceplateError } from '../../contract/errors.ts';
import { parseCameraUrl, redirectTarget } from './cameraUrl.ts';

test('should take an address apart and keep the login out of the request line', () => {
  const url = parseCameraUrl('rtsp://admin:p%40ss%2Fword@10.0.0.5:8554/ch1?profile=0#frag');
  assert.deepEqual(
    { ...url },
    {
      key: 'rtsp://admin:p%40ss%2Fword@10.0.0.5:8554/ch1?profile=0',
      host: '10.0.0.5',
      port: 8554,
      isSecure: false,
      requestUri: 'rtsp://10.0.0.5:8554/ch1?profile=0',
      credentials: { user: 'admin', password: 'p@ss/word' },
    },
  );
});

test('should take port 554 and no login where none stand in the address', () => {
  const url = parseCameraUrl('rtsp://[::1]/x');
  assert.deepEqual([url.host, url.port, url.credentials], ['[::1]', 554, undefined]);
});

test('should take a password with a bare percent sign as it stands', () => {
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

test('should know RTSP over TLS and its port', () => {
  const { port, isSecure, requestUri } = parseCameraUrl('rtsps://u:p@cam/live');
  assert.deepEqual([port, isSecure, requestUri], [322, true, 'rtsps://cam/live']);
});

test('security: should not take the login from TLS to a connection in the clear', () => {
  const from = parseCameraUrl('rtsps://u:p@cam/one');
  assert.equal(redirectTarget(from, 'rtsps://cam/two')?.credentials?.password, 'p');
  assert.equal(redirectTarget(from, 'rtsp://cam/two')?.credentials, undefined);
});

test('security: should give the login to the same host only when the camera redirects', () => {
  const from = parseCameraUrl('rtsp://u:p@cam/one');
  assert.equal(redirectTarget(from, 'rtsp://cam:8554/two')?.credentials?.password, 'p');
  assert.equal(redirectTarget(from, '/three')?.requestUri, 'rtsp://cam/three');
  assert.equal(redirectTarget(from, 'rtsp://elsewhere/two')?.credentials, undefined);
  assert.equal(redirectTarget(from, 'http://cam/two'), undefined);
  assert.equal(redirectTarget(from, 'file:///etc/passwd'), undefined);
});
