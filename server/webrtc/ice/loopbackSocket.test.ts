import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { classes, Message, methods } from 'werift';
import { silentLogger } from '../../platform/log.ts';
import { nativeMedia } from '../../platform/native/nativeMedia.ts';
import { timeToGoWrong, until } from '../../testing/waiting.ts';
import { type MediaDriver, portableDriver } from '../driver.ts';
import { type IcePeer, LoopbackSocket, type Path } from './loopbackSocket.ts';

const native = nativeMedia(portableDriver, silentLogger());

/** The batches passed to the system, by the first byte of each datagram. */
interface Bursts {
  readonly driver: MediaDriver;
  readonly calls: number[][];
  /** How many datagrams of a call are accepted; Node sends the rest. */
  takes: number;
  fails: boolean;
}

function watched(): Bursts {
  const bursts: Bursts = {
    calls: [],
    takes: Number.POSITIVE_INFINITY,
    fails: false,
    driver: {
      ...native,
      openBurstSocket: () => {
        const socket = native.openBurstSocket()!;
        return {
          fd: socket.fd,
          send: (datagrams, to) => {
            bursts.calls.push(datagrams.map((datagram) => datagram[0]!));
            if (bursts.fails) throw new Error('EIO');
            return socket.send(datagrams.slice(0, bursts.takes), to);
          },
        };
      },
    },
  };
  return bursts;
}

async function connect(t: TestContext, driver: MediaDriver) {
  const socket = new LoopbackSocket(driver);
  await socket.start();
  t.after(() => socket.stop());
  const receiver = createSocket('udp4');
  receiver.bind(0, '127.0.0.1');
  await once(receiver, 'listening');
  t.after(() => new Promise<void>((resolve) => receiver.close(() => resolve())));
  const received: number[] = [];
  receiver.on('message', (data, { port }) => {
    assert.equal(port, socket.port);
    received.push(data[0]!);
  });
  return { socket, path: receiver.address(), received };
}

const nobody: IcePeer = {
  localUfrag: 'ours',
  localPassword: 'secret',
  remoteUfrag: 'theirs',
  onCheck: () => {},
  onDtls: () => {},
  onSrtcp: () => {},
};

const packet = (index: number): Buffer => Buffer.alloc(100, index);
const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

test('should send the packets of a picture together once it is complete', async (t) => {
  const bursts = watched();
  const { socket, path, received } = await connect(t, bursts.driver);
  for (const index of numbers(10)) socket.sendMedia(packet(index), path, index === 9);
  assert.deepEqual(bursts.calls, [numbers(10)]);
  await until(() => received.length === 10, 'the packets');
  assert.deepEqual(received, numbers(10));
});

test('should not hold back a picture that takes long, nor many packets', async (t) => {
  const bursts = watched();
  const { socket, path, received } = await connect(t, bursts.driver);
  for (const index of numbers(40)) socket.sendMedia(packet(index), path, false);
  assert.deepEqual(bursts.calls, [numbers(32)]);
  await until(() => received.length === 40, 'those that waited');
  assert.deepEqual(received, numbers(40));
});

test('should keep the order when the system takes no more, or takes no bursts at all', async (t) => {
  const bursts = watched();
  const { socket, path, received } = await connect(t, bursts.driver);
  bursts.takes = 3;
  for (const index of numbers(10)) socket.sendMedia(packet(index), path, index === 9);
  await until(() => received.length === 10, 'the packets');
  bursts.fails = true;
  for (const index of numbers(10)) socket.sendMedia(packet(10 + index), path, index === 9);
  // From then on each separately.
  for (const index of numbers(10)) socket.sendMedia(packet(20 + index), path, false);
  await until(() => received.length === 30, 'all of them');
  assert.deepEqual(received, numbers(30));
  assert.equal(bursts.calls.length, 2);
});

test('should send each packet at once when the system supports no bursts', async (t) => {
  const { socket, path, received } = await connect(t, portableDriver);
  for (const index of numbers(5)) socket.sendMedia(packet(index), path, false);
  await until(() => received.length === 5, 'the packets');
  assert.deepEqual(received, numbers(5));
});

test('should send single datagrams by the system too, and go on with bursts after one that failed', async (t) => {
  const bursts = watched();
  const { socket, path, received } = await connect(t, bursts.driver);
  socket.send(packet(0), path);
  bursts.fails = true;
  socket.send(packet(1), path);
  bursts.fails = false;
  for (const index of [2, 3]) socket.sendMedia(packet(index), path, index === 3);
  assert.deepEqual(bursts.calls, [[0], [1], [2, 3]]);
  await until(() => received.length === 4, 'the packets');
});

test('should stay on one lane, however often the browser checks its path', async (t) => {
  const bursts = watched();
  const { socket } = await connect(t, bursts.driver);
  const browser = createSocket('udp4');
  browser.bind(0, '127.0.0.1');
  await once(browser, 'listening');
  t.after(() => browser.close());
  const paths: Path[] = [];
  const peer = { ...nobody, onCheck: (path: Path) => paths.push(path) };
  socket.attach(peer);
  for (let i = 0; i < 3; i++) {
    const check = new Message(methods.BINDING, classes.REQUEST).setAttribute('USERNAME', 'ours:theirs');
    browser.send(check.addMessageIntegrity(Buffer.from('secret')).bytes, socket.port, '127.0.0.1');
    await until(() => paths.length === i + 1, 'the check');
  }
  // Without the answers to the checks.
  bursts.calls.length = 0;
  for (const [index, path] of paths.entries()) socket.sendMedia(packet(index), path, index === 2);
  assert.deepEqual(bursts.calls, [numbers(3)]);
  assert.equal(new Set(paths).size, 1);
});

test('should forget what waits for a viewer that has left, and when it stops', async (t) => {
  const bursts = watched();
  const { socket, path } = await connect(t, bursts.driver);
  socket.attach(nobody);
  socket.sendMedia(packet(1), path, false);
  socket.detach(nobody);
  socket.sendMedia(packet(2), path, false);
  await socket.stop();
  socket.sendMedia(packet(3), path, true);
  // Longer than anything waits.
  await timeToGoWrong(50);
  assert.deepEqual(bursts.calls, []);
});

/** Linux takes all of 127/8 as own addresses: this one is here for that of a network interface. */
const OWN = '127.0.0.2';

/** A viewer with a socket at an own address, and programs that send to it. */
async function openHost(t: TestContext, driver: MediaDriver = portableDriver) {
  const { socket } = await connect(t, driver);
  const paths: Path[] = [];
  const peer = { ...nobody, onCheck: (path: Path) => paths.push(path) };
  socket.attach(peer);
  const port = await socket.openHost(peer, OWN);
  assert.ok(port !== undefined && port !== socket.port);
  /** A program at an address, with what it received: first bytes and where they came from. */
  const program = async (address: string) => {
    const end = createSocket('udp4');
    end.bind(0, address);
    await once(end, 'listening');
    t.after(() => end.close());
    const received: [first: number, from: string][] = [];
    end.on('message', (data, from) => received.push([data[0]!, `${from.address}:${from.port}`]));
    const check = (username = 'ours:theirs', to = port): void => {
      const request = new Message(methods.BINDING, classes.REQUEST).setAttribute('USERNAME', username);
      end.send(request.addMessageIntegrity(Buffer.from('secret')).bytes, to, OWN);
    };
    return { received, check, port: end.address().port };
  };
  return { socket, peer, paths, port, program };
}

test('should serve a viewer at an own address that cannot reach loopback', async (t) => {
  const bursts = watched();
  const { socket, paths, port, program } = await openHost(t, bursts.driver);
  const viewer = await program(OWN);
  viewer.check();
  await until(() => paths.length === 1, 'the check');
  for (const index of numbers(5)) socket.sendMedia(packet(100 + index), paths[0]!, index === 4);
  await until(() => viewer.received.length === 6, 'the answer and the packets');
  const here = `${OWN}:${port}`;
  assert.deepEqual(viewer.received, [[1, here], ...numbers(5).map((index) => [100 + index, here])]);
});

test('security: should hear nothing but its own address there, and nobody but its viewer', async (t) => {
  const { socket, paths, program } = await openHost(t);
  socket.attach({ ...nobody, localUfrag: 'another', onCheck: (path) => paths.push(path) });
  const [stranger, viewer] = [await program('127.0.0.1'), await program(OWN)];
  stranger.check();
  viewer.check('another:theirs');
  await timeToGoWrong(50);
  assert.deepEqual([paths, stranger.received, viewer.received], [[], [], []]);
});

test('should close the socket at an own address with its viewer, and when it stops', async (t) => {
  const { socket, peer, paths, port, program } = await openHost(t);
  const viewer = await program(OWN);
  viewer.check();
  await until(() => paths.length === 1, 'the check');
  assert.equal(socket.size, 2);
  socket.detach(peer);
  assert.equal(socket.size, 0);
  socket.send(packet(1), paths[0]!);
  socket.sendMedia(packet(1), paths[0]!, true);
  const successor = createSocket('udp4');
  t.after(() => successor.close());
  successor.bind(port, OWN);
  await once(successor, 'listening');

  const opening = socket.openHost(peer, OWN);
  socket.detach(peer);
  assert.equal(await opening, undefined, 'the viewer has left meanwhile');
  // An address of documentation (RFC 5737), which no machine has.
  assert.equal(await socket.openHost(peer, '203.0.113.7'), undefined);
  assert.equal(socket.size, 0);

  const last = await socket.openHost(peer, OWN);
  await socket.stop();
  assert.equal(socket.size, 0);
  const next = createSocket('udp4');
  t.after(() => next.close());
  next.bind(last, OWN);
  await once(next, 'listening');
  assert.equal(await socket.openHost(peer, OWN), undefined);
});
