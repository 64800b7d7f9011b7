import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { before, test } from 'node:test';
import type { CertificateTrust } from '../../platform/net/trustedTls.ts';
import { usualReply } from '../../testing/scriptedCamera.ts';
import { selfSigned } from '../../testing/selfSigned.ts';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { clientFor, fails, startCamera } from '../testing/rtspClient.ts';

const folder = temporaryFolder('tls');
const stranger = selfSigned();
const known = selfSigned();

before(() => {
  // OpenSSL reads the system's authorities from here; they are read at the first connection of this process.
  process.env.SSL_CERT_FILE = join(folder, 'known.pem');
  writeFileSync(process.env.SSL_CERT_FILE, known.cert);
});

test('should play over TLS when the system trusts the certificate', async (t) => {
  const camera = await startCamera(t, usualReply, known);
  const { client } = clientFor(t, camera.url('/live', 'cam:pass'));
  await client.play((await client.describe()).media);
  assert.equal(camera.requests[2]!.uri, camera.url('/live/trackID=0'));
});

test('security: should refuse an untrusted certificate, name its fingerprint, and send nothing', async (t) => {
  const camera = await startCamera(t, usualReply, stranger);
  const { client } = clientFor(t, camera.url('/live', 'cam:s3cret'));
  await assert.rejects(
    client.describe(),
    (error: Error) =>
      fails('CAMERA_PROTOCOL', /not trusted \(DEPTH_ZERO_SELF_SIGNED_CERT\).*not pinned/)(error) &&
      error.message.includes(stranger.fingerprint) &&
      error.message.includes('settings page') &&
      !error.message.includes('s3cret'),
  );
  assert.deepEqual(camera.requests, []);
});

test('security: should play with a certificate pinned for the dialled host and port', async (t) => {
  const camera = await startCamera(t, usualReply, stranger);
  const judged: unknown[] = [];
  const judge: CertificateTrust['judge'] = (server, { fingerprint256 }, reason) => {
    judged.push([server, fingerprint256, reason]);
    return 'trusted';
  };
  const { client } = clientFor(t, camera.url('/live', 'cam:pass'), 5_000, { certificates: { judge } });
  await client.play((await client.describe()).media);
  assert.deepEqual(judged, [
    [{ host: '127.0.0.1', port: camera.port }, stranger.fingerprint, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  ]);
});

test('security: should report a certificate other than the pinned one, and send nothing', async (t) => {
  const camera = await startCamera(t, usualReply, stranger);
  const { client } = clientFor(t, camera.url(), 5_000, { certificates: { judge: () => 'changed' } });
  await assert.rejects(client.describe(), fails('CAMERA_PROTOCOL', /another TLS certificate than the one/));
  assert.deepEqual(camera.requests, []);
});

test('security: should refuse a trusted certificate of another host', async (t) => {
  const camera = await startCamera(t, usualReply, known);
  const { client } = clientFor(t, camera.url().replace('127.0.0.1', 'localhost'));
  await assert.rejects(client.describe(), fails('CAMERA_PROTOCOL', /ERR_TLS_CERT_ALTNAME_INVALID/));
});

test('should say that a camera does not speak TLS', async (t) => {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', () => socket.end('RTSP/1.0 400 Bad Request\r\n\r\n'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const { client } = clientFor(t, `rtsps://127.0.0.1:${port}/live`);
  await assert.rejects(client.describe(), fails('CAMERA_PROTOCOL', /does not speak TLS/));
});

test('security: should not fall back from TLS to unencrypted UDP', async (t) => {
  const reply = (request: Parameters<typeof usualReply>[0]) =>
    request.method === 'SETUP' ? { status: 461 } : usualReply(request);
  const camera = await startCamera(t, reply, known);
  const { client } = clientFor(t, camera.url());
  const { media } = await client.describe();
  await assert.rejects(client.play(media), fails('CAMERA_PROTOCOL', /461/));
  assert.equal(camera.methods().filter((method) => method === 'SETUP').length, 1);
});

const OLD_TLS = {
  'TLS 1.0': { minVersion: 'TLSv1', maxVersion: 'TLSv1', ciphers: 'ALL:@SECLEVEL=0' },
  'TLS 1.1': { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' },
  'ciphers that are weak by now': { maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-CCM8:@SECLEVEL=0' },
} as const;

for (const [name, old] of Object.entries(OLD_TLS))
  test(`security: should play a camera with ${name} only if the settings allow it for this host`, async (t) => {
    const camera = await startCamera(t, usualReply, { ...known, ...old });
    for (const hosts of [[], ['10.0.0.5']]) {
      const { client } = clientFor(t, camera.url(), 5_000, { oldTlsHosts: () => hosts });
      await assert.rejects(
        client.describe(),
        fails('CAMERA_PROTOCOL', /speaks only old TLS \(ERR_SSL_[\w/]+\).*streams\.oldTlsHosts/),
      );
    }
    assert.deepEqual(camera.requests, []);
    const { client } = clientFor(t, camera.url(), 5_000, { oldTlsHosts: () => ['127.0.0.1'] });
    await client.play((await client.describe()).media);
  });

test('security: should check the certificate of a camera with old TLS all the same', async (t) => {
  const camera = await startCamera(t, usualReply, { ...stranger, ...OLD_TLS['TLS 1.0'] });
  const { client } = clientFor(t, camera.url(), 5_000, { oldTlsHosts: () => ['127.0.0.1'] });
  await assert.rejects(client.describe(), fails('CAMERA_PROTOCOL', /not trusted/));
  assert.deepEqual(camera.requests, []);
});
