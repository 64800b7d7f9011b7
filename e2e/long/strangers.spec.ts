import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@playwright/test';
import { Listener } from '../../server/surfaces/mqtt/testing/listener.ts';
import { Mosquitto } from '../../server/testing/mosquitto.ts';
import { type Measured, MeasuredService, missedGoals, TABLE_HEAD } from '../sweep/measuredService.ts';
import { open, type Peer, statusOf } from '../sweep/sockets.ts';

/** How long each flood lasts, and the time within which connections are closed, in milliseconds. */
const FLOOD_MS = 8_000;
const CLOSED_MS = 90_000;
/** Requests at a time, and addresses that they come from. */
const AT_ONCE = 40;
const ADDRESSES = 200;

test.describe.configure({ mode: 'default' });
test.setTimeout(240_000);

/** What somebody without a token, or a member of the broker without a scope, can do to the panel. */
let service: MeasuredService;
let broker: Mosquitto;
let member: Listener;

test.beforeAll(async () => {
  broker = await Mosquitto.start();
  member = await Listener.start(broker.url);
  service = await MeasuredService.start({ mqtt: { url: broker.url, id: 'hall', scopes: [] } });
});

test.afterAll(async () => {
  const { code, left, table } = await service.stop();
  await member.stop();
  await broker.stop();
  process.stdout.write(`\n${[TABLE_HEAD, ...table].join('\n')}\n`);
  expect({ code, left }, service.process.output).toEqual({ code: 0, left: [] });
});

async function owner(method: string, path: string): Promise<Record<string, unknown>> {
  const headers = { authorization: `Bearer ${await service.process.token()}` };
  const answer = await fetch(`${await service.process.url}${path}`, { method, headers });
  expect(answer.ok).toBe(true);
  return (await answer.json()) as Record<string, unknown>;
}

function expectHeld(measured: Measured): void {
  expect(measured.healthAnswers).toBeGreaterThan(0);
  expect(missedGoals(measured)).toEqual([]);
}

/** Each flood has its own addresses: those of the one before may be blocked. */
let floods = 0;

/** Sends the requests in turns, each on a connection of its own, from many addresses. @returns how often each status came */
async function hammer(requests: readonly string[]): Promise<Record<number, number>> {
  const port = await service.port();
  const network = `127.0.${++floods}`;
  const statuses: Record<number, number> = {};
  let sent = 0;
  const until = performance.now() + FLOOD_MS;
  const worker = async () => {
    while (performance.now() < until) {
      const turn = sent++;
      const from = { localAddress: `${network}.${1 + (turn % ADDRESSES)}` };
      const status = await statusOf(port, requests[turn % requests.length]!, from);
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  process.stdout.write(`${sent} requests: ${JSON.stringify(statuses)}\n`);
  return statuses;
}

function pairing(body: string, length = `Content-Length: ${body.length}`): string {
  return `POST /api/pair HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Type: application/json\r\n${length}\r\n\r\n${body}`;
}

test('security: should take wrong pairings, however many', async () => {
  await owner('POST', '/api/manage/pairing');
  const requests = Array.from({ length: 1_000 }, (_, code) =>
    pairing(JSON.stringify({ code: String(code).padStart(8, '0'), name: 'phone' })),
  );
  let statuses: Record<number, number> = {};
  const measured = await service.during('/api/pair, wrong codes', async () => {
    statuses = await hammer(requests);
  });
  expect(statuses[401]).toBeGreaterThan(0);
  expect(statuses[429]).toBeGreaterThan(0);
  expect(Object.keys(statuses)).toEqual(['401', '429']);
  expectHeld(measured);
});

test('security: should refuse pairings that are too large, or none, before they cost anything', async () => {
  const keys = JSON.stringify(Object.fromEntries(Array.from({ length: 85_000 }, (_, key) => [key, 1])));
  const deep = '['.repeat(450_000) + ']'.repeat(450_000);
  const piece = keys.slice(0, 500_000);
  const chunked = `${piece.length.toString(16)}\r\n${piece}\r\n0\r\n\r\n`;
  const requests = [
    pairing(keys),
    pairing(deep),
    pairing(chunked, 'Transfer-Encoding: chunked'),
    pairing(`{"code":"12345678","name":"${'x'.repeat(900)}"}`),
    pairing('{"code":'.repeat(100)),
  ];
  let statuses: Record<number, number> = {};
  const measured = await service.during('/api/pair, oversized', async () => {
    statuses = await hammer(requests);
  });
  expect(statuses[400]).toBeGreaterThan(0);
  expect(statuses[200] ?? 0).toBe(0);
  expectHeld(measured);
});

test('security: should refuse upgrades, however many', async () => {
  const upgrade = (path: string, more = '') =>
    `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n${more}\r\n`;
  const requests = [
    upgrade('/api/manage/screen'),
    upgrade('/api/manage/screen', 'Sec-WebSocket-Protocol: faceplate.screen, bearer.wrong\r\n'),
    upgrade('/healthz', 'Origin: http://evil.example\r\n'),
    upgrade('/'),
  ];
  let statuses: Record<number, number> = {};
  const measured = await service.during('refused upgrades', async () => {
    statuses = await hammer(requests);
  });
  expect(statuses[401]).toBeGreaterThan(0);
  expect(statuses[101] ?? 0).toBe(0);
  expectHeld(measured);
});

for (const [what, ends] of [
  ['that end their side', true],
  ['that send no more', false],
] as const)
  test(`security: should close connections in the middle of a request ${what}`, async () => {
    const port = await service.port();
    const peers: Peer[] = [];
    const measured = await service.during(
      `half a request, half open (${ends ? 'ended' : 'silent'}), 4,000`,
      async () => {
        for (let host = 2; host < 82; host++) {
          const from = { localAddress: `127.0.0.${host}`, allowHalfOpen: true };
          const opened = await Promise.all(Array.from({ length: 50 }, () => open(port, from)));
          for (const { socket } of opened) {
            socket.resume().write(pairing('{"code":"123', 'Content-Length: 50'));
            if (ends) socket.end();
          }
          peers.push(...opened);
        }
        const isOpen = ({ isClosed, socket }: Peer) => !isClosed && !socket.readableEnded;
        await expect.poll(() => peers.filter(isOpen).length, { timeout: CLOSED_MS }).toBe(0);
      },
    );
    for (const { socket } of peers) socket.destroy();
    expectHeld(measured);
  });

test('security: should refuse a member of the broker, however much it asks', async () => {
  const isConnected = async () =>
    ((await owner('GET', '/api/remote/info')).mqtt as { state: string }).state === 'connected';
  await expect.poll(isConnected).toBe(true);
  await member.hear('faceplate/hall/result/#');
  const params = JSON.stringify({ command: 'x'.repeat(3_900) });
  let sent = 0;
  const measured = await service.during('broker: commands without a scope', async () => {
    for (const end = performance.now() + FLOOD_MS; performance.now() < end; sent += AT_ONCE)
      await Promise.all(
        Array.from({ length: AT_ONCE }, () => member.publish('faceplate/hall/command/terminal.exec', params)),
      );
    for (let before = -1; member.received.length < sent && member.received.length > before; ) {
      before = member.received.length;
      await sleep(2_000);
    }
  });
  process.stdout.write(`${sent} commands, ${member.received.length} answers\n`);
  expect(member.received.length).toBeGreaterThan(0);
  const isRefusal = ({ text }: { text: string }) => /"code":"(?:FORBIDDEN|RATE_LIMITED)"/.test(text);
  expect(member.received.filter((answer) => !isRefusal(answer))).toEqual([]);
  expectHeld(measured);
});
