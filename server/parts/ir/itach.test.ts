import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { silentLogger } from '../../platform/log.ts';
import { until } from '../../testing/waiting.ts';
import { Itach } from './itach.ts';
import type { Signal } from './protocols.ts';

describe('the iTach port', () => {
  let itach: Itach;
  let sent: { port: string; code: Signal; done: () => void }[];
  const clients: Socket[] = [];

  beforeEach(async () => {
    sent = [];
    itach = new Itach({
      port: 0,
      version: '1.2.3',
      ir: {
        ports: () =>
          ['IR1', 'IR-IN', 'IR2'].map((port) => ({
            port,
            label: '',
            sends: port !== 'IR-IN',
            receives: port === 'IR-IN',
            carrier: true,
          })),
        isBusy: () => false,
        sendSignal: (port, code, signal) =>
          new Promise((resolve, reject) => {
            sent.push({ port, code, done: resolve });
            signal.addEventListener('abort', () => reject(signal.reason));
          }),
      },
      onListening: () => {},
      log: silentLogger(),
    });
    await itach.start();
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) client.destroy();
    await itach.stop();
  });

  async function client() {
    const socket = connect(itach.port!, '127.0.0.1');
    clients.push(socket);
    await once(socket, 'connect');
    let heard = '';
    socket.on('data', (data) => {
      heard += data.toString('latin1');
    });
    socket.on('error', () => {});
    return {
      socket,
      say: (text: string) => socket.write(text),
      hears: (text: string) => until(() => heard === text, JSON.stringify(text), { limitMs: 5_000 }),
      async ask(line: string, answer: string) {
        heard = '';
        socket.write(`${line}\r`);
        await this.hears(answer);
      },
    };
  }

  test('should say what it is', async () => {
    const it = await client();
    await it.ask('getdevices', 'device,0,0 ETHERNET\rdevice,1,2 IR\rendlistdevices\r');
    await it.ask('getversion', '1.2.3\r');
    await it.ask('getversion,1', 'version,1,1.2.3\r');
    await it.ask('getversion,7', 'ERR_7:0,002\r');
    await it.ask('get_IR,1:2', 'IR,1:2,IR\r');
    await it.ask('get_IR,1:3', 'ERR_1:3,003\r');
    await it.ask('get_NET,0:1', 'NET,0:1,LOCKED,DHCP,127.0.0.1,255.0.0.0,0.0.0.0\r');
    await it.ask('hello', 'ERR_0:0,001\r');
    await it.ask('sendir,2:1,1,38000,1,1,4,8', 'ERR_2:1,002\r');
    await it.ask('sendir,1:1,1,38000,1,1,4', 'ERR_1:1,010\r');
  });

  test('should answer once it was sent, the second sender being 1:2', async () => {
    const it = await client();
    it.say('sendir,1:2,17,40000,1,1,4,8,4,80\r');
    await until(() => sent.length === 1, 'the code');
    assert.equal(sent[0]!.port, 'IR2');
    assert.deepEqual(sent[0]!.code, { carrier: 40_000, timings: [100, 200, 100] });
    sent[0]!.done();
    await it.hears('completeir,1:2,17\r');
  });

  test('should be busy for another client on the same connector, until stopir', async () => {
    const [one, two] = [await client(), await client()];
    one.say('sendir,1:1,1,38000,1,1,4,8\r');
    await until(() => sent.length === 1, 'the code');
    await two.ask('sendir,1:1,2,38000,1,1,4,8', 'busyIR,1:1,2\r');
    await two.ask('stopir,1:1', 'stopir,1:1\r');
    two.say('sendir,1:1,3,38000,1,1,4,8\r');
    await until(() => sent.length === 2, 'the next code');
    one.socket.destroy();
    sent[1]!.done();
    await two.hears('stopir,1:1\rcompleteir,1:1,3\r');
  });

  test('should end what a client has sent that is gone', async () => {
    const one = await client();
    one.say('sendir,1:1,1,38000,1,1,4,8\r');
    await until(() => sent.length === 1, 'the code');
    one.socket.destroy();
    const two = await client();
    two.say('sendir,1:1,9,38000,1,1,4,8\r');
    await until(() => sent.length === 2, 'the code of the other');
    sent[1]!.done();
    await two.hears('completeir,1:1,9\r');
  });

  test('security: should end a client whose line has no end, and take no more than eight', async () => {
    const it = await client();
    const closed = once(it.socket, 'close');
    it.say('x'.repeat(70_000));
    await closed;
    for (let count = 0; count < 8; count++) await client();
    const ninth = await client();
    await once(ninth.socket, 'close');
  });

  test('security: should not read a client that does not read its answers', async () => {
    let served: Socket | undefined;
    const onServed = (message: unknown) => {
      served = (message as { socket: Socket }).socket;
    };
    subscribe('net.server.socket', onServed);
    const it = await client();
    await until(() => served !== undefined, 'the connection');
    unsubscribe('net.server.socket', onServed);
    it.socket.pause();
    const part = 'getdevices\r'.repeat(6_000);
    const feed = () => {
      if (!it.socket.destroyed) it.socket.write(part, feed);
    };
    feed();
    await until(() => served!.isPaused(), 'the end of reading', { limitMs: 20_000 });
    assert.ok(served!.writableLength < 2 * 2 ** 20, `${served!.writableLength} bytes wait`);
    it.socket.resume();
    await until(() => !served!.isPaused(), 'further reading', { limitMs: 20_000 });
  });
});
