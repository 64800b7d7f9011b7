import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@playwright/test';
import { H264_SDP, idrSlice, interleaved, rtpPacket } from '../../server/testing/scriptedCamera.ts';
import { WeriftViewer } from '../../server/video/testing/weriftViewer.ts';
import { announcement } from '../sweep/mdnsPackets.ts';
import { type Measured, MeasuredService, missedGoals, TABLE_HEAD } from '../sweep/measuredService.ts';
import { OFFER } from '../sweep/offer.ts';
import { FloodingCamera, open, type Peer, pour, statusOf } from '../sweep/sockets.ts';

const LOOPBACK = '127.0.0.1';
/** Limit of the service's growth under each of these floods, in MB. */
const GROWTH_MB = 60;
/** Limit of the growth that remains after garbage collection, in MB; bounded queues may still hold a little. */
const KEPT_MB = 20;
/** How long each flood lasts, and the time within which silent connections are closed, in milliseconds. */
const FLOOD_MS = 8_000;
const CLOSED_MS = 90_000;
/** Changes of the LED bar, each an event: the requests of a connection are carried out one after the other. */
const LED_EVENTS = 10_000;
/** Packets of a picture for viewers of this process, which opens each for each of them: more would starve its own viewers. */
const PACKETS = 8;

test.describe.configure({ mode: 'default' });
test.setTimeout(240_000);

let service: MeasuredService;
let token: string;

test.beforeAll(async () => {
  service = await MeasuredService.start();
  token = await service.process.token();
});

test.afterAll(async () => {
  const { code, left, table } = await service.stop();
  process.stdout.write(`\n${[TABLE_HEAD, ...table].join('\n')}\n`);
  expect({ code, left }, service.process.output).toEqual({ code: 0, left: [] });
});

async function call(path: string, body?: unknown, method = body === undefined ? 'GET' : 'POST') {
  const response = await fetch(`${await service.process.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** As `expectHeld`, and what strangers may not reach. */
function expectHeldByStrangers(measured: Measured): void {
  expectHeld(measured);
  expect(missedGoals(measured)).toEqual([]);
}

/** It stayed within its bounds and answered all the time. */
function expectHeld({ peakMb, keptMb, healthAnswers }: Measured): void {
  expect(peakMb, 'MB of growth').toBeLessThan(GROWTH_MB);
  expect(keptMb, 'MB still in use').toBeLessThan(KEPT_MB);
  expect(healthAnswers).toBeGreaterThan(0);
}

const stranger = (host: number) => ({ localAddress: `127.0.0.${host}` });

async function allClosed(peers: readonly Peer[]): Promise<void> {
  await expect.poll(() => peers.filter(({ isClosed }) => !isClosed).length, { timeout: CLOSED_MS }).toBe(0);
}

/** Whether the intercom answers an OPTIONS over UDP. */
async function answersOptions(): Promise<boolean> {
  const socket = createSocket('udp4').bind(0, LOOPBACK);
  await once(socket, 'listening');
  const { port } = socket.address();
  const request = [
    `OPTIONS sip:${LOOPBACK}:${service.sipPort} SIP/2.0`,
    `Via: SIP/2.0/UDP ${LOOPBACK}:${port};branch=z9hG4bK${port}-${performance.now()}`,
    `From: <sip:door@${LOOPBACK}>;tag=1`,
    `To: <sip:panel@${LOOPBACK}>`,
    `Call-ID: ${port}-${performance.now()}`,
    'CSeq: 1 OPTIONS',
    'Max-Forwards: 70',
    'Content-Length: 0',
  ];
  try {
    const answer = once(socket, 'message', { signal: AbortSignal.timeout(5_000) });
    socket.send(`${request.join('\r\n')}\r\n\r\n`, service.sipPort, LOOPBACK);
    return String((await answer)[0]).startsWith('SIP/2.0 200');
  } catch {
    return false;
  } finally {
    socket.close();
  }
}

/** Whether SIP connections are accepted: none is for 10 s from an address that was cut off. */
async function takesSipOverTcp(): Promise<boolean> {
  const { socket } = await open(service.sipPort);
  socket.write('\r\n\r\n');
  const nothing = (): Buffer[] => [];
  const [answer] = await Promise.race([
    once(socket, 'data').catch(nothing),
    once(socket, 'close').then(nothing, nothing),
    sleep(1_000).then(nothing),
  ]);
  socket.destroy();
  return answer !== undefined;
}

test('security: should refuse large offers without blocking', async () => {
  const formats = Array.from({ length: 20_000 }, (_, index) => 96 + (index % 32)).join(' ');
  const lines = Array.from(
    { length: 12_000 },
    (_, index) => `a=fmtp:${96 + (index % 32)} x=${index}\r\n`,
  ).join('');
  const manyFormats = OFFER.replace('SAVPF 102 121 96', `SAVPF ${formats}`);
  const tooLarge = manyFormats + lines;
  const answers: number[] = [];
  const measured = await service.during('large offers', async () => {
    for (let turn = 0; turn < 20; turn++)
      for (const sdp of [tooLarge, manyFormats, OFFER + lines.slice(0, 150_000)])
        answers.push((await call('/api/stream/whep/flood', { url: 'rtsp://127.0.0.1:9/x', sdp })).status);
  });
  expect(new Set(answers.filter((_, index) => index % 3 === 0))).toEqual(new Set([413]));
  expect(new Set(answers.filter((_, index) => index % 3 !== 0))).toEqual(new Set([400]));
  expectHeld(measured);
});

for (const [what, chunk] of [
  ['pings', '\r\n\r\n'.repeat(4_000)],
  [
    'requests',
    `OPTIONS sip:${LOOPBACK} SIP/2.0\r\nVia: SIP/2.0/TCP ${LOOPBACK};branch=z9hG4bKx\r\nFrom: <sip:a@b>;tag=1\r\nTo: <sip:c@d>\r\nCall-ID: x\r\nCSeq: 1 OPTIONS\r\nContent-Length: 0\r\n\r\n`.repeat(
      100,
    ),
  ],
] as const) {
  test(`security: should cut off a peer that sends SIP ${what} over TCP and reads nothing`, async () => {
    const peers: Peer[] = [];
    await expect.poll(takesSipOverTcp, { timeout: 30_000 }).toBe(true);
    const measured = await service.during(`SIP over TCP: ${what}, nothing read`, async () => {
      for (let turn = 0; turn < 3; turn++) {
        peers.push(await open(service.sipPort));
        await pour(peers.at(-1)!, chunk, FLOOD_MS);
      }
    });
    expect(peers[0]!.socket.bytesWritten).toBeGreaterThan(chunk.length);
    for (const { socket } of peers) socket.destroy();
    expectHeldByStrangers(measured);
    if (what === 'pings') expect(peers.map(({ isClosed }) => isClosed)).toEqual([true, true, true]);
    await expect.poll(answersOptions, { timeout: 20_000 }).toBe(true);
  });
}

test('security: should not answer a 2xx to a call that was never made', async () => {
  const [sender, victim] = [createSocket('udp4').bind(0, LOOPBACK), createSocket('udp4').bind(0, LOOPBACK)];
  await Promise.all([once(sender, 'listening'), once(victim, 'listening')]);
  let heard = 0;
  for (const socket of [sender, victim]) socket.on('message', () => heard++);
  const measured = await service.during('stray 2xx over UDP', async () => {
    let count = 0;
    for (const end = performance.now() + FLOOD_MS; performance.now() < end; await sleep(5))
      for (let burst = 0; burst < 10; burst++, count++) {
        const answer = [
          'SIP/2.0 200 OK',
          `Via: SIP/2.0/UDP ${LOOPBACK}:${service.sipPort};branch=z9hG4bKnever${count}`,
          `From: <sip:panel@${LOOPBACK}>;tag=a${count}`,
          `To: <sip:x@${LOOPBACK}>;tag=b${count}`,
          `Call-ID: never-${count}`,
          'CSeq: 1 INVITE',
          `Contact: <sip:x@${LOOPBACK}:${victim.address().port}>`,
          'Content-Length: 0',
        ];
        sender.send(`${answer.join('\r\n')}\r\n\r\n`, service.sipPort, LOOPBACK);
      }
  });
  expect(await answersOptions()).toBe(true);
  expect(heard).toBe(0);
  sender.close();
  victim.close();
  expectHeldByStrangers(measured);
});

test('security: should limit the known panels, however many mDNS announces', async () => {
  const socket = createSocket('udp4').bind(0, LOOPBACK);
  await once(socket, 'listening');
  socket.setMulticastInterface(LOOPBACK);
  const hearing = new AbortController();
  let heard = '';
  const headers = { authorization: `Bearer ${token}` };
  const events = await fetch(`${await service.process.url}/api/remote/events`, {
    headers,
    signal: hearing.signal,
  });
  const reading = (async () => {
    for await (const chunk of events.body!.pipeThrough(new TextDecoderStream())) heard += chunk;
  })().catch(() => undefined);
  let invented = 0;
  const measured = await service.during('mDNS: 20,000 panels a second', async () => {
    for (let end = performance.now() + FLOOD_MS; performance.now() < end; await sleep(5))
      for (let packet = 0; packet < 10; packet++) {
        const ids = Array.from({ length: 10 }, () => `flood${++invented}`);
        socket.send(announcement(ids), 5353, '224.0.0.251');
      }
  });
  socket.close();
  hearing.abort();
  await reading;
  const found = heard.match(/panelFound/g)?.length ?? 0;
  expect(found).toBeGreaterThan(0);
  expect(found).toBeLessThanOrEqual(256);
  expect(await answersOptions()).toBe(true);
  expectHeldByStrangers(measured);
});

/** A flood by a camera that plays: the pieces it sends, and for how long. */
async function floodOfCamera(name: string, onPlay: (peer: Peer) => Promise<unknown>) {
  let flooding: Promise<unknown> = Promise.resolve();
  const camera = new FloodingCamera(H264_SDP, (peer) => {
    flooding = onPlay(peer);
  });
  const url = await camera.start();
  const measured = await service.during(name, async () => {
    // It may be cut off just before or just after the answer.
    expect([200, 502]).toContain((await call('/api/stream/whep/flood', { url, sdp: OFFER })).status);
    expect(camera.sockets.length).toBeGreaterThan(0);
    await flooding;
  });
  await call('/api/stream/whep/flood', undefined, 'DELETE');
  const [first] = camera.sockets;
  const wasClosed = first!.isClosed;
  await camera.stop();
  expectHeld(measured);
  return { measured, wasClosed };
}

test('security: should cut off a camera that sends requests and reads nothing', async () => {
  const request = 'OPTIONS rtsp://panel/ RTSP/1.0\r\nCSeq: 1\r\n\r\n'.repeat(200);
  const { wasClosed } = await floodOfCamera('camera: requests, nothing read', (peer) =>
    pour(peer, request, FLOOD_MS),
  );
  expect(wasClosed).toBe(true);
});

test('security: should cut off a camera that sends requests and reads the answers', async () => {
  const request = 'OPTIONS rtsp://panel/ RTSP/1.0\r\nCSeq: 1\r\n\r\n'.repeat(200);
  const { wasClosed } = await floodOfCamera('camera: requests, all answers read', (peer) => {
    const flooding = pour(peer, request, FLOOD_MS);
    peer.socket.resume();
    return flooding;
  });
  expect(wasClosed).toBe(true);
});

test('security: should read a camera that sends 1,000 small pieces a second', async () => {
  let sequence = 0;
  let bytes = Buffer.alloc(0);
  const { measured } = await floodOfCamera('camera: 1,000 pieces a second', async ({ socket }) => {
    for (const end = performance.now() + FLOOD_MS; performance.now() < end; await sleep(10))
      for (let piece = 0; piece < 10; piece++) {
        if (bytes.length < 60)
          bytes = Buffer.concat([
            bytes,
            interleaved(0, rtpPacket(++sequence, sequence * 90, true, idrSlice(1_000))),
          ]);
        socket.write(bytes.subarray(0, 60));
        bytes = bytes.subarray(60);
        await new Promise(setImmediate);
      }
  });
  process.stdout.write(
    `1,000 small pieces a second: ${(measured.cpuShare * 100).toFixed(1)} % of a core (goal 5)\n`,
  );
});

test('should answer odd requests as the contract says, however many', async () => {
  const port = await service.port();
  const end = 'Connection: close\r\n\r\n';
  const odd: readonly (readonly [number, string])[] = [
    [401, `GET http://127.0.0.1/api/remote/nope HTTP/1.1\r\nHost: 127.0.0.1\r\n${end}`],
    [403, `GET http://evil.example/healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n${end}`],
    [404, `CONNECT 127.0.0.1:80 HTTP/1.1\r\nHost: 127.0.0.1\r\n${end}`],
    [400, `GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: 127.0.0.1\r\n${end}`],
    [400, `GET /healthz HTTP/1.1\r\nHost: a#b\r\n${end}`],
    [200, `GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nExpect: a-miracle\r\n${end}`],
    [401, `QUERY /api/remote/led/state HTTP/1.1\r\nHost: 127.0.0.1\r\n${end}`],
    [
      405,
      `QUERY /api/remote/led/state HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n${end}`,
    ],
    [
      400,
      `GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n${end}`,
    ],
    [413, `GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ${'x'.repeat(20_000)}\r\n${end}`],
    [400, `\0\u0001\u0002\r\n\r\n`],
  ];
  const measured = await service.during('odd HTTP requests, 2,200', async () => {
    for (let turn = 0; turn < 200; turn++) {
      const answers = await Promise.all(odd.map(([, request]) => statusOf(port, request)));
      expect(answers).toEqual(odd.map(([status]) => status));
    }
  });
  expectHeldByStrangers(measured);
});

test('security: should close 4,000 silent connections', async () => {
  const port = await service.port();
  const peers: Peer[] = [];
  const measured = await service.during('4,000 silent connections', async () => {
    // 800 of them stay until they are told that they sent nothing.
    for (let host = 2; host < 42; host++)
      peers.push(...(await Promise.all(Array.from({ length: 100 }, () => open(port, stranger(host))))));
    // A socket that does not read never learns that it was closed.
    for (const { socket } of peers) socket.resume();
    await allClosed(peers);
  });
  expect(peers).toHaveLength(4_000);
  expectHeldByStrangers(measured);
});

for (const [what, request] of [
  [
    'refused upgrades',
    'GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
  ],
  ['refused tunnels', 'CONNECT example.org:443 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'],
  ['no requests', '\0\r\n\r\n'],
] as const)
  test(`security: should end connections that their peer leaves half open: ${what}`, async () => {
    const port = await service.port();
    const descriptors = () => readdirSync(`/proc/${service.process.pid}/fd`).length;
    const before = descriptors();
    const peers: Peer[] = [];
    const measured = await service.during(`${what}, half open, 4,000`, async () => {
      for (let host = 2; host < 82; host++) {
        const from = { ...stranger(host), allowHalfOpen: true };
        const opened = await Promise.all(Array.from({ length: 50 }, () => open(port, from)));
        for (const { socket } of opened) socket.resume().write(request);
        peers.push(...opened);
      }
      // Those that were answered have 2 s.
      await expect.poll(descriptors, { timeout: 6_000 }).toBeLessThan(before + 20);
    });
    for (const { socket } of peers) socket.destroy();
    expectHeldByStrangers(measured);
  });

test('security: should buffer little for event listeners that read nothing', async () => {
  const port = await service.port();
  const body = (red: number) => JSON.stringify({ red, green: 2, blue: 3 });
  const request = (json: string) =>
    `POST /api/remote/led/color HTTP/1.1\r\nHost: ${LOOPBACK}\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${json.length}\r\n\r\n${json}`;
  const events = async (count: number): Promise<void> => {
    const { socket } = await open(port);
    let answers = 0;
    socket.on('data', (data) => {
      answers += data.toString().split('HTTP/1.1 200').length - 1;
    });
    // A connection that sends more than 100 ahead of their answers is closed.
    for (let sent = 0; sent < count && !socket.destroyed; sent += 100) {
      socket.write((request(body(1)) + request(body(2))).repeat(50));
      while (answers < sent + 100 && !socket.destroyed) await sleep(2);
      // A peer that does not read only learns by writing that the connection is gone; an empty line is not a request.
      for (const peer of peers) if (!peer.isClosed) peer.socket.write('\r\n');
    }
    socket.destroy();
    expect(answers).toBe(count);
  };
  const peers: Peer[] = [];
  // This many requests make the heap grow, and it stays large.
  await events(LED_EVENTS / 2);
  peers.push(...(await Promise.all(Array.from({ length: 8 }, () => open(port)))));
  for (const { socket } of peers) {
    socket.write(
      `GET /api/remote/events HTTP/1.1\r\nHost: ${LOOPBACK}\r\nAuthorization: Bearer ${token}\r\n\r\n`,
    );
    await once(socket, 'readable');
    // It has read its first bytes, and reads no more.
    socket.pause();
  }
  const measured = await service.during('8 listeners that read nothing', () => events(LED_EVENTS));
  // Not checked: how much the kernel buffers before anything waits in the service.
  process.stdout.write(
    `listeners that were cut off: ${peers.filter(({ isClosed }) => isClosed).length} of 8\n`,
  );
  for (const { socket } of peers) socket.destroy();
  expectHeld(measured);
});

test('security: should limit the pending answers of a caller that reads none', async () => {
  const port = await service.port();
  const peer = await open(port);
  const request = `GET /api/manage/settings HTTP/1.1\r\nHost: ${LOOPBACK}\r\nAuthorization: Bearer ${token}\r\n\r\n`;
  const measured = await service.during('answers that nobody reads', () =>
    pour(peer, request.repeat(50), FLOOD_MS).then(() => {}),
  );
  peer.socket.destroy();
  expectHeld(measured);
});

test('security: should cut off very slow uploads', async () => {
  const port = await service.port();
  const peers = await Promise.all(Array.from({ length: 20 }, () => open(port)));
  const head = `POST /api/manage/projects?name=drip HTTP/1.1\r\nHost: ${LOOPBACK}\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/zip\r\nContent-Length: 50000000\r\n\r\n`;
  const measured = await service.during('20 uploads that drip', async () => {
    for (const { socket } of peers) {
      socket.resume();
      socket.write(head);
    }
    const drip = setInterval(() => {
      for (const { socket, isClosed } of peers) if (!isClosed && socket.writable) socket.write('x');
    }, 1_000);
    await allClosed(peers).finally(() => clearInterval(drip));
  });
  expectHeld(measured);
});

test('security: should end the session of a viewer that becomes silent', async () => {
  let isOver = false;
  const viewers: WeriftViewer[] = [];
  await floodOfCamera('7 viewers that fall silent', async ({ socket }) => {
    let sequence = 0;
    const sending = (async () => {
      for (; !isOver && socket.writable; await sleep(20)) {
        for (let part = 0; part < PACKETS; part++)
          socket.write(
            interleaved(
              0,
              rtpPacket(
                ++sequence,
                Math.floor(sequence / PACKETS) * 1_800,
                part === PACKETS - 1,
                idrSlice(1_000),
              ),
            ),
          );
      }
    })();
    const url = `rtsp://${LOOPBACK}:${socket.localPort}/flood`;
    for (let index = 0; index < 7; index++) {
      const viewer = new WeriftViewer(false);
      viewers.push(viewer);
      const { status, body } = await call(`/api/stream/whep/silent-${index}`, {
        url,
        sdp: await viewer.offer(),
      });
      expect(status, JSON.stringify(body)).toBe(200);
      await viewer.accept(String(body.sdp));
    }
    await expect
      .poll(() => viewers.every(({ received }) => received.video.length > 50), { timeout: 30_000 })
      .toBe(true);
    for (const viewer of viewers) viewer.fallSilent();
    await expect
      .poll(async () => ((await call('/api/stream/sessions')).body.sessions as unknown[]).length, {
        timeout: 40_000,
      })
      .toBe(0);
    isOver = true;
    await sending;
  });
  for (const viewer of viewers) await viewer.close();
});
