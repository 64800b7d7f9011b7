import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { request, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { Dispatcher, type Handlers } from '../../commands/dispatch.ts';
import { OWNER } from '../../contract/access.ts';
import type { Snapshot } from '../../contract/events.ts';
import { EventBus } from '../../platform/eventBus.ts';
import { silentLogger } from '../../platform/log.ts';
import { until } from '../../testing/waiting.ts';
import { testServer } from '../testing/testServer.ts';
import { OpenStreams } from './eventStream.ts';

describe('callers who listen to events', () => {
  const gathered = Promise.withResolvers<Snapshot>();
  let asked = 0;
  const dispatcher = new Dispatcher({} as Handlers, silentLogger(), { pageMay: () => false });
  const server = testServer(() => dispatcher, {
    guard: { identify: () => OWNER },
    snapshot: () => {
      asked++;
      return gathered.promise;
    },
  });
  before(() => server.start());
  after(() => server.stop());

  /** @returns the status of the answer, and how to hang up */
  const listen = () => {
    const headers = { authorization: 'Bearer any', host: '127.0.0.1' };
    const sent = request({
      host: '127.0.0.1',
      port: server.port,
      path: '/api/remote/events',
      headers,
      agent: false,
    });
    const status = new Promise<number>((resolve, reject) => {
      sent.on('response', (response) => resolve(response.resume().statusCode ?? 0)).on('error', reject);
    });
    sent.end();
    return { status, end: () => sent.destroy() };
  };

  it('security: should be 32 at most, counted before their snapshot is collected, and make room when they leave', async () => {
    const callers = Array.from({ length: 40 }, listen);
    const refused = [];
    for (const { status } of callers) void status.then((code) => code === 409 && refused.push(code));
    while (refused.length + asked < 40) await new Promise(setImmediate);
    assert.deepEqual([refused.length, asked], [8, 32]);
    gathered.resolve({ gpio: [], power: { state: 'awake' }, serial: [], streams: [], camera: null });
    const codes = await Promise.all(callers.map(({ status }) => status));
    assert.equal(codes.filter((code) => code === 200).length, 32);
    const [first] = callers.filter((_, index) => codes[index] === 200);
    first!.end();
    let late = listen();
    while ((await late.status) !== 200) late = listen();
    for (const { end } of [...callers, late]) end();
  });
});

describe('a caller who subscribes to events and reads none', () => {
  const bus = new EventBus(silentLogger());
  const dispatcher = new Dispatcher({} as Handlers, silentLogger(), { pageMay: () => false });
  const server = testServer(() => dispatcher, {
    guard: { identify: () => OWNER },
    bus,
    snapshot: () => ({ gpio: [], power: { state: 'awake' }, serial: [], streams: [], camera: null }),
  });
  before(() => server.start());
  after(() => server.stop());

  /** Subscribes and reads nothing more. @returns the server's side of the answer, with its writes counted */
  async function listen() {
    let response: ServerResponse | undefined;
    const onRequest = (message: unknown): void => {
      response = (message as { response: ServerResponse }).response;
    };
    subscribe('http.server.request.start', onRequest);
    const socket = connect(server.port, '127.0.0.1');
    socket.on('error', () => {});
    socket.write('GET /api/remote/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer any\r\n\r\n');
    await once(socket, 'readable');
    unsubscribe('http.server.request.start', onRequest);
    const writes: number[] = [];
    const write = response!.write.bind(response);
    response!.write = ((chunk: string) => {
      writes.push(chunk.length);
      return write(chunk);
    }) as ServerResponse['write'];
    return { socket, response: response!, writes };
  }

  const led = (red: number) => ({ on: true, red, green: 2, blue: 3 });

  it('security: should be cut off when 1 MiB waits, kept as one text and not as thousands of writes', async () => {
    const { socket, response, writes } = await listen();
    let events = 0;
    while (!response.writableNeedDrain) {
      for (let burst = 0; burst < 100; burst++, events++) bus.emit('led', led(events % 256));
      await new Promise(setImmediate);
    }
    const before = writes.length;
    let more = 0;
    for (; !response.destroyed && more < 100_000; more++) bus.emit('led', led(more % 256));
    const bytes = `event: led\ndata: ${JSON.stringify(led(100))}\n\n`.length;
    assert.equal(writes.length, before);
    assert.ok(response.destroyed && Math.abs(more * bytes - 2 ** 20) < 2 ** 17, `${more * bytes} B`);
    socket.destroy();
  });

  it('should get everything that waited, in order, once it reads again', async () => {
    const { socket, response } = await listen();
    let sent = 0;
    const emit = (): void =>
      bus.emit('led', { on: true, red: sent % 256, green: Math.floor(sent++ / 256), blue: 0 });
    while (!response.writableNeedDrain) {
      for (let burst = 0; burst < 100; burst++) emit();
      await new Promise(setImmediate);
    }
    for (let waits = 0; waits < 1_000; waits++) emit();
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
    const heard = () =>
      [...text.matchAll(/"red":(\d+),"green":(\d+)/g)].map(
        ([, low, high]) => Number(low) + 256 * Number(high),
      );
    await until(() => heard().length === sent);
    assert.deepEqual(
      heard(),
      Array.from({ length: sent }, (_, index) => index),
    );
    socket.destroy();
  });

  it('security: should hold back who sends to it alone, until it reads again or is gone', async () => {
    const { socket, response } = await listen();
    const datagram = { port: 6454, host: '192.168.1.9', hex: '00'.repeat(1_000) };
    const fill = async () => {
      for (;;) {
        const taken = bus.emitTo(OWNER, 'udp', datagram);
        if (taken !== undefined) return { taken };
        await new Promise(setImmediate);
      }
    };
    const first = await fill();
    assert.ok(response.writableNeedDrain);
    assert.equal(bus.emitTo({}, 'udp', datagram), undefined, 'nobody else waits for it');
    socket.resume();
    await first.taken;
    socket.pause();
    const second = await fill();
    socket.destroy();
    await second.taken;
  });
});

const one = { id: '1', name: 'one', scopes: ['view'] as const };
const other = { ...one, id: '2' };

describe('open streams', () => {
  it('security: should end with their token, whatever kind they are, and leave those of others', () => {
    const streams = new OpenStreams();
    const ended: string[] = [];
    streams.add(one, (why) => ended.push(`events ${why}`));
    streams.add(one, (why) => ended.push(`log ${why}`));
    streams.add(one, () => assert.fail('its caller has left'))();
    streams.add(other, (why) => ended.push(`other ${why}`));
    streams.endOf(one);
    assert.deepEqual(ended, ['events revoked', 'log revoked']);
    streams.endAll();
    assert.deepEqual(ended.slice(2), ['other stopping']);
  });

  it('security: should end at once when they begin only after their token has ended', () => {
    const streams = new OpenStreams();
    const ended: string[] = [];
    streams.endOf(one);
    streams.add(one, (why) => ended.push(why));
    assert.deepEqual(ended, ['revoked']);
    streams.add({ ...one }, () =>
      assert.fail('another token of the same id, as the owner has after a change'),
    );
  });
});
