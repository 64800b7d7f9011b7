import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { systemClock } from '../../platform/clock.ts';
import { silentLogger } from '../../platform/log.ts';
import { OpenConnections } from '../../platform/net/connections.ts';
import { selfSigned } from '../../testing/selfSigned.ts';
import { until } from '../../testing/waiting.ts';
import { Listener } from './listener.ts';
import { HttpServer } from './server.ts';

const LOOPBACK = '127.0.0.1';
/** The goal is 2 s. */
const GONE = { limitMs: 6_000 };

/** A connection whose end of its own side never comes, whatever the panel does. */
function halfOpen(port: number, text: string, isSecure = false): Socket {
  const way = { host: LOOPBACK, port, allowHalfOpen: true };
  const socket = isSecure ? connectTls({ ...way, rejectUnauthorized: false }) : connect(way);
  socket.on('error', () => {}).resume();
  socket.write(text);
  return socket;
}

const request = (line: string, ...headers: string[]) =>
  `${[line, `Host: ${LOOPBACK}`, ...headers].join('\r\n')}\r\n\r\n`;
const WEB_SOCKET = ['Connection: Upgrade', 'Upgrade: websocket'];

for (const isSecure of [false, true])
  test(`security: should end connections whose peer never ends them, over ${isSecure ? 'TLS' : 'TCP'}`, async (t) => {
    const connections = new OpenConnections({ most: 100 });
    const listener = new Listener({
      host: LOOPBACK,
      port: 0,
      requestLimitMs: 200,
      connections,
      uploads: { receiving: new WeakSet(), silenceMs: 200, clock: systemClock },
      ...(isSecure && { identity: selfSigned() }),
    });
    listener.handOver((_request, response) => void response.writeHead(404).end('no'));
    await listener.start();
    t.after(() => listener.stop());
    const kinds = [
      request('GET /healthz HTTP/1.1', ...WEB_SOCKET),
      request('GET /api/remote/screen HTTP/1.1', ...WEB_SOCKET, 'Sec-WebSocket-Version: 13'),
      request('CONNECT example.org:443 HTTP/1.1'),
      'GET / HTTP/1.1\r\nHost: ',
      'no HTTP at all\r\n\r\n',
      request('GET / HTTP/1.1', 'Connection: close'),
    ];
    const answers = kinds.map(() => '');
    const sockets = kinds.map((text, at) =>
      halfOpen(listener.port, text, isSecure).on('data', (data: Buffer) => {
        answers[at] += data.toString('latin1');
      }),
    );
    t.after(() => sockets.forEach((socket) => void socket.destroy()));
    const statusOf = (answer: string) => answer.slice('HTTP/1.1 '.length, 'HTTP/1.1 404'.length);
    await until(() => answers.every((answer) => answer !== ''));
    assert.deepEqual(answers.map(statusOf), ['404', '404', '404', '408', '400', '404']);
    await until(() => connections.count === 0, `no connection, not ${connections.count}`, GONE);
  });

async function startServer(t: TestContext): Promise<HttpServer> {
  const server = new HttpServer({ host: LOOPBACK, port: 0, log: silentLogger() });
  await server.start();
  t.after(() => server.stop());
  return server;
}

/** Opens this many connections from an address of loopback. @returns how many of them the panel keeps */
async function open(t: TestContext, port: number, localAddress: string, count: number): Promise<number> {
  const opened = Array.from({ length: count }, () => {
    const socket = connect({ host: LOOPBACK, port, localAddress });
    socket.on('error', () => {}).resume();
    t.after(() => socket.destroy());
    return once(socket, 'connect').then(() => socket);
  });
  const sockets = await Promise.all(opened);
  // What is closed at once is closed before a later connection has its answer.
  await ask(port);
  return sockets.filter(({ readableEnded, destroyed }) => !readableEnded && !destroyed).length;
}

/** The status that the panel answers to this machine itself. */
async function ask(port: number): Promise<number> {
  const { status } = await fetch(`http://${LOOPBACK}:${port}/healthz`, { headers: { connection: 'close' } });
  return status;
}

test('security: should keep 64 connections of one address, and close one more at once', async (t) => {
  const { port } = await startServer(t);
  assert.equal(await open(t, port, '127.0.0.2', 64), 64);
  assert.equal(await open(t, port, '127.0.0.2', 1), 0);
  assert.equal(await open(t, port, '127.0.0.3', 1), 1);
  assert.equal(await open(t, port, LOOPBACK, 70), 70);
});

test('security: should keep 800 connections of strangers, and have room for this machine', async (t) => {
  const { port } = await startServer(t);
  for (let host = 2; host < 14; host++) assert.equal(await open(t, port, `127.0.0.${host}`, 64), 64);
  assert.equal(await open(t, port, '127.0.0.14', 33), 32);
  assert.equal(await open(t, port, '127.0.0.15', 1), 0);
  assert.equal(await open(t, port, LOOPBACK, 150), 150);
  assert.equal(await ask(port), 503);
});

test('security: should count a connection no longer once it is closed', async (t) => {
  const { port } = await startServer(t);
  await t.test('while they are open', async (part) => {
    assert.equal(await open(part, port, '127.0.0.2', 64), 64);
    assert.equal(await open(part, port, '127.0.0.2', 1), 0);
  });
  await until(async () => (await open(t, port, '127.0.0.2', 1)) === 1);
});

test('security: should count the connections of several servers together, and outlive a failed accept', async (t) => {
  const connections = new OpenConnections({ most: 3, mostOfOne: 2, kept: 1 });
  const servers = [createServer(), createServer()];
  for (const server of servers) {
    connections.watch(server);
    server.listen(0, LOOPBACK);
    await once(server, 'listening');
    t.after(() => server.close());
    // As Node.js reports that there is no descriptor for a connection.
    server.emit('error', Object.assign(new Error('accept EMFILE'), { code: 'EMFILE' }));
  }
  t.after(() => connections.destroyAll());
  const [one, other] = servers.map((server) => (server.address() as { port: number }).port);
  for (const [port, from] of [
    [one, '127.0.0.2'],
    [other, '127.0.0.2'],
    [one, '127.0.0.2'],
    [other, '127.0.0.3'],
    [one, LOOPBACK],
    [other, LOOPBACK],
  ] as const) {
    const socket = connect({ host: LOOPBACK, port: port!, localAddress: from });
    socket.on('error', () => {});
    await once(socket, 'connect');
    t.after(() => socket.destroy());
  }
  await until(() => connections.count === 3);
});
