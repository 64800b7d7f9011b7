import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { systemClock } from '../../platform/clock.ts';
import { silentLogger } from '../../platform/log.ts';
import { FakeClock } from '../../testing/fakeClock.ts';
import { freeTcpPort } from '../../testing/freePort.ts';
import { HouseAuthority } from '../../testing/houseAuthority.ts';
import { Mosquitto } from '../../testing/mosquitto.ts';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { until } from '../../testing/waiting.ts';
import { BrokerConnection, type ConnectionOptions } from './connection.ts';
import { Listener } from './testing/listener.ts';
import { OldBroker } from './testing/oldBroker.ts';
import { WebSocketWay } from './testing/webSocketWay.ts';

const NO_FILES = { authorities: [], certificate: '', key: '' };
const ID = 'panel1';

describe('the connection to the broker', () => {
  const open: { stop(): Promise<unknown> }[] = [];
  beforeEach(() => open.splice(0));
  afterEach(async () => {
    for (const thing of open.reverse()) await thing.stop();
  });

  function kept<T extends { stop(): Promise<unknown> }>(thing: T): T {
    open.push(thing);
    return thing;
  }
  async function broker(options?: ConstructorParameters<typeof Mosquitto>[0]): Promise<Mosquitto> {
    return kept(await Mosquitto.start(options));
  }
  function connection(url: string, more: Partial<ConnectionOptions> = {}): BrokerConnection {
    const it = new BrokerConnection({
      url,
      username: '',
      password: '',
      files: NO_FILES,
      clientId: `faceplate-${ID}`,
      willTopic: `faceplate/${ID}/availability`,
      clock: systemClock,
      log: silentLogger(),
      // The shortest pauses there are.
      random: () => 0,
      ...more,
    });
    kept(it);
    it.start();
    return it;
  }
  const connected = (it: BrokerConnection) =>
    until(() => it.facts.state === 'connected', `the connection, but: ${it.facts.reason}`);
  const reason = async (it: BrokerConnection, expected: RegExp) => {
    await until(
      () => expected.test(it.facts.reason ?? ''),
      `${expected}, but: ${JSON.stringify(it.facts)}`,
    ).catch((error: Error) => assert.fail(`${error.message}; now ${JSON.stringify(it.facts)}`));
  };

  test('should speak MQTT 5, hear a filter and publish what stays', async () => {
    const house = await broker();
    const it = connection(house.url);
    const heard: string[] = [];
    it.subscribe('faceplate/+/command/+', ({ topic, payload }) => void heard.push(`${topic} ${payload}`));
    await connected(it);
    const listener = kept(await Listener.start(house.url));
    await listener.publish('faceplate/panel1/command/led.on', '{}');
    await listener.publish('faceplate/panel1/command/led.on/more', '{}');
    await it.publish('faceplate/panel1/state/led', 'x', { isRetained: true });
    await until(() => heard.length > 0, 'the message');
    assert.deepEqual(heard, ['faceplate/panel1/command/led.on {}']);
    assert.equal(it.isVersion5, true);
    assert.match(house.output, /as faceplate-panel1 \(p5, c0, k15/);
    assert.deepEqual(await listener.retained('faceplate/#'), { 'faceplate/panel1/state/led': 'x' });
  });

  test('should leave its will after a kill, and none after an orderly stop', async () => {
    const house = await broker();
    const listener = kept(await Listener.start(house.url));
    const it = connection(house.url);
    await connected(it);
    await it.stop([
      { topic: 'faceplate/panel1/availability', payload: 'bye', options: { isRetained: true } },
    ]);
    assert.deepEqual(await listener.retained('faceplate/#'), { 'faceplate/panel1/availability': 'bye' });
    // The session has ended too: nothing is kept for it.
    const again = connection(house.url);
    await connected(again);
    assert.doesNotMatch(house.output, /Bad socket|exceeded timeout/);
  });

  test('should come back after the broker was killed, and hear what it heard before', async () => {
    const house = await broker();
    const it = connection(house.url);
    const heard: string[] = [];
    it.subscribe('a/+', ({ topic }) => void heard.push(topic));
    let connections = 0;
    it.onConnected(() => connections++);
    await connected(it);
    await house.kill('SIGKILL');
    await reason(it, /^the connection was lost|^the broker cannot be reached/);
    assert.equal(it.facts.state, 'connecting');
    await it.publish('dropped', 'x');
    await house.start();
    await connected(it);
    const listener = kept(await Listener.start(house.url));
    await listener.publish('a/b', '1');
    await until(() => heard.length > 0, 'the message');
    assert.equal(connections, 2);
    assert.equal(it.facts.reason, null);
  });

  test('should fall back to 3.1.1 where MQTT 5 is refused', async () => {
    const house = await broker();
    const old = kept(await OldBroker.open(house.port));
    const it = connection(old.url);
    await connected(it);
    assert.deepEqual(old.versions, [5, 4]);
    assert.match(house.output, /as faceplate-panel1 \(p2, c1, k15\)/);
    assert.equal(it.isVersion5, false);
  });

  test('should find out that a broker closes at MQTT 5 without a word, and know it from then on', async () => {
    const house = await broker();
    const old = kept(await OldBroker.open(house.port, true));
    const clock = new FakeClock();
    const it = connection(old.url, { clock });
    for (let tries = 1; tries <= 2; tries++) {
      await until(() => old.versions.length === tries && clock.pending > 0, `the end of try ${tries}`);
      await clock.advance(30_000);
    }
    await connected(it);
    old.cut();
    await until(() => it.facts.state === 'connecting', 'the loss');
    await clock.advance(30_000);
    await connected(it);
    assert.deepEqual(old.versions, [5, 5, 4, 5, 4]);
  });

  test('should say that nobody is there, and a wrong password', async () => {
    const port = await freeTcpPort();
    await reason(connection(`mqtt://127.0.0.1:${port}`), /^the broker cannot be reached: .*ECONNREFUSED/);
    const house = await broker({ users: { panel: 'right' } });
    await reason(connection(house.url, { username: 'panel', password: 'wrong' }), /^wrong user or password$/);
    await connected(connection(house.url, { username: 'panel', password: 'right' }));
  });

  test('should say that a port takes connections and says nothing', async () => {
    const silent = createServer((socket) => socket.on('error', () => {}));
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const sockets: Socket[] = [];
    silent.on('connection', (socket) => sockets.push(socket));
    open.push({
      stop: async () => {
        for (const socket of sockets) socket.destroy();
        silent.close();
      },
    });
    const url = `mqtt://127.0.0.1:${(silent.address() as { port: number }).port}`;
    const it = connection(url, { connectLimitMs: 200 });
    await until(() => it.facts.reason !== null, 'the reason');
    assert.match(it.facts.reason ?? '', /^the broker cannot be reached: .*it does not answer$/);
  });

  test('should speak over WebSockets', async () => {
    const house = await broker();
    const way = kept(await WebSocketWay.open(house.port));
    const it = connection(way.url);
    await connected(it);
    await it.publish('x', 'y', { isRetained: true });
    const listener = kept(await Listener.start(house.url));
    assert.deepEqual(await listener.retained('#'), { x: 'y' });
    await reason(connection(way.url.replace('ws:', 'wss:')), /^the broker speaks no TLS on this port$/);
  });

  test('security: should verify the certificate of the broker, and say what is wrong with it', async () => {
    const house = new HouseAuthority();
    const stranger = new HouseAuthority();
    const [right, other] = [house.issue('IP:127.0.0.1'), house.issue('DNS:elsewhere.lan')];
    const tls = (pair: { key: string; cert: string }) => ({
      conf: ['certfile <folder>/cert.pem', 'keyfile <folder>/key.pem'],
      files: { 'cert.pem': pair.cert, 'key.pem': pair.key },
    });
    const trusted = await broker(tls(right));
    const misnamed = await broker(tls(other));
    const at = (mosquitto: Mosquitto, authorities: string[], scheme = 'mqtts:') =>
      connection(mosquitto.url.replace('mqtt:', scheme), { files: { ...NO_FILES, authorities } });
    await reason(at(trusted, []), /^the certificate of the broker is not trusted/);
    await reason(at(trusted, [stranger.file]), /^the certificate of the broker is not trusted/);
    await reason(at(misnamed, [house.file]), /^the certificate of the broker is for another name$/);
    await reason(at(trusted, ['/nowhere/ca.pem']), /^a file cannot be read: \/nowhere\/ca\.pem: ENOENT/);
    await reason(at(trusted, [house.file], 'mqtt:'), /^the broker wants TLS on this port$/);
    const plain = await broker();
    await reason(at(plain, [house.file]), /^the broker speaks no TLS on this port$/);
    await connected(at(trusted, [house.file]));
  });

  test('security: should show its own certificate to a broker that wants one', async () => {
    const house = new HouseAuthority();
    const folder = temporaryFolder('mqtt');
    const [server, own] = [house.issue('IP:127.0.0.1'), house.issue('DNS:panel1')];
    const secured = await broker({
      conf: [
        'certfile <folder>/cert.pem',
        'keyfile <folder>/key.pem',
        `cafile ${house.file}`,
        'require_certificate true',
      ],
      files: { 'cert.pem': server.cert, 'key.pem': server.key },
    });
    const url = secured.url.replace('mqtt:', 'mqtts:');
    const [certificate, key] = [join(folder, 'own.pem'), join(folder, 'own.key')];
    writeFileSync(certificate, own.cert);
    writeFileSync(key, own.key);
    const files = { authorities: house.file, certificate, key };
    await reason(
      connection(url, { files: { ...NO_FILES, authorities: house.file } }),
      /^the broker wants a client certificate$/,
    );
    await reason(
      connection(url, { files: { ...files, key: '' } }),
      /^a file cannot be read: .*belong together$/,
    );
    await connected(connection(url, { files }));
  });

  test('should say when another client uses its id, and not fight for it without an end', async () => {
    const house = await broker();
    const [one, other] = [new FakeClock(), new FakeClock()];
    const first = connection(house.url, { clock: one });
    await connected(first);
    const second = connection(house.url, { clock: other });
    // Each clock stands still, so a panel that was cut off comes back when its test says so.
    for (let round = 0; round < 3; round++) {
      await until(
        () => second.facts.state === 'connected' && first.facts.state !== 'connected',
        'the second',
      );
      await one.advance(30_000);
      await until(() => first.facts.state === 'connected' && second.facts.state !== 'connected', 'the first');
      await other.advance(30_000);
    }
    await until(() => first.facts.state !== 'connected', 'the end of the first');
    assert.equal(first.facts.reason, 'another client uses this id');
    assert.equal(second.facts.reason, 'another client uses this id');
    await first.stop();
    await other.advance(61_000);
    assert.deepEqual(second.facts, { state: 'connected', reason: null });
  });

  test('security: should say when the broker refuses what the panel tells', async () => {
    const house = await broker({
      conf: ['acl_file <folder>/acl'],
      files: { acl: 'topic readwrite other/#\n' },
    });
    const it = connection(house.url);
    await connected(it);
    await assert.rejects(it.publish('faceplate/panel1/state/led', 'x', { isRetained: true }));
    assert.match(it.facts.reason ?? '', /^the broker keeps messages from this panel: .*state\/led$/);
    assert.equal(it.facts.state, 'connected');
  });

  test('security: should shorten a message of 100 MB before it fills the memory, over 3.1.1 too', async () => {
    const house = await broker();
    for (const version of [5, 4] as const) {
      const old = kept(await OldBroker.open(house.port));
      const it = connection(version === 4 ? old.url : house.url);
      const heard: number[] = [];
      it.subscribe('big', ({ payload }) => void heard.push(payload.length));
      await connected(it);
      const listener = kept(await Listener.start(house.url));
      const before = process.memoryUsage().arrayBuffers;
      await listener.publish('big', Buffer.alloc(100 * 1024 * 1024));
      await listener.publish('big', 'small');
      await until(() => heard.at(-1) === 5, 'the small one after it', { limitMs: 60_000 });
      assert.ok(heard.length === 1 || (heard[0] ?? 0) < 2 * 1024 * 1024, String(heard));
      assert.equal(it.facts.state, 'connected');
      await listener.stop();
      assert.ok(process.memoryUsage().arrayBuffers - before < 250 * 1024 * 1024);
      await it.stop();
    }
  });
});
