import assert from 'node:assert/strict';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { until } from '../../testing/waiting.ts';
import { openBurstSocket } from './burstSocket.ts';

/** A burst socket that Node has taken over, and what a receiver gets from it. */
async function connect(t: TestContext) {
  const socket = openBurstSocket();
  const owner = await bound(t, { fd: socket.fd });
  const receiver = await bound(t, { port: 0, address: '127.0.0.1' });
  receiver.setRecvBufferSize(4 * 1024 * 1024);
  const received: Buffer[] = [];
  const senders = new Set<number>();
  receiver.on('message', (data, { port }) => {
    received.push(data);
    senders.add(port);
  });
  return { socket, owner, to: receiver.address(), received, senders };
}

async function bound(t: TestContext, place: object): Promise<Socket> {
  const socket = createSocket('udp4');
  // With a socket that is already bound, it comes before `bind` returns.
  const listening = once(socket, 'listening');
  socket.bind(place);
  await listening;
  t.after(() => new Promise<void>((resolve) => socket.close(() => resolve())));
  return socket;
}

const datagram = (length: number, index: number): Buffer => Buffer.alloc(length, index % 251);

test('should send datagrams of any lengths in order, unchanged', async (t) => {
  const { socket, owner, to, received, senders } = await connect(t);
  const lengths = [60, ...Array<number>(20).fill(1_228), 300, 300, 301, 5, 1_228, 1, 0, 700];
  const sent = lengths.map(datagram);
  assert.equal(socket.send(sent, to), sent.length);
  await until(() => received.length === sent.length, 'the datagrams');
  assert.deepEqual(received, sent);
  assert.deepEqual([...senders], [owner.address().port]);
});

test('should send more than the kernel accepts at once', async (t) => {
  const { socket, to, received } = await connect(t);
  const sent = Array.from({ length: 200 }, (_, index) => datagram(1_000, index));
  assert.equal(socket.send(sent, to), 200);
  await until(() => received.length === 200, 'the datagrams');
  assert.deepEqual(received, sent);
});

test('should send to any address, and nothing for an empty list', async (t) => {
  const first = await connect(t);
  const receiver = await bound(t, { port: 0, address: '127.0.0.2' });
  const here = once(receiver, 'message');
  assert.equal(first.socket.send([], first.to), 0);
  assert.equal(first.socket.send([datagram(10, 1)], receiver.address()), 1);
  assert.deepEqual((await here)[0], datagram(10, 1));
  assert.equal(first.socket.send([datagram(10, 2)], first.to), 1);
  await until(() => first.received.length === 1);
});

test('should say that a datagram is too long for UDP', async (t) => {
  const { socket, to } = await connect(t);
  assert.throws(() => socket.send([Buffer.alloc(65_508)], to), { code: 'EMSGSIZE' });
});
