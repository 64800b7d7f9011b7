import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { type ScriptedReply, type ScriptedRequest, usualReply } from '../../testing/scriptedCamera.ts';
import { clientFor, fails, startCamera } from '../testing/rtspClient.ts';

/** A camera that asks for Digest with this algorithm and checks what it gets. */
function digestReply(algorithm: string, hash: string, nonces: readonly string[]) {
  let current = 0;
  return (request: ScriptedRequest): ScriptedReply => {
    const nonce = nonces[current]!;
    const authorization = request.headers.get('authorization') ?? '';
    const field = (name: string): string => new RegExp(`${name}="?([^",]*)`).exec(authorization)?.[1] ?? '';
    const digest = (text: string): string => createHash(hash).update(text).digest('hex');
    const expected = digest(
      `${digest('cam:door:pass word')}:${nonce}:${field('nc')}:${field('cnonce')}:auth:${digest(`${request.method}:${request.uri}`)}`,
    );
    const isStale = request.method === 'PLAY' && current + 1 < nonces.length;
    if (isStale) current++;
    if (!isStale && field('response') === expected && field('uri') === request.uri)
      return usualReply(request);
    return {
      status: 401,
      headers: [
        'WWW-Authenticate: Basic realm="door"',
        `WWW-Authenticate: Digest realm="door", nonce="${nonces[current]}", algorithm=${algorithm}, qop="auth"${isStale ? ', stale=true' : ''}`,
      ],
    };
  };
}

for (const [algorithm, hash] of [
  ['MD5', 'md5'],
  ['SHA-256', 'sha256'],
  ['SHA-512-256', 'sha512-256'],
] as const) {
  test(`should log in with Digest ${algorithm}, also when the nonce grows stale`, async (t) => {
    const camera = await startCamera(t, digestReply(algorithm, hash, ['first', 'second']));
    const { client } = clientFor(t, camera.url('/live', 'cam:pass%20word'));
    await client.play((await client.describe()).media);
    assert.equal(camera.methods().filter((method) => method === 'PLAY').length, 2);
  });
}

test('should log in with Basic', async (t) => {
  const expected = `Basic ${Buffer.from('cam:pass word').toString('base64')}`;
  const camera = await startCamera(t, (request) =>
    request.headers.get('authorization') === expected
      ? usualReply(request)
      : { status: 401, headers: ['WWW-Authenticate: Basic realm="door"'] },
  );
  const { client } = clientFor(t, camera.url('/live', 'cam:pass%20word'));
  await client.play((await client.describe()).media);
  assert.equal(camera.methods().filter((method) => method === 'OPTIONS').length, 2);
});

test('should refuse a wrong password after one try', async (t) => {
  const camera = await startCamera(t, digestReply('MD5', 'md5', ['only']));
  const { client } = clientFor(t, camera.url('/live', 'cam:wrong'));
  await assert.rejects(client.describe(), fails('CAMERA_UNAUTHORIZED', /refused .* 401/));
  // OPTIONS and DESCRIBE, each once without or with the old login and once more.
  assert.ok(camera.requests.length <= 4, camera.methods().join());
});

test('should end a camera that calls every nonce stale', async (t) => {
  let count = 0;
  const camera = await startCamera(t, () => ({
    status: 401,
    headers: [`WWW-Authenticate: Digest realm="r", nonce="${count++}", stale=true`],
  }));
  const { client } = clientFor(t, camera.url('/live', 'cam:pass'));
  await assert.rejects(client.describe(), fails('CAMERA_UNAUTHORIZED', /401/));
  assert.ok(camera.requests.length <= 6, camera.methods().join());
});

test('should ask for a login when the camera wants one and the address has none', async (t) => {
  const camera = await startCamera(t, digestReply('MD5', 'md5', ['only']));
  const { client } = clientFor(t, camera.url());
  await assert.rejects(client.describe(), fails('CAMERA_UNAUTHORIZED', /rtsp:\/\/user:password@/));
});

test('security: should never send the login in a request line', async (t) => {
  const camera = await startCamera(t);
  const { client } = clientFor(t, camera.url('/live', 'cam:s3cret'));
  await client.play((await client.describe()).media);
  await client.close();
  for (const { uri } of camera.requests) assert.doesNotMatch(uri, /cam|s3cret/);
});
