import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { usualReply } from '../../testing/scriptedCamera.ts';
import { clientFor, fails, startCamera } from '../testing/rtspClient.ts';

interface KeyPair {
  readonly key: string;
  readonly cert: string;
}

let folder: string;
let stranger: KeyPair;
let known: KeyPair;

/** A certificate that is its own authority. */
async function selfSigned(name: string, subject: string): Promise<KeyPair> {
  const [key, cert] = [join(folder, `${name}.key`), join(folder, `${name}.pem`)];
  const args = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -keyout ${key} -out ${cert} -subj /CN=camera -addext subjectAltName=${subject}`;
  await promisify(execFile)('openssl', args.split(' '));
  return { key: await readFile(key, 'utf8'), cert: await readFile(cert, 'utf8') };
}

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'faceplate-tls-'));
  stranger = await selfSigned('stranger', 'IP:127.0.0.1');
  known = await selfSigned('known', 'IP:127.0.0.1');
  // OpenSSL reads the system's authorities from here; they are read at the first connection of this process.
  process.env.SSL_CERT_FILE = join(folder, 'known.pem');
});

after(() => rm(folder, { recursive: true }));

test('should play over TLS when the system trusts the certificate', async (t) => {
  const camera = await startCamera(t, usualReply, known);
  const { client } = clientFor(t, camera.url('/live', 'cam:pass'));
  await client.play((await client.describe()).media);
  assert.equal(camera.requests[2]!.uri, camera.url('/live/trackID=0'));
});

test('security: should refuse a certificate that nobody vouches for, name its fingerprint, and send nothing', async (t) => {
  const camera = await startCamera(t, usualReply, stranger);
  const { client } = clientFor(t, camera.url('/live', 'cam:s3cret'));
  const { fingerprint256 } = new X509Certificate(stranger.cert);
  await assert.rejects(
    client.describe(),
    (error: Error) =>
      fails('CAMERA_PROTOCOL', /not trusted \(DEPTH_ZERO_SELF_SIGNED_CERT\).*not pinned/)(error) &&
      error.message.includes(fingerprint256) &&
      !error.message.includes('s3cret'),
  );
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

test('security: should not fall back from TLS to UDP in the clear', async (t) => {
  const reply = (request: Parameters<typeof usualReply>[0]) =>
    request.method === 'SETUP' ? { status: 461 } : usualReply(request);
  const camera = await startCamera(t, reply, known);
  const { client } = clientFor(t, camera.url());
  const { media } = await client.describe();
  await assert.rejects(client.play(media), fails('CAMERA_PROTOCOL', /461/));
  assert.equal(camera.methods().filter((method) => method === 'SETUP').length, 1);
});
