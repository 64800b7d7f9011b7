import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { classes, Message, methods } from 'werift';
import { silentLogger } from '../../platform/log.ts';
import { nativeMedia } from '../../platform/native/nativeMedia.ts';
import { timeToGoWrong, until } from '../../testing/waiting.ts';
import type { MediaDriver } from '../driver.ts';
import { portableDriver } from '../portableDriver.ts';
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
