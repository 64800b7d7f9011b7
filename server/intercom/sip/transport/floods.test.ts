import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect } from 'node:net';
import { Duplex } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { END_MS } from '../../../platform/net/connections.ts';
import { FakeClock } from '../../../testing/fakeClock.ts';
import { until } from '../../../testing/waiting.ts';
import { infoRequest, startTransport } from '../../testing/sip/testTransport.ts';
import { StreamConnection } from './streamConnection.ts';

const LOOPBACK = '127.0.0.1';
const PING = '\r\n\r\n';

/** A connection whose remote party sends what a test tells it to, and reads nothing. */
function deafPeer(clock = new FakeClock()) {
  const written: number[] = [];
  const socket = Object.assign(
    new Duplex({
      read() {},
      // Never called back: the remote party reads nothing.
      write: (chunk: Buffer) => void written.push(chunk.length),
      writableHighWaterMark: 1,
    }),
    { remoteAddress: '192.0.2.1', remotePort: 5060, setNoDelay() {} },
  );
  let isClosed = false;
  const connection = new StreamConnection('tcp', socket as never, false, clock, {
    onMessage: () => {},
    onClosed: () => {
      isClosed = true;
    },
  });
  const send = (text: string): void => void socket.emit('data', Buffer.from(text));
  return { clock, connection, socket, send, isClosed: () => isClosed };
}

test('security: should close a connection whose remote party reads nothing, with at most 64 kB and one message waiting', async () => {
  const { connection, socket, isClosed } = deafPeer();
  const answer = Buffer.alloc(1_000);
  let most = 0;
  for (let sent = 0; sent < 5_000; sent++) {
    connection.send(answer);
    most = Math.max(most, socket.writableLength);
  }
  await until(isClosed);
  assert.ok(most > 60_000 && most <= 64 * 1024 + answer.length, String(most));
  assert.equal(connection.send(answer), false);
});

test('security: should answer one keepalive a second over TCP, and close a connection that floods them', async () => {
  const { clock, connection, socket, send, isClosed } = deafPeer();
  for (let second = 0; second < 5; second++) {
    send(PING.repeat(10));
    clock.stall(1_000);
  }
  assert.equal(socket.writableLength, 5 * '\r\n'.length, 'one answer each second');
  assert.equal(connection.isOpen, true);
  send(PING.repeat(100_000));
  await until(isClosed);
  assert.ok(socket.writableLength <= 6 * '\r\n'.length, `${socket.writableLength} bytes wait`);
});

test('security: should answer one keepalive a second to each address over UDP', async (t: TestContext) => {
  const clock = new FakeClock();
  const { received, port } = await startTransport(t, { clock });
  const peer = createSocket('udp4');
  peer.bind(0, LOOPBACK);
  await once(peer, 'listening');
  t.after(() => peer.close());
  let answers = 0;
  peer.on('message', () => answers++);
  for (let second = 1; second <= 3; second++) {
    for (let sent = 0; sent < 50; sent++) peer.send(PING, port, LOOPBACK);
    peer.send(infoRequest(`SIP/2.0/UDP 127.0.0.1;branch=z9hG4bK${second}`), port, LOOPBACK);
    // In order: all of this second's pings were read.
    await until(() => received.length === second && answers >= second);
    clock.stall(1_000);
  }
  // A last one, so that no answer is still in flight.
  peer.send(PING, port, LOOPBACK);
  await until(() => answers >= 4);
  assert.equal(answers, 4);
});

test('security: should end a real connection that pings endlessly and reads nothing', async (t: TestContext) => {
  const { port } = await startTransport(t);
  const socket = connect(port, LOOPBACK);
  t.after(() => socket.destroy());
  let isClosed = false;
  socket.on('error', () => {});
  socket.on('close', () => {
    isClosed = true;
  });
  await once(socket, 'connect');
  for (let written = 0; written < 200 && !isClosed; written++) {
    socket.write(PING.repeat(10_000));
    await new Promise(setImmediate);
  }
  await until(() => isClosed);
});

test('security: should accept no connection for ten seconds from an address that was cut off', async (t: TestContext) => {
  const clock = new FakeClock();
  const { received, port } = await startTransport(t, { clock });
  const open = async (text: string): Promise<() => boolean> => {
    const socket = connect(port, LOOPBACK);
    t.after(() => socket.destroy());
    let isClosed = false;
    socket.on('error', () => {});
    socket.on('close', () => {
      isClosed = true;
    });
    await once(socket, 'connect');
    socket.resume();
    socket.write(text);
    return () => isClosed;
  };
  await until(await open(PING.repeat(100)));
  clock.stall(9_999);
  await until(await open(infoRequest('SIP/2.0/TCP 127.0.0.1;branch=z9hG4bK1').toString()));
  assert.equal(received.length, 0);
  clock.stall(1);
  const isClosed = await open(infoRequest('SIP/2.0/TCP 127.0.0.1;branch=z9hG4bK2').toString());
  await until(() => received.length === 1);
  assert.equal(isClosed(), false);
});

test('security: should read at most about 128 kB or 100 messages of a connection in a second', async () => {
  for (const [what, text] of [
    ['messages', infoRequest('SIP/2.0/TCP 127.0.0.1;branch=z9hG4bK1').toString().repeat(100)],
    ['bytes', `${infoRequest('SIP/2.0/TCP 127.0.0.1;branch=z9hG4bK1', 'x'.repeat(40_000))}`.repeat(4)],
  ] as const) {
    const { clock, socket, send } = deafPeer();
    let seconds = 0;
    for (let sent = 0; sent < 5; sent++) {
      assert.equal(socket.isPaused(), false, what);
      send(text);
      assert.equal(socket.isPaused(), true, `${what}: the sender has to wait`);
      await clock.advance(999);
      assert.equal(socket.isPaused(), true);
      await clock.advance(1);
      seconds++;
    }
    assert.equal(seconds, 5);
  }
});

test('security: should end a connection whose remote party never ends it', async (t: TestContext) => {
  const clock = new FakeClock();
  let closed = 0;
  const { port } = await startTransport(t, { clock, onConnectionClosed: () => closed++ });
  const socket = connect({ port, host: LOOPBACK, allowHalfOpen: true });
  t.after(() => socket.destroy());
  socket.on('error', () => {}).resume();
  const isEnded = once(socket, 'end');
  socket.write('A: b\r\n'.repeat(50_000));
  await isEnded;
  assert.equal(closed, 0, 'its own end is waited for');
  await clock.advance(END_MS);
  await until(() => closed === 1);
});

test('security: should close the 101st connection at once', async (t: TestContext) => {
  const { port } = await startTransport(t);
  const closed = new Set<number>();
  const open = async (at: number) => {
    const socket = connect(port, LOOPBACK);
    t.after(() => socket.destroy());
    socket.on('error', () => {}).resume();
    socket.on('close', () => closed.add(at));
    await once(socket, 'connect');
    return socket;
  };
  const [first] = await Promise.all(Array.from({ length: 100 }, (_, at) => open(at)));
  await open(100);
  await until(() => closed.size > 0);
  assert.deepEqual([...closed], [100]);
  first!.destroy();
  await until(() => closed.has(0));
  // Its place is free as soon as its end was heard.
  await until(async () => {
    const at = 1_000 + closed.size;
    const socket = await open(at);
    socket.write(PING);
    await Promise.race([once(socket, 'data'), once(socket, 'close')]).catch(() => {});
    return !closed.has(at);
  });
});
