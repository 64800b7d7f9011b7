import assert from 'node:assert/strict';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { networkInterfaces } from 'node:os';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { errnoError } from '../../platform/errno.ts';
import { silentLogger } from '../../platform/log.ts';
import { until } from '../../testing/waiting.ts';
import { DatagramSocket } from './service.ts';

describe('datagram socket', () => {
  let receiver: Socket;
  let port: number;
  let driver: DatagramSocket;

  beforeEach(async () => {
    driver = new DatagramSocket(silentLogger());
    receiver = createSocket({ type: 'udp4', reuseAddr: true });
    receiver.bind(0, '0.0.0.0');
    await once(receiver, 'listening');
    port = receiver.address().port;
  });
  afterEach(async () => {
    await driver.stop();
    await driver.stop();
    receiver.close();
  });

  /** Sends and returns what arrived with the sender's port. */
  async function exchange(bytes: Uint8Array, host: string): Promise<{ bytes: Buffer; from: number }> {
    const arrived = once(receiver, 'message', { signal: AbortSignal.timeout(5_000) });
    await driver.send(bytes, port, host);
    const [message, remote] = await arrived;
    return { bytes: message, from: remote.port };
  }

  test('should send bytes unchanged', async () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    assert.deepEqual([...(await exchange(bytes, '127.0.0.1')).bytes], [...bytes]);
  });

  test('should keep one socket for all calls', async () => {
    const first = await exchange(Buffer.from('a'), '127.0.0.1');
    const second = await exchange(Buffer.from('b'), '127.0.0.1');
    assert.equal(first.from, second.from);
  });

  test('should send broadcasts', async () => {
    assert.equal((await exchange(Buffer.from('all'), '127.255.255.255')).bytes.toString(), 'all');
  });

  test('should send to a multicast group', async () => {
    const group = '239.255.70.1';
    receiver.addMembership(group, '127.0.0.1');
    driver = new DatagramSocket(silentLogger(), () => {
      const socket = createSocket('udp4');
      // The group stays on this machine; a panel uses the interface of its route.
      return socket.once('listening', () => socket.setMulticastInterface('127.0.0.1'));
    });
    assert.equal((await exchange(Buffer.from('group'), group)).bytes.toString(), 'group');
  });

  test('should send the longest datagram and an empty one', async () => {
    assert.equal((await exchange(new Uint8Array(65_507), '127.0.0.1')).bytes.length, 65_507);
    assert.equal((await exchange(new Uint8Array(0), '127.0.0.1')).bytes.length, 0);
  });

  test('should fail with the errno and go on with the same socket', async () => {
    const before = await exchange(Buffer.from('a'), '127.0.0.1');
    await assert.rejects(driver.send(new Uint8Array(65_508), port, '127.0.0.1'), { code: 'EMSGSIZE' });
    assert.equal((await exchange(Buffer.from('b'), '127.0.0.1')).from, before.from);
  });

  test('should open one socket for concurrent first calls', async () => {
    const senders = new Set<number>();
    receiver.on('message', (_, remote) => senders.add(remote.port));
    const all = (async () => {
      for (let count = 0; count < 20; count++) await once(receiver, 'message');
    })();
    await Promise.all(Array.from({ length: 20 }, () => driver.send(Buffer.from('x'), port, '127.0.0.1')));
    await all;
    assert.equal(senders.size, 1);
  });

  test('should open another socket after a failure of the one it has', async () => {
    const sockets: Socket[] = [];
    driver = new DatagramSocket(silentLogger(), () => {
      const socket = createSocket('udp4');
      sockets.push(socket);
      return socket;
    });
    await exchange(Buffer.from('a'), '127.0.0.1');
    sockets[0]?.emit('error', new Error('the network went away'));
    assert.equal((await exchange(Buffer.from('b'), '127.0.0.1')).bytes.toString(), 'b');
    assert.equal(sockets.length, 2);
  });

  test('should fail while no socket can be opened, and work again after', async () => {
    let broken = true;
    driver = new DatagramSocket(silentLogger(), () => {
      const socket = createSocket('udp4');
      if (broken) process.nextTick(() => socket.emit('error', errnoError('EMFILE', 'bind')));
      return socket;
    });
    await assert.rejects(driver.send(Buffer.from('a'), port, '127.0.0.1'), { code: 'EMFILE' });
    broken = false;
    assert.equal((await exchange(Buffer.from('b'), '127.0.0.1')).bytes.toString(), 'b');
  });

  test('should open another socket after stop', async () => {
    await exchange(Buffer.from('a'), '127.0.0.1');
    await driver.stop();
    assert.equal((await exchange(Buffer.from('b'), '127.0.0.1')).bytes.toString(), 'b');
  });

  test('should list the IPv4 networks of this machine', () => {
    const expected = Object.values(networkInterfaces())
      .flat()
      .filter((entry) => entry?.family === 'IPv4').length;
    const networks = driver.localNetworks();
    assert.equal(networks.length, expected);
    const loopback = networks.find((network) => network.address === '127.0.0.1');
    assert.equal(loopback?.prefixLength, 8);
  });

  /** The datagrams that come to a port, as text. */
  async function heardAt(port: number) {
    const heard: string[] = [];
    const udp = await driver.listen(port, (bytes, host) => heard.push(`${host} ${Buffer.from(bytes)}`));
    return { heard, udp };
  }

  test('should send from a port that it hears, and hear the answer there', async () => {
    const { heard, udp } = await heardAt(40_017);
    try {
      for (const [bytes, host] of [
        [Buffer.from('ask'), '127.0.0.1'],
        [new Uint8Array(0), '127.0.0.1'],
        [Buffer.from('all'), '127.255.255.255'],
      ] as const) {
        const arrived = once(receiver, 'message', { signal: AbortSignal.timeout(5_000) });
        await udp.send(bytes, port, host);
        const [message, remote] = await arrived;
        assert.deepEqual([message, remote.port], [Buffer.from(bytes), 40_017]);
        receiver.send('answer', remote.port, '127.0.0.1');
      }
      await until(() => heard.length === 3);
      assert.deepEqual(new Set(heard), new Set(['127.0.0.1 answer']));
      await assert.rejects(udp.send(new Uint8Array(65_508), port, '127.0.0.1'), { code: 'EMSGSIZE' });
      await assert.rejects(heardAt(40_017), { code: 'EADDRINUSE' });
    } finally {
      await udp.close();
    }
  });

  test('should hear what comes to a port, and free it again', async () => {
    receiver.close();
    const { heard, udp } = await heardAt(port);
    for (const text of ['one', '', 'three']) await driver.send(Buffer.from(text), port, '127.0.0.1');
    await until(() => heard.length === 3);
    assert.deepEqual(heard, ['127.0.0.1 one', '127.0.0.1 ', '127.0.0.1 three']);
    await udp.close();
    receiver = createSocket('udp4');
    receiver.bind(port, '0.0.0.0');
    await once(receiver, 'listening');
  });

  test('should open no port that another has, also where both would share it', async () => {
    await assert.rejects(heardAt(port), { code: 'EADDRINUSE' });
    receiver.close();
    const { udp } = await heardAt(port);
    await assert.rejects(heardAt(port), { code: 'EADDRINUSE' });
    await udp.close();
    receiver = createSocket('udp4');
    receiver.bind(0);
    await once(receiver, 'listening');
  });

  test('should hear a multicast group once it has joined it', async () => {
    receiver.close();
    const group = '239.255.70.2';
    const { heard, udp } = await heardAt(port);
    const sender = createSocket('udp4').bind(0);
    await once(sender, 'listening');
    // The group stays on this machine.
    sender.setMulticastInterface('127.0.0.1');
    udp.join(group);
    sender.send('to all', port, group);
    await until(() => heard.length === 1);
    assert.match(heard[0]!, / to all$/);
    assert.throws(() => udp.join('192.168.1.9'), { code: 'EINVAL' });
    sender.close();
    await udp.close();
    receiver = createSocket('udp4');
    receiver.bind(0);
    await once(receiver, 'listening');
  });
});
