import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { connectAsync } from 'mqtt';
import { commands } from '../../contract/commands.ts';
import { systemClock } from '../../platform/clock.ts';
import { StrangersLog } from '../../platform/limits.ts';
import { silentLogger } from '../../platform/log.ts';
import { Mosquitto } from '../../testing/mosquitto.ts';
import { timeToGoWrong, until } from '../../testing/waiting.ts';
import { Commands } from './commands.ts';
import { BrokerPanel } from './testing/brokerPanel.ts';
import { Listener } from './testing/listener.ts';
import { OldBroker } from './testing/oldBroker.ts';
import type { BrokerLink, BrokerMessage } from './types.ts';

/** Long enough for a message to pass the broker, for tests that nothing comes. */
const QUIET_MS = 300;

describe('commands on the broker', () => {
  let broker: Mosquitto;
  let listener: Listener;
  const open: { stop(): Promise<unknown> }[] = [];
  beforeEach(async () => {
    broker = await Mosquitto.start();
    listener = await Listener.start(broker.url);
    open.push(broker, listener);
    await listener.hear('answers/#');
    await listener.hear('faceplate/+/result/#');
  });
  afterEach(async () => {
    for (const thing of open.splice(0).reverse()) await thing.stop();
  });

  async function panel(
    options: Omit<Parameters<typeof BrokerPanel.start>[0], 'settings'> & { settings?: object } = {},
  ) {
    const it = await BrokerPanel.start({ ...options, settings: { url: broker.url, ...options.settings } });
    open.push(it);
    return it;
  }
  const answer = async (topic: string): Promise<{ code?: string; status?: string; error?: string }> =>
    JSON.parse((await listener.next(topic)).text);

  test('should answer at the response topic with its correlation data, else below result', async () => {
    await panel();
    await listener.publish('faceplate/hall/command/led.state', '', {
      responseTopic: 'answers/1',
      correlation: 'a',
    });
    const { packet, text } = await listener.next('answers/1');
    assert.equal(JSON.parse(text).status, 'ok');
    assert.equal(packet.properties?.correlationData?.toString(), 'a');
    assert.equal(packet.properties?.userProperties?.panel, 'hall');
    assert.equal(packet.qos, 1);
    assert.equal(packet.retain, false);
    await listener.publish('faceplate/hall/command/led.state', '{}', { correlation: 'b' });
    const other = await listener.next('faceplate/hall/result/led.state');
    assert.equal(other.packet.properties?.correlationData?.toString(), 'b');
    // MQTT 3.1.1 knows no response topic.
    const old = await Listener.start(broker.url, 4);
    open.push(old);
    await old.publish('faceplate/hall/command/led.state', '{}');
    assert.equal((await answer('faceplate/hall/result/led.state')).status, 'ok');
  });

  test("should answer on a broker of MQTT 3.1.1 at the panel's own topic", async () => {
    const old = await OldBroker.open(broker.port);
    open.push(old);
    await panel({ settings: { url: old.url } });
    await listener.publish('faceplate/hall/command/led.state', '{}', { responseTopic: 'answers/1' });
    assert.equal((await answer('faceplate/hall/result/led.state')).status, 'ok');
    // The broker keeps it a moment after it has passed on the answer.
    await until(async () => {
      const found = await listener.retained('faceplate/hall/availability');
      return found['faceplate/hall/availability'] === 'online';
    }, 'the availability');
  });

  test('should carry out what is said to a group, each panel by itself, and tell the service so', async () => {
    const one: unknown[] = [];
    const handlers = {
      'led.on': (_: never, { isOneOfMany }: { isOneOfMany?: boolean }) => {
        one.push(isOneOfMany);
        return { status: 'ok', state: { on: true, red: 0, green: 0, blue: 0 } };
      },
    };
    await panel({ handlers, settings: { groups: ['ground', 'all'] } });
    await panel({ handlers, settings: { id: 'lobby', groups: ['all'] } });
    await panel({ handlers, settings: { id: 'attic' } });
    await listener.publish('faceplate/group/all/command/led.on', '{"on":true}');
    assert.equal((await answer('faceplate/hall/result/led.on')).status, 'ok');
    assert.equal((await answer('faceplate/lobby/result/led.on')).status, 'ok');
    await listener.publish('faceplate/hall/command/led.on', '{"on":true}');
    await answer('faceplate/hall/result/led.on');
    assert.deepEqual(one, [true, true, false]);
    assert.deepEqual(listener.received, []);
  });

  test('should say in the journal who asked, and from where', async () => {
    const it = await panel({
      handlers: { 'led.on': () => ({ status: 'ok', state: { on: true, red: 0, green: 0, blue: 0 } }) },
    });
    await listener.publish('faceplate/hall/command/led.on', '{"on":true}');
    await answer('faceplate/hall/result/led.on');
    const [note] = it.notes;
    assert.deepEqual(
      { ...note, ms: 0 },
      {
        command: 'led.on',
        surface: 'mqtt',
        caller: { id: 'mqtt', name: 'faceplate/hall/command/led.on', address: `127.0.0.1:${broker.port}` },
        params: { on: true },
        code: 'OK',
        ms: 0,
        isStranger: false,
      },
    );
  });

  test('should refuse wrong JSON, unknown commands and fields, and what is too large', async () => {
    await panel();
    const refused = async (name: string, payload: string | Buffer) => {
      await listener.publish(`faceplate/hall/command/${name}`, payload);
      const { code, error } = await answer(`faceplate/hall/result/${name}`);
      assert.equal(typeof error, 'string');
      return code;
    };
    assert.equal(await refused('led.on', '{"on":'), 'INVALID_REQUEST');
    assert.equal(await refused('led.on', '{"on":1}'), 'INVALID_REQUEST');
    assert.equal(await refused('led.state', 'null'), 'INVALID_REQUEST');
    assert.equal(await refused('led.state', '{"__proto__":{"x":1}}'), 'INVALID_REQUEST');
    assert.equal(await refused('led.state', Buffer.from([0xff, 0xfe])), 'INVALID_REQUEST');
    assert.equal(await refused('led.nonsense', '{}'), 'NOT_FOUND');
    assert.equal(await refused('toString', '{}'), 'NOT_FOUND');
    assert.equal(await refused('led.state', Buffer.alloc(1024 * 1024 + 1, 32)), 'TOO_LARGE');
    const fits = Buffer.alloc(1024 * 1024, 32);
    fits.write('{}');
    await listener.publish('faceplate/hall/command/led.state', fits);
    assert.equal((await answer('faceplate/hall/result/led.state')).status, 'ok');
  });

  test('security: should give a caller on the broker what mqtt.scopes hold and nothing else', async () => {
    const must = () => assert.fail('must not run');
    const handlers = Object.fromEntries(
      ['terminal.exec', 'system.reboot', 'intercom.door', 'token.create', 'settings.change'].map((name) => [
        name,
        must,
      ]),
    );
    const it = await panel({ handlers });
    const code = async (name: string, params = '{}') => {
      await listener.publish(`faceplate/hall/command/${name}`, params);
      return (await answer(`faceplate/hall/result/${name}`)).code;
    };
    assert.equal(await code('terminal.exec', '{"command":"id"}'), 'FORBIDDEN');
    assert.equal(await code('system.reboot'), 'FORBIDDEN');
    assert.equal(await code('intercom.door'), 'FORBIDDEN');
    assert.equal(await code('settings.change', '{"terminal":{"enabled":true}}'), 'FORBIDDEN');
    assert.equal(await code('token.create', '{"name":"x","scopes":["view"]}'), 'NOT_FOUND');
    await it.change({ scopes: [] });
    assert.equal(await code('led.state'), 'FORBIDDEN');
    assert.equal(await code('system.info'), 'FORBIDDEN');
  });

  test('security: should refuse a stranger before its parameters are read, and write that down without them', async () => {
    const it = await panel({ settings: { scopes: [] } });
    for (const payload of ['{"on":', Buffer.alloc(1024 * 1024 + 1, 32)]) {
      await listener.publish('faceplate/hall/command/led.on', payload);
      assert.equal((await answer('faceplate/hall/result/led.on')).code, 'FORBIDDEN');
    }
    const told = it.notes.map(({ command, params, code, isStranger, caller }) => ({
      ...{ command, params, code, isStranger },
      address: caller.address,
    }));
    const note = { command: 'led.on', params: {}, code: 'FORBIDDEN', isStranger: true };
    assert.deepEqual(told, Array(2).fill({ ...note, address: `127.0.0.1:${broker.port}` }));
  });

  test('security: should leave out a refusal, and no other answer, while many messages wait for the broker', async () => {
    const published: string[] = [];
    let heard: (message: BrokerMessage) => unknown = () => {};
    const link: BrokerLink = {
      ...{ isConnected: true, isVersion5: true, isBehind: true, address: '' },
      publish: async (topic, payload) => void published.push(`${topic} ${payload}`),
      subscribe: (_, listener) => {
        heard = listener;
        return () => {};
      },
      onConnected: () => () => {},
    };
    const refused: string[] = [];
    const it = new Commands({
      link,
      names: { prefix: 'p', id: 'hall', groups: [], discovery: '' },
      scopes: ['view'],
      dispatch: async () => ({ status: 'ok' }),
      noteRefused: (name) => refused.push(name),
      clock: systemClock,
      strangers: new StrangersLog(silentLogger()),
      log: silentLogger(),
    });
    it.start();
    for (const name of ['led.on', 'led.nonsense', 'led.state'])
      heard({ topic: `p/hall/command/${name}`, payload: Buffer.from('{}'), isRetained: false });
    await it.stop();
    assert.deepEqual(published, ['p/hall/result/led.state {"status":"ok"}']);
    assert.deepEqual(refused, ['led.on']);
  });

  test('security: should offer on the broker only commands that declare it, none with a file or a stream', () => {
    const offered = Object.entries(commands).filter(([, { access }]) => access.mqtt !== undefined);
    for (const [name, { http, access }] of offered) {
      assert.ok(access.scope !== undefined && access.scope !== 'owner', name);
      assert.ok(http?.upload === undefined && http?.answer === undefined && http?.socket === undefined, name);
    }
    const names = offered.map(([name]) => name);
    for (const closed of [
      'token.create',
      'token.list',
      'pairing.start',
      'pairing.finish',
      'backup.create',
      'backup.restore',
      'panel.reset',
      'page.evaluate',
      'projects.install',
      'fleet.rollout',
      'network.change',
      'settings.read',
    ])
      assert.ok(!names.includes(closed), closed);
  });

  test('security: should drop retained commands, more levels, and repeats within a minute', async () => {
    let runs = 0;
    const handlers = {
      'led.state': () => {
        runs++;
        return { status: 'ok', state: { on: true, red: 0, green: 0, blue: 0 } };
      },
    };
    await listener.publish('faceplate/hall/command/led.state', '{}', { retain: true });
    await panel({ handlers });
    await listener.publish('faceplate/hall/command/led.state/more', '{}');
    await listener.publish('faceplate/hall/command', '{}');
    for (let time = 0; time < 3; time++)
      await listener.publish('faceplate/hall/command/led.state', '{}', { correlation: 'same' });
    await answer('faceplate/hall/result/led.state');
    // Another response topic, or no correlation data: not a repeat.
    await listener.publish('faceplate/hall/command/led.state', '{}', {
      correlation: 'same',
      responseTopic: 'answers/2',
    });
    await answer('answers/2');
    await listener.publish('faceplate/hall/command/led.state', '{}');
    await answer('faceplate/hall/result/led.state');
    await timeToGoWrong(QUIET_MS);
    assert.equal(runs, 3);
    // A live one counts, also when it asks the broker to keep it.
    await listener.publish('faceplate/hall/command/led.state', '{}', { retain: true });
    await answer('faceplate/hall/result/led.state');
    assert.equal(runs, 4);
  });

  test('security: should not be made to write where others take it for a command', async () => {
    await panel();
    await listener.hear('#');
    for (const responseTopic of [
      'faceplate/lobby/command/led.on',
      'faceplate/hall/state/led',
      'faceplate',
      'homeassistant/device/x/config',
      'homeassistant/status',
    ])
      await listener.publish('faceplate/hall/command/led.state', '{}', { responseTopic });
    await listener.publish('faceplate/hall/command/led.state', '{}', {
      responseTopic: 'faceplate/lobby/reply/1',
    });
    await listener.next('faceplate/lobby/reply/1');
    const topics = new Set(listener.received.map(({ topic }) => topic));
    for (const topic of topics)
      assert.match(topic, /^faceplate\/hall\/(?:command|availability|state)/, topic);
    assert.ok(
      !listener.received.some(
        ({ topic, text }) => topic === 'faceplate/hall/state/led' && text.includes('status'),
      ),
    );
  });

  test('should carry out what the broker kept for it meanwhile, once', async () => {
    let runs = 0;
    const handlers = {
      'led.state': () => {
        runs++;
        return { status: 'ok', state: { on: true, red: 0, green: 0, blue: 0 } };
      },
    };
    const first = await panel({ handlers });
    // A second client of the same id takes over, so that the panel is away without having left.
    const thief = await connectAsync(broker.url, {
      clientId: 'faceplate-hall',
      protocolVersion: 5,
      clean: false,
      reconnectPeriod: 0,
      properties: { sessionExpiryInterval: 60 },
    });
    await until(() => first.surface.facts().state !== 'connected', 'the thief');
    thief.end(true);
    await listener.publish('faceplate/hall/command/led.state', '{}');
    await first.connected();
    assert.equal((await answer('faceplate/hall/result/led.state')).status, 'ok');
    await timeToGoWrong(QUIET_MS);
    assert.equal(runs, 1);
  });

  test('security: should answer 10,000 commands in a burst, and stop to read at 1,000 under way', async () => {
    let most = 0;
    let now = 0;
    const waiting: (() => void)[] = [];
    const state = { on: true, red: 0, green: 0, blue: 0 };
    let isHeld = true;
    const handlers = {
      'led.state': async (_params: unknown, { signal }: { signal: AbortSignal }) => {
        most = Math.max(most, ++now);
        // On a busy machine the first ones are over by their time limit, and others under way, before the last ones come.
        if (isHeld)
          await new Promise<void>((resolve) => {
            waiting.push(resolve);
            signal.addEventListener('abort', () => resolve());
          });
        now--;
        return { status: 'ok', state };
      },
    };
    await panel({ handlers });
    const all = Array.from({ length: 10_000 }, (_, i) =>
      listener.publish('faceplate/hall/command/led.state', '{}', {
        responseTopic: 'answers/n',
        correlation: `${i}`,
      }),
    );
    await until(() => now >= 1_000, '1,000 under way');
    await timeToGoWrong(QUIET_MS);
    assert.ok(most <= 1_010, String(most));
    isHeld = false;
    for (const end of waiting) end();
    await Promise.all(all);
    await until(() => listener.received.length === 10_000, 'all answers', { limitMs: 120_000, everyMs: 50 });
    const correlations = new Set(
      listener.received.map(({ packet }) => packet.properties?.correlationData?.toString()),
    );
    assert.equal(correlations.size, 10_000);
  });
});
