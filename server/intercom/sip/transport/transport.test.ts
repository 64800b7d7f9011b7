import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { FakeClock } from '../../../testing/fakeClock.ts';
import { freeSipPort } from '../../../testing/sip/ports.ts';
import { until } from '../../../testing/waiting.ts';
import { infoRequest, startTransport } from '../../testing/sip/testTransport.ts';
import { type Destination, type Resolver, resolveHops } from './resolve.ts';

const LOOPBACK = '127.0.0.1';

async function udpPeer(t: TestContext) {
  const socket = createSocket('udp4');
  socket.bind(0, LOOPBACK);
  await once(socket, 'listening');
  t.after(() => socket.close());
  const datagrams: string[] = [];
  socket.on('message', (data) => datagrams.push(data.toString()));
  return { socket, datagrams, port: socket.address().port };
}

test('should accept requests over UDP and TCP on one port and record where they came from (RFC 3581)', async (t) => {
  const { received, port } = await startTransport(t);
  const peer = await udpPeer(t);
  peer.socket.send(infoRequest('SIP/2.0/UDP 10.0.0.9:5099;branch=z9hG4bK1;rport'), port, LOOPBACK);
  await until(() => received.length === 1);
  const socket = connect(port, LOOPBACK);
  t.after(() => socket.destroy());
  socket.write(infoRequest('SIP/2.0/TCP 10.0.0.9;branch=z9hG4bK1', 'body'));
  await until(() => received.length === 2);
  const [overUdp, overTcp] = received.map(({ message }) => message);
  assert.ok(overUdp?.kind === 'request' && overTcp?.kind === 'request');
  assert.equal(
    overUdp.headers.get('via'),
    `SIP/2.0/UDP 10.0.0.9:5099;branch=z9hG4bK1;rport=${peer.port};received=127.0.0.1`,
  );
  assert.equal(overTcp.headers.get('via'), 'SIP/2.0/TCP 10.0.0.9;branch=z9hG4bK1;received=127.0.0.1');
  assert.equal(overTcp.body.toString(), 'body');
});

test('should answer keepalives over UDP and TCP (RFC 5626)', async (t) => {
  const { port } = await startTransport(t);
  const peer = await udpPeer(t);
  peer.socket.send('\r\n\r\n', port, LOOPBACK);
  await until(() => peer.datagrams.length === 1);
  assert.equal(peer.datagrams[0], '\r\n');
  const socket = connect(port, LOOPBACK);
  t.after(() => socket.destroy());
  socket.write('\r\n\r\n');
  const [pong] = (await once(socket, 'data')) as [Buffer];
  assert.equal(pong.toString(), '\r\n');
});

test('should send keepalives, and close a connection whose remote party stops answering them', async (t) => {
  const clock = new FakeClock();
  const closed: unknown[] = [];
  const { transport } = await startTransport(t, {
    clock,
    onConnectionClosed: (connection) => closed.push(connection),
  });
  const server = createServer();
  const chunks: string[] = [];
  let doesAnswer = true;
  server.on('connection', (socket: Socket) => {
    t.after(() => socket.destroy());
    socket.on('error', () => {});
    socket.on('data', (data) => {
      chunks.push(data.toString());
      if (doesAnswer) socket.write('\r\n');
    });
  });
  server.listen(0, LOOPBACK);
  await once(server, 'listening');
  t.after(() => server.close());
  const hop = { protocol: 'tcp', host: LOOPBACK, port: (server.address() as AddressInfo).port } as const;
  await transport.send(Buffer.from('x'), hop);
  // A second timer beside the idle timer: one ping was answered, so the next must be answered too.
  await until(() => {
    transport.keepAlive(hop);
    return clock.pending === 2;
  });
  assert.match(chunks.join(''), /^x(\r\n\r\n)+$/);
  doesAnswer = false;
  await until(() => {
    transport.keepAlive(hop);
    void clock.advance(10_000);
    return closed.length === 1;
  });
});

test('should send large requests over TCP if the remote party has it, else over UDP', async (t) => {
  const both = await startTransport(t);
  const { transport } = await startTransport(t);
  const hop = { protocol: 'udp', host: LOOPBACK, port: both.port } as const;
  assert.equal((await transport.fitting(hop, 1_300)).protocol, 'udp');
  assert.equal((await transport.fitting(hop, 1_301)).protocol, 'tcp');
  const peer = await udpPeer(t);
  assert.equal((await transport.fitting({ ...hop, port: peer.port }, 1_301)).protocol, 'udp');
});

test('should use one connection for all messages to an address, and answer on the connection that came in', async (t) => {
  const far = await startTransport(t);
  const near = await startTransport(t);
  const hop = { protocol: 'tcp', host: LOOPBACK, port: far.port } as const;
  const data = infoRequest('SIP/2.0/TCP 127.0.0.1;branch=z9hG4bK1');
  await Promise.all([near.transport.send(data, hop), near.transport.send(data, hop)]);
  await until(() => far.received.length === 2);
  const [first, second] = far.received.map(({ source }) => source.connection);
  assert.ok(first !== undefined && first === second);
  await far.transport.send(data, { protocol: 'tcp', host: LOOPBACK, port: 9, flow: first });
  await until(() => near.received.length === 1);
});

test('should say what to do when the port is in use', async (t) => {
  const { port } = await startTransport(t);
  await assert.rejects(startTransport(t, { port }), {
    code: 'PORT_BUSY',
    message: new RegExp(`${port}.*sip\\.port`),
  });
});

test('should stop twice and before a start, and leave its port free', async (t) => {
  const port = await freeSipPort();
  const { transport } = await startTransport(t, { port });
  await transport.stop();
  await transport.stop();
  await startTransport(t, { port });
});

test('security: should neither answer an address that may not call, nor keep its connection', async (t) => {
  const { received, port } = await startTransport(t, { accepts: () => false });
  const peer = await udpPeer(t);
  for (const data of [
    infoRequest('SIP/2.0/UDP 127.0.0.1;branch=z9hG4bK1;rport'),
    Buffer.from('\r\n\r\n'),
    Buffer.from('junk'),
  ])
    peer.socket.send(data, port, LOOPBACK);
  const socket = connect(port, LOOPBACK);
  socket.on('error', () => {});
  socket.write(infoRequest('SIP/2.0/TCP 127.0.0.1;branch=z9hG4bK1'));
  await once(socket, 'close');
  assert.deepEqual([received, peer.datagrams], [[], []]);
});

test('security: should close a connection whose message does not end within 30 s', async (t) => {
  const clock = new FakeClock();
  const { port } = await startTransport(t, { clock });
  const socket = connect(port, LOOPBACK);
  t.after(() => socket.destroy());
  socket.on('error', () => {});
  socket.write('INVITE sip:panel');
  await once(socket, 'connect');
  const closed = once(socket, 'close');
  socket.resume();
  // Two timers: idle time, and the time limit of the message.
  await until(() => clock.pending === 2);
  await clock.advance(30_000);
  await closed;
});

const dns = (records: Record<string, unknown>): Resolver => ({
  services: async (name) => {
    const found = records[name];
    if (found === undefined) throw new Error('ENODATA');
    return found as never;
  },
  addresses: async (name) => {
    const found = records[name];
    if (found === undefined) throw new Error('ENOTFOUND');
    return found as never;
  },
});

test('should find the addresses of a name as RFC 3263 section 4.2 says', async () => {
  const resolver = dns({
    '_sip._udp.pbx.test': [
      { name: 'late.pbx.test', port: 5070, priority: 20, weight: 1 },
      { name: 'rare.pbx.test', port: 5071, priority: 10, weight: 1 },
      { name: 'main.pbx.test', port: 5072, priority: 10, weight: 9 },
    ],
    'late.pbx.test': ['192.0.2.3'],
    'rare.pbx.test': ['192.0.2.2'],
    'main.pbx.test': ['192.0.2.1', '2001:db8::1'],
    'plain.test': ['192.0.2.7'],
  });
  const find = async (destination: Partial<Destination>, chance = 0.5) =>
    (
      await resolveHops(
        { host: 'pbx.test', port: undefined, protocol: 'udp', ...destination },
        resolver,
        () => chance,
      )
    ).map(({ host, port }) => `${host} ${port}`);
  assert.deepEqual(await find({}), [
    '192.0.2.1 5072',
    '2001:db8::1 5072',
    '192.0.2.2 5071',
    '192.0.2.3 5070',
  ]);
  assert.equal((await find({}, 0))[0], '192.0.2.2 5071');
  assert.deepEqual(await find({ host: 'plain.test' }), ['192.0.2.7 5060']);
  assert.deepEqual(await find({ host: 'plain.test', protocol: 'tls' }), ['192.0.2.7 5061']);
  assert.deepEqual(await find({ host: 'plain.test', port: 5080 }), ['192.0.2.7 5080']);
  assert.deepEqual(await find({ host: '192.0.2.9' }), ['192.0.2.9 5060']);
  assert.deepEqual(await find({ host: '2001:db8::9', port: 5065 }), ['2001:db8::9 5065']);
  await assert.rejects(find({ host: 'nowhere.test' }));
});

test('should still send a message handed over just before it stops', async (t) => {
  const { transport } = await startTransport(t);
  const peer = await udpPeer(t);
  const sent = transport.send(Buffer.from('goodbye'), { protocol: 'udp', host: LOOPBACK, port: peer.port });
  await Promise.all([sent, transport.stop()]);
  await until(() => peer.datagrams.length === 1);
});
