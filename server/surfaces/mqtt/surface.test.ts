import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { FaceplateProcess } from '../../testing/faceplateProcess.ts';
import { Mosquitto } from '../../testing/mosquitto.ts';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { until } from '../../testing/waiting.ts';
import { Listener } from './testing/listener.ts';

describe('the panel on a broker', () => {
  const open: { stop(): Promise<unknown> }[] = [];
  afterEach(async () => {
    for (const thing of open.splice(0).reverse()) await thing.stop();
  });

  function kept<T extends { stop(): Promise<unknown> }>(thing: T): T {
    open.push(thing);
    return thing;
  }

  async function panel(env: Record<string, string>, dataDir?: string): Promise<FaceplateProcess> {
    const it = kept(
      new FaceplateProcess({
        env: { FACEPLATE_BOARD: 'simulated', FACEPLATE_MQTT_ID: 'hall', ...env },
        ...(dataDir !== undefined && { dataDir }),
      }),
    );
    await it.start();
    return it;
  }
  async function call(it: FaceplateProcess, method: string, path: string, body?: object) {
    const headers = { authorization: `Bearer ${await it.token()}`, 'content-type': 'application/json' };
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    return (await fetch(`${await it.url}${path}`, init)).json() as Promise<Record<string, unknown>>;
  }
  async function house(): Promise<{ broker: Mosquitto; listener: Listener }> {
    const broker = kept(await Mosquitto.start());
    return { broker, listener: kept(await Listener.start(broker.url)) };
  }
  const stateOf = async (listener: Listener, name: string): Promise<string> => {
    const topic = `faceplate/hall/${name}`;
    return (await listener.retained(topic))[topic] ?? '';
  };
  const stands = (listener: Listener, name: string, wanted: RegExp) =>
    until(async () => wanted.test(await stateOf(listener, name)), `${name} ${wanted}`, { everyMs: 100 });

  test('should come and go by its settings, tell its states, and leave in order', async () => {
    const { broker, listener } = await house();
    const it = await panel({});
    assert.deepEqual((await call(it, 'GET', '/api/remote/info')).mqtt, {
      state: 'off',
      reason: null,
      id: 'hall',
      groups: [],
      entities: null,
    });
    await call(it, 'PATCH', '/api/manage/settings', { mqtt: { url: broker.url, groups: ['ground'] } });
    await stands(listener, 'availability', /^online$/);
    const { entities, ...connection } = (await call(it, 'GET', '/api/remote/info')).mqtt as Record<
      string,
      unknown
    >;
    assert.deepEqual(connection, { state: 'connected', reason: null, id: 'hall', groups: ['ground'] });
    assert.ok(Number(entities) > 10, `${entities} entities`);
    const base = 'faceplate/hall/state/';
    const parts = Object.keys(await listener.retained(`${base}#`)).map((topic) => topic.slice(base.length));
    const pins = ['gpio/0', 'gpio/1', 'gpio/2', 'gpio/3'];
    assert.deepEqual(parts.sort(), [
      'climate',
      'display',
      ...pins,
      'health',
      'info',
      'led',
      'power',
      'projects',
      'rtc',
      'update',
    ]);
    for (const [part, path] of [
      ['display', '/api/remote/display'],
      ['rtc', '/api/remote/rtc/alarm'],
      ['projects', '/api/manage/projects'],
      ['update', '/api/manage/update'],
    ] as const)
      assert.deepEqual(JSON.parse(await stateOf(listener, `state/${part}`)), await call(it, 'GET', path));
    // A call over HTTP is a state on the broker, a command on the broker a state over HTTP.
    await call(it, 'POST', '/api/remote/led/color', { red: 1, green: 2, blue: 3 });
    await stands(listener, 'state/led', /"red":1,"green":2,"blue":3/);
    await listener.hear('faceplate/hall/#');
    await listener.publish('faceplate/hall/command/led.color', '{"red":7,"green":8,"blue":9}');
    assert.equal(JSON.parse((await listener.next('faceplate/hall/result/led.color')).text).status, 'ok');
    await call(it, 'POST', '/api/remote/simulate', { part: 'button', name: 'Bell', state: 'down' });
    const button = await listener.next('faceplate/hall/event/button');
    assert.deepEqual(JSON.parse(button.text), { name: 'Bell', state: 'down' });
    await call(it, 'POST', '/api/remote/simulate', { part: 'scan', name: 'Reader', text: '04A2' });
    const scan = await listener.next('faceplate/hall/event/scan');
    assert.deepEqual(JSON.parse(scan.text), { name: 'Reader', text: '04A2' });
    await call(it, 'POST', '/api/remote/simulate', { part: 'climate', temperature: 19.04, humidity: null });
    await stands(listener, 'state/climate', /^{"temperature":19,"humidity":null}$/);
    assert.equal((await call(it, 'GET', '/api/remote/climate')).temperature, 19);
    const { state } = await call(it, 'GET', '/api/remote/led/state');
    assert.equal((state as { red: number }).red, 7);
    // An edge from outside is an input, what the panel writes is none.
    await call(it, 'POST', '/api/remote/gpio/write', { pin: 1, level: 1 });
    await listener.publish('faceplate/hall/command/gpio.write', '{"pin":1,"level":0}');
    await listener.next('faceplate/hall/result/gpio.write');
    await call(it, 'POST', '/api/remote/simulate', { part: 'gpio', pin: 0, level: 1 });
    const edge = await listener.next('faceplate/hall/event/input');
    assert.deepEqual(JSON.parse(edge.text), { pin: 0, level: 1 });
    assert.ok(!listener.received.some(({ topic }) => topic === 'faceplate/hall/event/input'));
    // Its settings by the broker itself: the answer comes before the panel connects anew.
    await call(it, 'PATCH', '/api/manage/settings', { mqtt: { scopes: ['view', 'control', 'manage'] } });
    await stands(listener, 'availability', /^online$/);
    await listener.publish('faceplate/hall/command/settings.change', '{"mqtt":{"groups":["attic"]}}');
    const answer = JSON.parse((await listener.next('faceplate/hall/result/settings.change')).text);
    assert.deepEqual(answer.settings['mqtt.groups'].value, ['attic']);
    await stands(listener, 'availability', /^online$/);
    const { entries } = (await call(it, 'GET', '/api/manage/journal')) as {
      entries: { command: string; surface: string; caller: { name: string } }[];
    };
    const noted = entries.find(({ command, surface }) => command === 'led.color' && surface === 'mqtt');
    assert.equal(noted?.caller.name, 'faceplate/hall/command/led.color');
    const { left } = await it.stop();
    assert.deepEqual(left, []);
    assert.equal(await stateOf(listener, 'availability'), 'offline');
  });

  test('security: should change nothing for a member of the broker that lets code or a person in', async () => {
    const { broker, listener } = await house();
    const it = await panel({ FACEPLATE_MQTT_URL: broker.url, FACEPLATE_MQTT_ID: 'hall' });
    await call(it, 'PATCH', '/api/manage/settings', { mqtt: { scopes: ['view', 'control', 'manage'] } });
    await stands(listener, 'availability', /^online$/);
    await listener.hear('faceplate/hall/result/#');
    for (const [field, change] of Object.entries({
      'mqtt.scopes': { mqtt: { scopes: ['view'] } },
      'kiosk.pin': { kiosk: { pin: '2580' } },
      'kiosk.browserArguments': {
        kiosk: { browserArguments: ['--alsa-output-device=file:FILE=|id,FORMAT=raw'] },
      },
      'bridge.origins': { bridge: { origins: ['http://a.lan'] } },
      'http.allowedOrigins': { idle: { dimTo: 5 }, http: { allowedOrigins: null } },
    })) {
      await listener.publish('faceplate/hall/command/settings.change', JSON.stringify(change));
      const refusal = JSON.parse((await listener.next('faceplate/hall/result/settings.change')).text);
      assert.deepEqual([refusal.code, refusal.field], ['FORBIDDEN', field]);
    }
    const { settings } = (await call(it, 'GET', '/api/manage/settings')) as {
      settings: Record<string, { source: string }>;
    };
    assert.equal(settings['idle.dimTo']?.source, 'default');
  });

  test('should be offline a few seconds after it was killed, and online when it is back', async () => {
    const { broker, listener } = await house();
    const dataDir = temporaryFolder('data');
    const it = await panel({ FACEPLATE_MQTT_URL: broker.url }, dataDir);
    await stands(listener, 'availability', /^online$/);
    await it.stop('SIGKILL');
    assert.equal(await stateOf(listener, 'availability'), 'online');
    await stands(listener, 'availability', /^offline$/);
    await panel({ FACEPLATE_MQTT_URL: broker.url }, dataDir);
    await stands(listener, 'availability', /^online$/);
  });
});
