import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { afterEach, describe, test } from 'node:test';
import { silentLogger } from '../../platform/log.ts';
import { FakeClock } from '../../testing/fakeClock.ts';
import { until } from '../../testing/waiting.ts';
import { BrokerConnection } from './connection.ts';

/** A broker that accepts and grants everything; what it sends besides is up to the test. */
class RawBroker {
  readonly #server = createServer();
  readonly connections: { readonly socket: Socket; readonly version: number; readonly isClean: boolean }[] =
    [];
  /** First bytes and hex of the packets that came, of all connections. */
  readonly came: string[] = [];
  /** Answers a PUBLISH of the panel with QoS 1. @returns hex; `id` is its packet identifier */
  onPublish: (id: string, version: number) => string = (id, version) =>
    version === 5 ? `4003${id}00` : `4002${id}`;

  static async open(): Promise<RawBroker> {
    const broker = new RawBroker();
    broker.#server.on('connection', (socket) => broker.#accept(socket));
    broker.#server.listen(0, '127.0.0.1');
    await once(broker.#server, 'listening');
    return broker;
  }

  get url(): string {
    return `mqtt://127.0.0.1:${(this.#server.address() as { port: number }).port}`;
  }

  stop(): void {
    for (const { socket } of this.connections) socket.destroy();
    this.#server.close();
  }

  #accept(socket: Socket): void {
    let version = 0;
    let bytes = Buffer.alloc(0);
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk) => {
      bytes = Buffer.concat([bytes, chunk]);
      // All packets of the panel are shorter than 128 bytes here.
      while (bytes.length >= 2 && bytes.length >= 2 + bytes[1]!) {
        const packet = bytes.subarray(0, 2 + bytes[1]!);
        bytes = bytes.subarray(packet.length);
        this.came.push(packet.toString('hex'));
        const type = packet[0]! >> 4;
        if (type === 1) {
          version = packet[8]!;
          this.connections.push({ socket, version, isClean: (packet[9]! & 2) !== 0 });
          socket.write(Buffer.from(version === 5 ? '2003000000' : '20020000', 'hex'));
        } else if (type === 8) {
          const id = packet.toString('hex', 2, 4);
          socket.write(Buffer.from(version === 5 ? `9004${id}0001` : `9003${id}01`, 'hex'));
        } else if (type === 3) {
          const at = 4 + packet.readUInt16BE(2);
          socket.write(Buffer.from(this.onPublish(packet.toString('hex', at, at + 2), version), 'hex'));
        } else if (type === 12) socket.write(Buffer.from('d000', 'hex'));
      }
    });
  }
}

/** `a/b` with the payload `1`, QoS 0 with MQTT 5. */
const MESSAGE = '3007' + '0003612f62' + '00' + '31';

describe('a broker that sends what is no MQTT', () => {
  const open: { stop(): unknown }[] = [];
  afterEach(async () => {
    for (const thing of open.splice(0).reverse()) await thing.stop();
  });

  async function start() {
    const broker = await RawBroker.open();
    const clock = new FakeClock();
    const it = new BrokerConnection({
      url: broker.url,
      username: '',
      password: '',
      files: { authorities: [], certificate: '', key: '' },
      clientId: 'p',
      willTopic: 'w',
      clock,
      log: silentLogger(),
      random: () => 0,
    });
    open.push(broker, it);
    const heard: string[] = [];
    const reasons: (string | null)[] = [];
    it.onFacts(({ reason }) => void reasons.push(reason));
    it.subscribe('a/b', ({ payload }) => void heard.push(payload.toString()));
    it.start();
    const connected = async () => {
      await until(() => it.facts.state === 'connected', 'the connection');
      return broker.connections.at(-1)!;
    };
    const ended = () =>
      until(() => it.facts.state === 'connecting' && broker.connections.at(-1)!.socket.closed, 'the end');
    await connected();
    return { broker, clock, it, heard, reasons, connected, ended };
  }

  for (const [name, hex, reason] of [
    // mochi-mqtt 2.7.9 acknowledges so what nobody has subscribed to.
    ['a PUBACK with a reason code that is none', '4003000101', 'Invalid puback reason code'],
    ['a PUBACK without an identifier', '400400000000', 'PUBACK without a packet identifier'],
    ['a packet of a type that is none', '0000', 'Not supported'],
    ['a PUBLISH with QoS 3', '3607' + '0003612f62' + '0001', 'both QoS bits'],
    ['a PUBLISH whose topic is longer than itself', '3005' + 'ffff612f62', 'Cannot parse topic'],
    ['a PUBLISH with an unknown property', '3009' + '0003612f62' + '027f01' + '31', 'Unknown property'],
    ['a PUBLISH to a filter', '3007' + '0003612f23' + '00' + '31', 'with a topic that is none'],
    ['a PUBLISH without a topic', '3004' + '0000' + '00' + '31', 'without a topic'],
    ['a SUBACK with wrong flags', '9104' + '00010001', 'Invalid header flag bits'],
    ['a length of five bytes', '30ffffffff7f', 'its length is none'],
    ['a second CONNACK', '2003000000', 'duplicate CONNACK'],
    ['a packet that only clients send', 'c000', 'PINGREQ, which only clients send'],
    ['a PINGRESP with a payload', 'd00100', 'PINGRESP of 1 bytes'],
  ] as const) {
    test(`should be left at ${name}, and nothing behind it be heard`, async () => {
      const { broker, heard, it, ended, connected } = await start();
      const { socket } = await connected();
      socket.write(Buffer.from(`${MESSAGE}${hex}${MESSAGE.slice(0, -2)}32`, 'hex'));
      await ended();
      assert.match(it.facts.reason ?? '', /^the broker sent a malformed packet: /);
      assert.ok(it.facts.reason?.includes(reason), String(it.facts.reason));
      assert.ok(!heard.includes('2'), String(heard));
      // MQTT.js itself closes at a second CONNACK.
      if (hex.startsWith('20')) return;
      // DISCONNECT with the reason malformed packet (MQTT 5 section 4.13.1).
      assert.equal(broker.came.at(-1), 'e00181');
    });
  }

  test('should be asked in MQTT 3.1.1 when it repeats, and what it kept be dropped in between', async () => {
    const { broker, clock, it, heard, reasons, connected, ended } = await start();
    // With MQTT 5 each acknowledgement is malformed, as mochi's.
    broker.onPublish = (id, version) => (version === 5 ? `4003${id}01` : `4002${id}`);
    for (let round = 0; round < 2; round++) {
      it.publish('t', 'x').catch(() => {});
      await ended();
      await clock.advance(2_000 * (round + 1));
      await connected();
    }
    const versions = broker.connections.map(({ version, isClean }) => [version, isClean]);
    // Clean Start: the broker forgets the commands that it kept, so none is carried out late.
    assert.deepEqual(versions, [
      [5, false],
      [5, true],
      [4, true],
    ]);
    await it.publish('t', 'x');
    assert.equal(it.facts.state, 'connected');
    assert.equal(it.facts.reason, null);
    assert.ok(reasons.includes('the broker sent a malformed packet: Invalid puback reason code'));
    assert.ok(!reasons.includes('another client uses this id'));
    const { socket } = broker.connections.at(-1)!;
    socket.write(Buffer.from('3006' + '0003612f62' + '31', 'hex'));
    await until(() => heard.length === 1, 'the message');
    // Over 3.1.1 too a malformed packet ends the connection; and its session is clean anyway.
    socket.write(Buffer.from('4003000100', 'hex'));
    await ended();
    assert.match(it.facts.reason ?? '', /^the broker sent a malformed packet: PUBACK of 3 bytes$/);
    await clock.advance(30_000);
    assert.equal((await connected()).version, 5);
  });

  test('should say it of a malformed answer to the connection too', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.write(Buffer.from('2003020000', 'hex')));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    open.push({ stop: () => server.close() });
    const it = new BrokerConnection({
      url: `mqtt://127.0.0.1:${(server.address() as { port: number }).port}`,
      username: '',
      password: '',
      files: { authorities: [], certificate: '', key: '' },
      clientId: 'p',
      willTopic: 'w',
      clock: new FakeClock(),
      log: silentLogger(),
    });
    open.push(it);
    it.start();
    await until(() => it.facts.reason !== null, 'the reason', { limitMs: 10_000 });
    assert.match(it.facts.reason ?? '', /^the broker sent a malformed packet: Invalid connack flags/);
  });
});
