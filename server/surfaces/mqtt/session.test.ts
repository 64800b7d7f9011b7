import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { Mosquitto } from '../../testing/mosquitto.ts';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { timeToGoWrong, until } from '../../testing/waiting.ts';
import { BrokerPanel } from './testing/brokerPanel.ts';
import { Listener } from './testing/listener.ts';

/** Long enough for a message to pass the broker, for tests that nothing comes. */
const QUIET_MS = 300;
const PARTS = [
  'availability',
  'state/gpio/0',
  'state/health',
  'state/info',
  'state/led',
  'state/power',
  'state/projects',
];

describe('the panel on a broker, with its settings', () => {
  let broker: Mosquitto;
  let listener: Listener;
  let dataDir: string;
  const open: { stop(): Promise<unknown> }[] = [];
  beforeEach(async () => {
    broker = await Mosquitto.start();
    listener = await Listener.start(broker.url);
    dataDir = temporaryFolder('mqtt');
    open.push(broker, listener);
  });
  afterEach(async () => {
    for (const thing of open.splice(0).reverse()) await thing.stop();
  });

  async function panel(
    settings: object = {},
    options: Omit<Parameters<typeof BrokerPanel.start>[0], 'settings'> = {},
  ): Promise<BrokerPanel> {
    const it = await BrokerPanel.start({ dataDir, ...options, settings: { url: broker.url, ...settings } });
    open.push(it);
    return it;
  }
  /** Waits for what the broker keeps; topics below the prefix. */
  async function retained(
    expected: readonly string[],
    below = 'faceplate/hall/',
  ): Promise<Record<string, string>> {
    let found: Record<string, string> = {};
    await until(
      async () => {
        found = await listener.retained('#');
        return Object.keys(found).sort().join() === expected.map((name) => below + name).join();
      },
      'the topics',
      { everyMs: 50 },
    ).catch(() =>
      assert.deepEqual(
        Object.keys(found).sort(),
        expected.map((name) => below + name),
      ),
    );
    return found;
  }

  test('should tell its states after each connection, and online last', async () => {
    await listener.hear('#');
    const it = await panel();
    await listener.next('faceplate/hall/availability');
    const order = listener.received.map(({ topic }) => topic);
    assert.ok(order.includes('faceplate/hall/state/led'), String(order));
    const found = await retained(PARTS);
    assert.equal(found['faceplate/hall/availability'], 'online');
    assert.deepEqual(JSON.parse(found['faceplate/hall/state/gpio/0']!), { pin: 0, level: 0 });
    // A broker that lost all it kept gets it again.
    await broker.kill('SIGKILL');
    await until(() => it.surface.facts().state === 'connecting', 'the loss');
    it.bus.emit('led', { on: false, red: 9, green: 9, blue: 9 });
    it.state = { ...it.state, led: { on: false, red: 9, green: 9, blue: 9 } };
    await broker.start();
    listener = await Listener.start(broker.url);
    open.push(listener);
    const again = await retained(PARTS);
    assert.match(again['faceplate/hall/state/led']!, /"red":9/);
  });

  test('should send a part at most ten times a second, and its last state always', async () => {
    const it = await panel();
    await retained(PARTS);
    await listener.hear('faceplate/hall/state/led');
    listener.received.splice(0);
    const started = performance.now();
    for (let red = 0; red < 200; red++) {
      it.bus.emit('led', { on: true, red, green: 0, blue: 0 });
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    const took = performance.now() - started;
    await until(() => listener.received.at(-1)?.text.includes('"red":199') === true, 'the last state');
    assert.ok(listener.received.length <= took / 100 + 3, `${listener.received.length} in ${took} ms`);
    // The same again is no change.
    const before = listener.received.length;
    it.bus.emit('led', { on: true, red: 199, green: 0, blue: 0 });
    await timeToGoWrong(QUIET_MS);
    assert.equal(listener.received.length, before);
  });

  test('should say offline before it leaves', async () => {
    const it = await panel();
    await retained(PARTS);
    await it.surface.stop();
    assert.equal((await retained(PARTS))['faceplate/hall/availability'], 'offline');
  });

  test('should empty what it had under another id or prefix, at once and after a restart', async () => {
    const it = await panel();
    await retained(PARTS);
    await it.change({ id: 'lobby' });
    await retained(PARTS, 'faceplate/lobby/');
    await it.change({ prefix: 'house/panels' });
    await retained(PARTS, 'house/panels/lobby/');
    await it.stop();
    await panel({ id: 'attic' });
    await retained(PARTS, 'faceplate/attic/');
  });

  test('should empty the topic of a part that is gone after a restart', async () => {
    const it = await panel();
    await retained(PARTS);
    await it.stop();
    const { led: _, ...rest } = it.state;
    const next = await BrokerPanel.start({
      dataDir,
      settings: { url: broker.url },
      state: { ...rest, gpio: [] },
    });
    open.push(next);
    await retained(PARTS.filter((part) => part !== 'state/led' && part !== 'state/gpio/0'));
  });

  test('should leave one broker and go to another when its address changes', async () => {
    const other = await Mosquitto.start();
    open.push(other);
    const it = await panel();
    await retained(PARTS);
    await it.change({ url: other.url });
    await retained([]);
    const there = await Listener.start(other.url);
    open.push(there);
    await until(
      async () => Object.keys(await there.retained('#')).length === PARTS.length,
      'the states there',
      {
        everyMs: 50,
      },
    );
    await it.change({ url: '' });
    assert.deepEqual(it.surface.facts(), { state: 'off', reason: null });
  });

  test('should tell what happens, never retained, and inputs that it did not write', async () => {
    const it = await panel();
    await listener.hear('faceplate/hall/event/#');
    await retained(PARTS);
    it.bus.emit('message', { id: 'm', action: 'shown' });
    it.bus.emit('gpio', { pin: 0, level: 1 });
    it.input({ pin: 0, level: 1 });
    assert.deepEqual(JSON.parse((await listener.next('faceplate/hall/event/message')).text), {
      id: 'm',
      action: 'shown',
    });
    const { packet, text } = await listener.next('faceplate/hall/event/input');
    assert.deepEqual(JSON.parse(text), { pin: 0, level: 1 });
    assert.equal(packet.retain, false);
    assert.deepEqual(listener.received, []);
  });

  test('should say that commands do not reach it', async () => {
    const closed = 'topic readwrite faceplate/hall/state/#\ntopic write faceplate/hall/#\n';
    const strict = await Mosquitto.start({ conf: ['acl_file <folder>/acl'], files: { acl: closed } });
    open.push(strict);
    const it = await panel({ url: strict.url });
    await until(() => it.surface.facts().reason !== null, 'the reason');
    assert.match(
      it.surface.facts().reason ?? '',
      /^the broker keeps messages from this panel: .*command\/self/,
    );
    assert.equal(it.surface.facts().state, 'connected');
  });

  test('should let Home Assistant announce between what is emptied and the states', async () => {
    const order: string[] = [];
    await listener.hear('#');
    const it = await panel(
      {},
      {
        homeAssistant: ({ link, names, remembered }) => ({
          entities: 0,
          start: () => order.push(`start ${names.discovery}`),
          announce: async () => {
            order.push(`announce ${remembered().length}`);
            await link.publish('homeassistant/device/faceplate_hall/config', '{}', { isRetained: true });
          },
          stop: async () => void order.push('stop'),
        }),
      },
    );
    await listener.next('homeassistant/device/faceplate_hall/config');
    await listener.next('faceplate/hall/availability');
    assert.deepEqual(order, ['start homeassistant', 'announce 0']);
    // Discovery switched off: its topic goes.
    await it.change({ discovery: '' });
    await retained(PARTS);
    assert.equal(order.at(-1), 'stop');
  });
});
