import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { RateLimit } from '../../platform/limits.ts';
import { silentLogger } from '../../platform/log.ts';
import { mdnsSocket } from '../../platform/mdns/mdnsEndpoint.ts';
import { type MdnsRecord, readServices } from '../../platform/mdns/serviceRecords.ts';
import { otherDevice } from '../../platform/mdns/testing/otherDevice.ts';
import { FakeClock } from '../../testing/fakeClock.ts';
import { freeUdpPort } from '../../testing/freePort.ts';
import { until } from '../../testing/waiting.ts';
import { MdnsDiscovery, ROUND_MS } from './mdnsDiscovery.ts';

const LOOPBACK = '127.0.0.1';
const SERVICE = '_faceplate-sip._udp.local';

interface Mdns extends NodeJS.EventEmitter {
  respond(packet: { answers: object[]; additionals: object[] }, done: () => void): void;
  query(packet: { questions: object[] }, done: () => void): void;
  send(packet: object, done: () => void): void;
}

/** A panel under test, and a sender on the same network that the test controls. */
async function startFlood(t: TestContext) {
  const port = await freeUdpPort();
  const clock = new FakeClock();
  const heard: string[] = [];
  const discovery = new MdnsDiscovery({
    interfaceAddress: LOOPBACK,
    port,
    isOnLink: () => true,
    ping: async () => true,
    tlsPort: () => undefined,
    callsOverTls: false,
    clock,
    log: silentLogger(),
  });
  discovery.onFound = ({ id }) => heard.push(id);
  t.after(() => discovery.stop());
  await discovery.start({ id: 'panel-one', name: 'One', port: 5060 });
  const bonjour = otherDevice(port);
  t.after(() => new Promise((resolve) => bonjour.destroy(resolve)));
  const { mdns } = (bonjour as unknown as { server: { mdns: Mdns } }).server;
  let count = 0;
  /** Announces this many new panels, ten per packet; resolves when they were read. */
  const announce = async (services: number): Promise<void> => {
    for (let sent = 0; sent < services; sent += 10) {
      const instances = Array.from({ length: 10 }, () => `invented-${++count}`);
      const seen = new Promise((resolve) => mdns.once('response', resolve));
      await new Promise<void>((resolve) =>
        mdns.respond(
          {
            answers: instances.map((id) => ({
              name: SERVICE,
              type: 'PTR',
              ttl: 120,
              data: `${id}.${SERVICE}`,
            })),
            additionals: instances.flatMap((id) => [
              { name: `${id}.${SERVICE}`, type: 'SRV', ttl: 120, data: { port: 5060, target: 'x.local' } },
              { name: `${id}.${SERVICE}`, type: 'TXT', ttl: 120, data: [`id=${id}`, 'name=Invented'] },
            ]),
          },
          resolve,
        ),
      );
      // The sender receives its own packet; the panel has its copy by then, or right afterwards.
      await seen;
      await new Promise(setImmediate);
    }
  };
  return { clock, heard, announce, mdns, discovery };
}

test('security: should read at most 50 records of panels in a second, and know at most 256 panels', async (t) => {
  const { clock, heard, announce } = await startFlood(t);
  await announce(200);
  await until(() => heard.length > 0);
  assert.ok(heard.length <= 25, `${heard.length} panels of 50 records`);
  for (let second = 0; second < 30; second++) {
    await clock.advance(1_000);
    const before = heard.length;
    await announce(50);
    assert.ok(heard.length - before <= 25, `${heard.length - before} panels in a second`);
  }
  await until(() => heard.length >= 256);
  assert.equal(heard.length, 256);
});

test('should ask again when the panels of a house were too many to read at once, but not endlessly', async (t) => {
  const { clock, announce, mdns } = await startFlood(t);
  let queries = 0;
  mdns.on('query', () => queries++);
  await announce(50);
  const first = queries;
  await clock.advance(2_000);
  await until(() => queries > first);
  for (let second = 0; second < 25; second++) {
    await announce(50);
    await clock.advance(1_000);
  }
  await until(() => queries >= 5);
  const all = queries;
  // The question from its start may also have come late.
  assert.ok(all <= 6, `${all} queries`);
  await clock.advance(ROUND_MS);
  await until(() => queries > all);
});

test('security: should answer at most 20 questions in a second', async (t) => {
  const { mdns } = await startFlood(t);
  let answers = 0;
  mdns.on('response', () => answers++);
  // Its own announcement comes a few times.
  await until(() => answers > 0);
  answers = 0;
  const questions = Array.from({ length: 50 }, () => ({ name: SERVICE, type: 'PTR' }));
  for (let packet = 0; packet < 4; packet++)
    await new Promise<void>((resolve) => mdns.query({ questions }, resolve));
  await until(() => answers >= 20);
  // All remaining packets come before the echo of this one.
  const echo = new Promise((resolve) => mdns.once('query', resolve));
  await new Promise<void>((resolve) => mdns.query({ questions: [{ name: 'x.local', type: 'A' }] }, resolve));
  await echo;
  assert.ok(answers <= 25, `${answers} answers`);
});

test('security: should drop datagrams that are too many or too large before they are decoded', async (t) => {
  const clock = new FakeClock();
  const socket = mdnsSocket(new RateLimit({ clock, limit: 10, windowMs: 1_000 }));
  const sender = createSocket('udp4');
  t.after(() => {
    socket.close();
    sender.close();
  });
  socket.bind(0, LOOPBACK);
  await once(socket, 'listening');
  const seen: number[] = [];
  socket.on('message', (data: Buffer) => seen.push(data.length));
  const send = (bytes: number): void => sender.send(Buffer.alloc(bytes), socket.address().port, LOOPBACK);
  send(9_001);
  for (let sent = 0; sent < 50; sent++) send(10);
  await until(() => seen.length === 10);
  clock.stall(1_000);
  // The rest counts towards the next second, which then has no room for the last one.
  for (let sent = 0; sent < 50; sent++) send(11);
  await until(() => seen.length === 20);
  assert.equal(seen.filter((bytes) => bytes > 11).length, 0);
});

test('security: should drop packets that announce more than 64 questions and records before they are decoded', async (t) => {
  const socket = mdnsSocket(new RateLimit({ clock: new FakeClock(), limit: 100, windowMs: 1_000 }));
  const sender = createSocket('udp4');
  t.after(() => {
    socket.close();
    sender.close();
  });
  socket.bind(0, LOOPBACK);
  await once(socket, 'listening');
  const seen: number[][] = [];
  const counts = (data: Buffer): number[] => [4, 6, 8, 10].map((at) => data.readUInt16BE(at));
  socket.on('message', (data: Buffer) => seen.push(counts(data)));
  const send = (...promised: number[]): void => {
    const head = Buffer.alloc(12);
    promised.forEach((count, index) => void head.writeUInt16BE(count, 4 + 2 * index));
    sender.send(head, socket.address().port, LOOPBACK);
  };
  send(65, 0, 0, 0);
  send(0, 0, 0, 65_535);
  send(20, 20, 20, 5);
  send(16, 16, 16, 16);
  send(0, 0, 0, 0);
  await until(() => seen.some((promised) => promised.every((count) => count === 0)));
  assert.deepEqual(seen, [
    [16, 16, 16, 16],
    [0, 0, 0, 0],
  ]);
});

test('security: should read each record a fixed number of times, however many a packet has', () => {
  let looks = 0;
  const counted = (record: MdnsRecord): MdnsRecord =>
    new Proxy(record, {
      get: (target, name) => {
        looks++;
        return Reflect.get(target, name);
      },
    });
  const records = (count: number): MdnsRecord[] =>
    Array.from({ length: count }, (_, at) => [
      counted({ name: SERVICE, type: 'PTR', ttl: 120, data: `p${at}.${SERVICE}` }),
      counted({ name: `p${at}.${SERVICE}`, type: 'SRV', ttl: 120, data: { port: 5060 } }),
      counted({ name: `p${at}.${SERVICE}`, type: 'TXT', ttl: 120, data: [Buffer.from('id=x')] }),
    ]).flat();
  const { services } = readServices({ answers: records(1_000), additionals: [] }, `.${SERVICE}`, () => true);
  assert.equal(services.length, 1_000);
  assert.ok(looks <= 3_000 * 4, `${looks} looks at 3000 records`);
  // Records of other services do not count against the limit.
  let asked = 0;
  readServices(
    {
      answers: [{ name: 'printer._ipp._tcp.local', type: 'SRV', ttl: 1, data: { port: 1 } }],
      additionals: [],
    },
    `.${SERVICE}`,
    () => ++asked > 0,
  );
  assert.equal(asked, 0);
});
