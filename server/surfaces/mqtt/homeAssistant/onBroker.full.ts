import assert from 'node:assert/strict';
import { chmodSync } from 'node:fs';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { FaceplateProcess } from '../../../testing/faceplateProcess.ts';
import { Mosquitto } from '../../../testing/mosquitto.ts';
import { temporaryFolder } from '../../../testing/temporaryFolder.ts';
import { until } from '../../../testing/waiting.ts';
import { Listener } from '../testing/listener.ts';

const CONFIG = 'homeassistant/device/faceplate_hall/config';
const SLOW = { limitMs: 30_000, everyMs: 100 };

describe('Home Assistant on a real broker', () => {
  let broker: Mosquitto;
  let listener: Listener;
  let dataDir: string;
  let panel: FaceplateProcess;

  beforeEach(async () => {
    broker = await Mosquitto.start();
    listener = await Listener.start(broker.url);
    dataDir = temporaryFolder('ha');
    chmodSync(dataDir, 0o711);
  });
  afterEach(async () => {
    await panel.stop();
    await listener.stop();
    await broker.stop();
  });

  async function start(env: Record<string, string> = {}, kiosk = false): Promise<void> {
    const settings = {
      FACEPLATE_BOARD: 'simulated',
      FACEPLATE_MQTT_ID: 'hall',
      FACEPLATE_MQTT_URL: broker.url,
    };
    panel = new FaceplateProcess({ dataDir, kiosk, env: { ...settings, ...env } });
    await panel.start();
    await until(async () => (await kept('faceplate/hall/availability')) === 'online', 'the panel', SLOW);
  }
  async function call(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
    const headers = { authorization: `Bearer ${await panel.token()}`, 'content-type': 'application/json' };
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    return (await (await fetch(`${await panel.url}${path}`, init)).json()) as Record<string, unknown>;
  }
  const kept = async (topic: string): Promise<string> => (await listener.retained(topic))[topic] ?? '';
  const components = async () =>
    JSON.parse(await kept(CONFIG)).components as Record<string, Record<string, string>>;
  const level = async (pin: number) => (await call('POST', '/api/remote/gpio/read', { pin })).level;

  test('should announce the panel before it is online, with topics that hold its states', async () => {
    await listener.hear('#');
    await start();
    const topics = listener.received.map(({ topic }) => topic);
    const config = topics.indexOf(CONFIG);
    const online = listener.received.findIndex(({ text }) => text === 'online');
    assert.ok(config >= 0 && config < online, `${topics}`);
    const all = await components();
    const retained = await listener.retained('faceplate/hall/#');
    for (const [key, { platform, state_topic }] of Object.entries(all))
      if (state_topic !== undefined && platform !== 'event') assert.ok(retained[state_topic], key);
    assert.deepEqual(
      Object.keys(all)
        .filter((key) => /^(?:relay|input|edge)/.test(key))
        .toSorted(),
      ['edge1', 'edge2', 'input1', 'input2', 'relay1', 'relay2'],
    );
  });

  test('should carry out what is set, and show it', async () => {
    await start();
    await listener.publish(
      'faceplate/hall/set/led',
      '{"state":"ON","color":{"r":255,"g":120,"b":0},"brightness":128}',
    );
    const orange = '{"state":"ON","color_mode":"rgb","color":{"r":255,"g":120,"b":0},"brightness":128}';
    await until(async () => (await kept('faceplate/hall/entity/led')) === orange, 'the LED bar', SLOW);
    assert.deepEqual((await call('GET', '/api/remote/led/state')).state, {
      on: true,
      red: 128,
      green: 60,
      blue: 0,
    });
    await listener.publish('faceplate/hall/set/relay1', 'ON');
    await until(async () => (await level(2)) === 1, 'the relay', SLOW);
    // A command of this surface, in the journal too; and nothing is ever answered.
    const { entries } = (await call('GET', '/api/manage/journal?limit=1')) as {
      entries: { surface: string; command: string; caller: object }[];
    };
    const { surface, command, caller } = entries[0]!;
    const name = 'faceplate/hall/set/relay1';
    assert.deepEqual([surface, command], ['mqtt', 'gpio.write']);
    assert.deepEqual(caller, { id: 'mqtt', name, address: `127.0.0.1:${broker.port}` });
    assert.deepEqual(await listener.retained('faceplate/hall/result/#'), {});
  });

  test('should tell edges from outside as events, and not what the panel writes itself', async () => {
    await start();
    await listener.hear('faceplate/hall/entity/+');
    await call('POST', '/api/remote/gpio/write', { pin: 1, level: 1 });
    await call('POST', '/api/remote/simulate', { part: 'gpio', pin: 0, level: 1 });
    const { text, packet } = await listener.next('faceplate/hall/entity/edge1');
    assert.equal(text, '{"event_type":"high"}');
    assert.equal(packet.retain, false);
    assert.ok(!listener.received.some(({ topic }) => topic.endsWith('/edge2')));
  });

  test('security: should not carry out what the broker keeps', async () => {
    await listener.publish('faceplate/hall/set/relay2', 'ON', { retain: true });
    await start();
    await listener.publish('faceplate/hall/set/relay1', 'ON');
    await until(async () => (await level(2)) === 1, 'the relay', SLOW);
    assert.equal(await level(3), 0);
  });

  test('security: should offer and do nothing without scopes', async () => {
    await start({ FACEPLATE_MQTT_SCOPES: '[]' });
    const all = await components();
    for (const [key, { command_topic }] of Object.entries(all)) assert.equal(command_topic, undefined, key);
    await listener.publish('faceplate/hall/set/relay1', 'ON');
    await listener.publish('faceplate/hall/set/led', '{"state":"ON"}');
    await until(
      () => panel.output.split('payload for an entity refused').length === 3,
      'both lines of the log',
      SLOW,
    );
    assert.equal(await level(2), 0);
  });

  test('should announce itself anew when Home Assistant is back, and to a broker that lost everything', async () => {
    await start();
    await listener.publish(CONFIG, '', { retain: true });
    await listener.publish('homeassistant/status', 'online');
    await until(async () => (await kept(CONFIG)) !== '', 'the discovery', SLOW);
    await broker.kill();
    await listener.stop();
    await broker.start();
    listener = await Listener.start(broker.url);
    await until(async () => (await kept('faceplate/hall/availability')) === 'online', 'the panel', SLOW);
    assert.ok((await components()).led);
    assert.notEqual(await kept('faceplate/hall/entity/screen'), '');
  });

  test('should take back what goes with settings, also with a restart in between', async () => {
    await start();
    const device = await call('PATCH', '/api/manage/settings', { mqtt: { discovery: 'ha' } });
    assert.equal(device.code, undefined);
    const moved = CONFIG.replace('homeassistant', 'ha');
    await until(async () => (await kept(moved)) !== '', 'the other prefix', SLOW);
    assert.equal(await kept(CONFIG), '');
    await panel.stop();
    await start({ FACEPLATE_MQTT_SCOPES: '["view"]' });
    const all = JSON.parse(await kept(moved)).components as Record<string, object>;
    assert.deepEqual(all.led, { platform: 'light' });
    assert.deepEqual(all.siren, { platform: 'siren' });
    assert.equal(await kept('faceplate/hall/entity/led'), '');
    await call('PATCH', '/api/manage/settings', { mqtt: { discovery: '' } });
    await until(async () => (await kept(moved)) === '', 'no discovery', SLOW);
    await until(
      async () => Object.keys(await listener.retained('faceplate/hall/entity/#')).length === 0,
      'no states of entities',
      SLOW,
    );
  });

  test('should show the screen as a JPEG', async () => {
    await start({}, true);
    await listener.hear('faceplate/hall/entity/screenshot');
    const { packet } = await listener.next('faceplate/hall/entity/screenshot');
    const jpeg = Buffer.from(packet.payload);
    assert.deepEqual([...jpeg.subarray(0, 3)], [0xff, 0xd8, 0xff]);
    assert.ok(jpeg.length < 500_000, `${jpeg.length}`);
    const { screenshot } = await components();
    assert.equal(screenshot!.image_topic, 'faceplate/hall/entity/screenshot');
    assert.equal(screenshot!.content_type, 'image/jpeg');
  });
});
