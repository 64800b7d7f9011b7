import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { test } from 'node:test';
import {
  H264_SDP,
  interleaved,
  rtpPacket,
  type ScriptedCamera,
  usualReply,
} from '../../testing/scriptedCamera.ts';
import { timeToGoWrong, until } from '../../testing/waiting.ts';
import { clientFor, fails, startCamera } from '../testing/rtspClient.ts';

const SHORT_MS = 150;

test('should describe, set up and play a camera, and say goodbye', async (t) => {
  const camera = await startCamera(t);
  const { client, packets } = clientFor(t, camera.url('/live'));
  const { media } = await client.describe();
  await client.play(media);
  camera.sendFrame(0, Buffer.from('aa', 'hex'));
  camera.sendFrame(1, Buffer.from('bb', 'hex'));
  camera.sendFrame(9, Buffer.from('cc', 'hex'));
  await until(() => packets.length >= 2);
  await client.close();
  assert.deepEqual(packets, ['rtp 0 aa', 'rtcp 0 bb']);
  await until(() => camera.methods().includes('TEARDOWN'));
  assert.deepEqual(camera.methods(), ['OPTIONS', 'DESCRIBE', 'SETUP', 'PLAY', 'TEARDOWN']);
  const setup = camera.requests[2]!;
  assert.equal(setup.uri, camera.url('/live/trackID=0'));
  assert.equal(camera.requests[3]!.headers.get('session'), '12345678');
  await until(() => camera.connections.open === 0);
});

test('should use the channels that the camera chose', async (t) => {
  const camera = await startCamera(t, (request) =>
    request.method === 'SETUP'
      ? { status: 200, headers: ['Session: 1', 'Transport: RTP/AVP/TCP;unicast;ssrc=1;interleaved=6-9'] }
      : usualReply(request),
  );
  const { client, packets } = clientFor(t, camera.url());
  await client.play((await client.describe()).media);
  for (const channel of [0, 1, 6, 9])
    camera.sendFrame(channel, rtpPacket(channel, 0, true, Buffer.from([channel])));
  await until(() => packets.length >= 2);
  assert.deepEqual(
    packets.map((text) => [text.slice(0, 6), text.slice(-2)]),
    [
      ['rtp 0 ', '06'],
      ['rtcp 0', '09'],
    ],
  );
});

test('should accept media that comes in one chunk with the answer to PLAY', async (t) => {
  const camera = await startCamera(t, (request) =>
    request.method === 'PLAY'
      ? Buffer.concat([
          Buffer.from(`RTSP/1.0 200 OK\r\nCSeq: ${request.headers.get('cseq')}\r\n\r\n`),
          interleaved(0, Buffer.from('8d', 'hex')),
        ])
      : usualReply(request),
  );
  const { client, packets } = clientFor(t, camera.url());
  await client.play((await client.describe()).media);
  assert.deepEqual(packets, ['rtp 0 8d']);
});

test('should resolve track addresses against Content-Base, at the host that it is connected to', async (t) => {
  const camera = await startCamera(t, (request) =>
    request.method === 'DESCRIBE'
      ? { status: 200, headers: ['Content-Base: rtsp://u:p@192.0.2.1/base/'], body: H264_SDP }
      : usualReply(request),
  );
  const { client } = clientFor(t, camera.url());
  await client.play((await client.describe()).media);
  assert.deepEqual(
    camera.requests.slice(2, 4).map(({ method, uri }) => `${method} ${uri}`),
    [`SETUP ${camera.url('/base/trackID=0')}`, `PLAY ${camera.url('/base/')}`],
  );
});

test('should follow a redirect', async (t) => {
  const target = await startCamera(t);
  const camera = await startCamera(t, (request) =>
    request.method === 'DESCRIBE'
      ? { status: 302, headers: [`Location: ${target.url('/moved')}`] }
      : usualReply(request),
  );
  const { client, closed } = clientFor(t, camera.url());
  await client.play((await client.describe()).media);
  assert.equal(target.requests[1]!.uri, target.url('/moved'));
  await until(() => camera.connections.open === 0);
  assert.deepEqual(closed, []);
});

test('should end a redirect loop', async (t) => {
  const camera: ScriptedCamera = await startCamera(t, (request) =>
    request.method === 'DESCRIBE'
      ? { status: 301, headers: [`Location: ${camera.url()}`] }
      : usualReply(request),
  );
  const { client } = clientFor(t, camera.url());
  await assert.rejects(client.describe(), fails('CAMERA_PROTOCOL', /redirects/));
  assert.equal(camera.connections.all, 4);
});

test('should refuse a redirect away from RTSP', async (t) => {
  const camera = await startCamera(t, () => ({ status: 302, headers: ['Location: http://192.0.2.1/'] }));
  const { client } = clientFor(t, camera.url());
  await assert.rejects(client.describe(), fails('CAMERA_PROTOCOL', /redirects to an address/));
});

for (const [status, code] of [
  [403, 'CAMERA_UNAUTHORIZED'],
  [404, 'CAMERA_NOT_FOUND'],
  [454, 'CAMERA_NOT_FOUND'],
  [453, 'CAMERA_PROTOCOL'],
  [500, 'CAMERA_PROTOCOL'],
] as const) {
  test(`should report RTSP ${status} as ${code}`, async (t) => {
    const camera = await startCamera(t, (request) =>
      request.method === 'DESCRIBE' ? { status } : usualReply(request),
    );
    const { client } = clientFor(t, camera.url());
    await assert.rejects(client.describe(), fails(code, new RegExp(String(status))));
  });
}

test('should say that the camera offers no transport that we support', async (t) => {
  const camera = await startCamera(t, (request) =>
    request.method === 'SETUP' ? { status: 461 } : usualReply(request),
  );
  const { client } = clientFor(t, camera.url());
  const { media } = await client.describe();
  await assert.rejects(client.play(media), fails('CAMERA_PROTOCOL', /461.*TCP nor over UDP/));
  assert.deepEqual(
    camera.requests
      .filter(({ method }) => method === 'SETUP')
      .map(({ headers }) => headers.get('transport')!.replaceAll(/\d+-\d+/g, '#')),
    ['RTP/AVP/TCP;unicast;interleaved=#', 'RTP/AVP;unicast;client_port=#'],
  );
});

test('should read messages and media that come byte by byte', async (t) => {
  const camera = await startCamera(t);
  const { client, packets } = clientFor(t, camera.url());
  await client.play((await client.describe()).media);
  await camera.sendSplit(
    Buffer.concat([
      interleaved(0, Buffer.from('aabb', 'hex')),
      Buffer.from('\r\nOPTIONS * RTSP/1.0\r\nCSeq: 901\r\n\r\n'),
      interleaved(1, Buffer.from('8c', 'hex')),
    ]),
  );
  await until(() => packets.length >= 2);
  assert.deepEqual(packets, ['rtp 0 aabb', 'rtcp 0 8c']);
  assert.ok(camera.requests.some(({ method, uri }) => method.startsWith('RTSP/') && uri === '200'));
});

test('should not wait for ever for an answer', async (t) => {
  const camera = await startCamera(t, (request) =>
    request.method === 'DESCRIBE' ? undefined : usualReply(request),
  );
  const { client } = clientFor(t, camera.url(), SHORT_MS);
  await assert.rejects(client.describe(), fails('CAMERA_TIMEOUT', /DESCRIBE/));
});

test('should report a refused connection with the errno name', async (t) => {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  const { client } = clientFor(t, `rtsp://127.0.0.1:${port}/`);
  await assert.rejects(client.describe(), fails('CAMERA_UNREACHABLE', /ECONNREFUSED/));
});

test('should say that what a camera sends is no RTSP, not that it is silent', async (t) => {
  const camera = await startCamera(t, () => Buffer.from([0, 1, 2, 3, 0xff]));
  const { client } = clientFor(t, camera.url(), SHORT_MS);
  await assert.rejects(client.describe(), fails('CAMERA_PROTOCOL', /binary/));
});

test('should report a camera that hangs up in the middle', async (t) => {
  const camera: ScriptedCamera = await startCamera(t, (request) => {
    if (request.method === 'DESCRIBE') camera.hangUp();
    return usualReply(request);
  });
  const { client } = clientFor(t, camera.url());
  await assert.rejects(client.describe(), fails('CAMERA_UNREACHABLE', /closed|ECONNRESET/));
});

test('should report once that a playing camera went away', async (t) => {
  const camera = await startCamera(t);
  const { client, closed } = clientFor(t, camera.url());
  await client.play((await client.describe()).media);
  camera.hangUp();
  await until(() => closed.length > 0);
  await timeToGoWrong(20);
  assert.deepEqual(
    closed.map((error) => error.code),
    ['CAMERA_UNREACHABLE'],
  );
});

test('should answer requests of the camera and end at its TEARDOWN', async (t) => {
  const camera = await startCamera(t);
  const { client, closed } = clientFor(t, camera.url());
  await client.play((await client.describe()).media);
  camera.send('OPTIONS * RTSP/1.0\r\nCSeq: 901\r\n\r\nANNOUNCE rtsp://x/ RTSP/1.0\r\nCSeq: 902\r\n\r\n');
  camera.send('PLAY_NOTIFY rtsp://x/ RTSP/1.0\r\nCSeq: 903\r\n\r\n');
  const answers = (): string[] =>
    camera.requests
      .filter(({ method }) => method.startsWith('RTSP/'))
      .map(({ uri, headers }) => `${uri} ${headers.get('cseq')}`);
  await until(() => answers().length >= 3);
  assert.deepEqual(answers(), ['200 901', '200 902', '501 903']);
  camera.send('TEARDOWN rtsp://x/ RTSP/1.0\r\nCSeq: 904\r\n\r\n');
  await until(() => closed.length > 0);
});

test('should keep a session alive before it ends', async (t) => {
  const camera = await startCamera(t, (request) =>
    request.method === 'SETUP'
      ? { status: 200, headers: ['Session: 1;timeout=4', 'Transport: RTP/AVP/TCP;interleaved=0-1'] }
      : usualReply(request),
  );
  const { client } = clientFor(t, camera.url());
  await client.play((await client.describe()).media);
  await until(() => camera.methods().includes('GET_PARAMETER'));
  assert.equal(camera.requests.at(-1)!.headers.get('session'), '1');
});

test('should end everything pending when it is closed', async (t) => {
  const camera = await startCamera(t, () => undefined);
  const { client, closed } = clientFor(t, camera.url(), 60_000);
  const described = client.describe();
  described.catch(() => {});
  await until(() => camera.requests.length > 0);
  await client.close();
  await client.close();
  await assert.rejects(described);
  assert.deepEqual(closed, []);
  await until(() => camera.connections.open === 0);
});
