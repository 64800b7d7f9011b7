import assert from 'node:assert/strict';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { rtpPacket, type ScriptedCamera, usualReply } from '../../testing/scriptedCamera.ts';
import { timeToGoWrong, until } from '../../testing/waiting.ts';
import { clientFor, type Received, startCamera } from '../testing/rtspClient.ts';

interface UdpCamera {
  readonly camera: ScriptedCamera;
  readonly socket: Socket;
  /** Datagrams that the client sent to the camera. */
  readonly heard: Buffer[];
  /** RTP and RTCP port of the client. */
  ports(): [number, number];
}

/** A camera that refuses TCP with 461. */
async function startUdpCamera(t: TestContext): Promise<UdpCamera> {
  const socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  t.after(() => socket.close());
  const heard: Buffer[] = [];
  socket.on('message', (data) => heard.push(data));
  const { port } = socket.address();
  const camera = await startCamera(t, (request) => {
    const transport = request.headers.get('transport') ?? '';
    if (request.method !== 'SETUP') return usualReply(request);
    if (transport.includes('TCP')) return { status: 461 };
    const headers = ['Session: 1', `Transport: ${transport};server_port=${port}-${port}`];
    return { status: 200, headers };
  });
  const ports = (): [number, number] => {
    const setup = camera.requests.filter(({ method }) => method === 'SETUP').at(-1)!;
    const match = /client_port=(\d+)-(\d+)/.exec(setup.headers.get('transport')!)!;
    return [Number(match[1]), Number(match[2])];
  };
  return { camera, socket, heard, ports };
}

async function play(t: TestContext, camera: ScriptedCamera, access = {}): Promise<Received> {
  const received = clientFor(t, camera.url(), 5_000, access);
  await received.client.play((await received.client.describe()).media);
  return received;
}

test('should receive the media over UDP when the camera refuses TCP, and free the ports', async (t) => {
  const { camera, socket, heard, ports } = await startUdpCamera(t);
  const { client, packets } = await play(t, camera);
  const [rtp, rtcp] = ports();
  assert.deepEqual([rtp % 2, rtcp], [0, rtp + 1]);
  // It opens the path and shows that the client is there.
  await until(() => heard.length >= 2);
  assert.ok(heard.some((data) => data[1] === 201));
  const packetOf = (sequence: number): Buffer => rtpPacket(sequence, 0, true, Buffer.from([sequence]));
  for (const sequence of [1, 3, 2, 4]) socket.send(packetOf(sequence), rtp, '127.0.0.1');
  socket.send(Buffer.from('80c80000', 'hex'), rtcp, '127.0.0.1');
  await until(() => packets.length >= 5);
  assert.deepEqual(
    packets.filter((text) => text.startsWith('rtp ')).map((text) => Number.parseInt(text.slice(-2), 16)),
    [1, 2, 3, 4],
  );
  assert.ok(packets.includes('rtcp 0 80c80000'));
  await client.close();
  const again = createSocket('udp4');
  again.bind(rtp, '127.0.0.1');
  await once(again, 'listening');
  again.close();
});

test('security: should accept media over UDP only from the address of the camera', async (t) => {
  const { camera, ports } = await startUdpCamera(t);
  const { packets } = await play(t, camera);
  const stranger = createSocket('udp4');
  stranger.bind(0, '127.0.0.2');
  await once(stranger, 'listening');
  t.after(() => stranger.close());
  stranger.send(rtpPacket(1, 0, true, Buffer.from([1])), ports()[0], '127.0.0.1');
  stranger.send(rtpPacket(1, 0, true, Buffer.from([1])), ports()[1], '127.0.0.1');
  await timeToGoWrong(100);
  assert.deepEqual(packets, []);
});

test('should free its ports when it is closed while it opens', async (t) => {
  const camera = await startCamera(t, (request) => {
    if (request.method !== 'SETUP') return usualReply(request);
    return request.headers.get('transport')!.includes('TCP') ? { status: 461 } : undefined;
  });
  const { client } = clientFor(t, camera.url());
  const playing = client.play((await client.describe()).media);
  playing.catch(() => {});
  await until(() => camera.methods().filter((method) => method === 'SETUP').length === 2);
  const udpSockets = (): number =>
    process.getActiveResourcesInfo().filter((name) => name === 'UDPWrap').length;
  assert.equal(udpSockets(), 2);
  await client.close();
  await assert.rejects(playing);
  await until(() => udpSockets() === 0, 'the end of the sockets');
});

const UDP_FIRST = { udpHosts: () => ['127.0.0.1'] };
const transports = (camera: ScriptedCamera) =>
  camera.requests
    .filter(({ method }) => method === 'SETUP')
    .map(({ headers }) => (headers.get('transport')!.includes('TCP') ? 'tcp' : 'udp'));

test('should ask for UDP first if the settings say so, and play when the first packet comes', async (t) => {
  const { camera, socket, ports } = await startUdpCamera(t);
  const playing = play(t, camera, UDP_FIRST);
  await until(() => camera.methods().includes('PLAY'));
  socket.send(rtpPacket(1, 0, true, Buffer.from([1])), ports()[0], '127.0.0.1');
  const { client, packets } = await playing;
  assert.equal(client.transport, 'udp');
  assert.deepEqual(transports(camera), ['udp']);
  assert.equal(packets.length, 1);
});

test('should fall back to TCP when nothing comes over UDP, and say so', async (t) => {
  const camera = await startCamera(t);
  const received = clientFor(t, camera.url(), 5_000, UDP_FIRST, 300);
  const begun = performance.now();
  await received.client.play((await received.client.describe()).media);
  assert.ok(performance.now() - begun >= 290, 'the camera had time to send');
  assert.equal(received.client.transport, 'tcp');
  assert.deepEqual([transports(camera), received.udpSilent], [['udp', 'tcp'], 1]);
  assert.ok(camera.methods().includes('TEARDOWN'), 'the camera is told to stop sending');
  assert.equal(received.closed.length, 0);
  camera.sendFrame(0, rtpPacket(1, 0, true, Buffer.from([1])));
  await until(() => received.packets.length === 1);
});

test('should fall back to TCP at once when the camera refuses UDP', async (t) => {
  const camera = await startCamera(t, (request) =>
    request.method === 'SETUP' && !request.headers.get('transport')!.includes('TCP')
      ? { status: 461 }
      : usualReply(request),
  );
  const { client } = await play(t, camera, UDP_FIRST);
  assert.equal(client.transport, 'tcp');
  assert.deepEqual(transports(camera), ['udp', 'tcp']);
});

test('should end the wait for UDP when it is closed', async (t) => {
  const camera = await startCamera(t);
  const { client } = clientFor(t, camera.url(), 5_000, UDP_FIRST);
  // It may fail while `close` still waits.
  const playing = client.play((await client.describe()).media).catch(() => {});
  await until(() => camera.methods().includes('PLAY'));
  await client.close();
  await playing;
  assert.deepEqual(transports(camera), ['udp']);
});
