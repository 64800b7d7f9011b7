import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { FaceplateError } from '../../../contract/errors.ts';
import { until } from '../../../testing/waiting.ts';
import { House } from './testing/house.ts';

const TOPIC = 'homeassistant/device/faceplate_p1/config';

/** Every key that the contract names, for a panel with everything, in the order of the message. */
const ALL_KEYS = [
  'led screen page project url message reload home screenshot title volume mute speak siren',
  'relay1 relay2 input1 edge1 input2 edge2 button_bell button_light scan_door room_temperature humidity',
  'dnd door_front door_haustur ring call in_use idle version load memory address temperature reboot update camera_hof_motion camera_hof_visitor',
]
  .join(' ')
  .split(' ');

describe('the discovery of Home Assistant', () => {
  let house: House;

  beforeEach(() => {
    house = new House();
  });
  afterEach(() => house[Symbol.asyncDispose]());

  const components = () => house.discovery!.components;
  const keys = () =>
    Object.entries(components())
      .filter(([, { unique_id }]) => unique_id !== undefined)
      .map(([key]) => key);
  const removed = () =>
    Object.fromEntries(Object.entries(components()).filter(([, { unique_id }]) => unique_id === undefined));

  test('should announce one device with everything that the panel has', async () => {
    await house.start();
    assert.deepEqual(keys(), ALL_KEYS);
    assert.deepEqual(house.discovery!.device, {
      identifiers: ['faceplate_p1'],
      name: 'Küche',
      manufacturer: 'Faceplate',
      model: 'simulated',
      serial_number: '0123456789ab',
      sw_version: '1.2.3',
      configuration_url: 'https://192.168.1.20:8443/manage/',
    });
    for (const [key, { platform, unique_id, object_id, default_entity_id, name }] of Object.entries(
      components(),
    )) {
      assert.equal(unique_id, `faceplate_p1_${key}`);
      assert.equal(default_entity_id, `${platform}.kuche_${key}`);
      // Home Assistant before 2025.10 knows this one alone.
      assert.equal(object_id, `kuche_${key}`);
      assert.doesNotMatch(String(name), /Küche|#/);
    }
  });

  test('should use no abbreviation and no key that refuses the whole message', async () => {
    await house.start();
    const { components: all, ...top } = house.discovery! as unknown as Record<string, unknown>;
    assert.deepEqual(Object.keys(top), ['device', 'origin', 'availability_topic', 'qos']);
    assert.equal(top.availability_topic, 'faceplate/p1/availability');
    for (const component of Object.values(all as object))
      for (const key of Object.keys(component)) assert.match(key, /^[a-z]{3,}(?:_[a-z]+)*$|^min$|^max$/);
  });

  test('should say where each state stands', async () => {
    await house.start();
    for (const [key, { platform, state_topic, image_topic }] of Object.entries(components())) {
      if (platform === 'button' || platform === 'notify') continue;
      const topic = String(state_topic ?? image_topic);
      assert.match(topic, /^faceplate\/p1\/(?:state|entity)\//, key);
      const kept = house.link.retained.has(topic) || platform === 'event' || platform === 'image';
      if (topic.includes('/entity/')) assert.ok(kept, key);
    }
  });

  test('should announce infrared in messages of its own, and take them back', async () => {
    await house.start();
    const topic = (port: string) => `homeassistant/infrared/faceplate_p1/${port}/config`;
    const message = (port: string) =>
      JSON.parse(house.link.retained.get(topic(port))!) as Record<string, unknown>;
    const emitter = message('IR1');
    assert.deepEqual(
      [emitter.schema, emitter.command_topic, emitter.unique_id, emitter.platform],
      ['emitter', 'faceplate/p1/set/ir_ir1', 'faceplate_p1_ir_ir1', undefined],
    );
    assert.deepEqual(emitter.device, house.discovery!.device);
    assert.deepEqual(
      [message('IR_IN').schema, message('IR_IN').state_topic],
      ['receiver', 'faceplate/p1/entity/ir_ir_in'],
    );
    assert.ok(!Object.keys(components()).some((key) => key.startsWith('ir_')));
    house.events.emit('ir', { port: 'IR IN', timings: [900, 450, 900], code: null });
    await until(
      () => house.link.published.some((each) => each.topic.endsWith('/entity/ir_ir_in')),
      'the frame',
    );
    const heard = house.link.published.find((each) => each.topic.endsWith('/entity/ir_ir_in'));
    assert.deepEqual([heard?.payload, heard?.isRetained], ['{"timings":[900,-450,900]}', false]);
    house.now = { ...house.now, ir: [] };
    await house.start();
    assert.deepEqual(
      [...house.link.retained.keys()].filter((each) => each.includes('/infrared/')),
      [],
    );
  });

  test('should leave out what the panel lacks', async () => {
    house.now = {
      ...house.now,
      led: undefined,
      pins: [],
      cameras: [],
      display: { ...house.now.display, brightness: null, volume: null },
      page: undefined,
      projects: [],
      hasSound: false,
      hasTemperature: false,
      climate: { temperature: false, humidity: false },
      buttons: [],
      readers: [],
      ir: [],
      canReboot: false,
      hasUpdates: false,
      intercom: undefined,
    };
    await house.start();
    assert.deepEqual(keys().toSorted(), ['address', 'idle', 'in_use', 'load', 'memory', 'screen', 'version']);
    assert.deepEqual(components().screen!.supported_color_modes, ['onoff']);
    assert.equal(house.state('screen'), '{"state":"ON","color_mode":"onoff"}');
  });

  test('should leave out selects without a choice', async () => {
    house.now = { ...house.now, pages: [], projects: [] };
    await house.start();
    assert.ok(!keys().includes('page') && !keys().includes('project'));
  });

  test('security: should offer only what callers on the broker may do', async () => {
    house.scopes = ['view', 'control'];
    await house.start();
    const missing = ALL_KEYS.filter((key) => !keys().includes(key));
    assert.deepEqual(missing, ['project', 'door_front', 'door_haustur', 'reboot']);
    // It shows the versions to everyone.
    assert.equal(components().update!.command_topic, undefined);
    assert.equal(components().update!.payload_install, undefined);
    house.scopes = [];
    await house.start();
    for (const key of keys()) assert.equal(components()[key]!.command_topic, undefined, key);
    assert.ok(!keys().includes('screenshot'));
    await house.pass(700_000);
    assert.equal(house.pictures, 0);
  });

  for (const [language, led, relay, door] of [
    ['en', 'LED bar', 'Relay 1', 'Open Haustür'],
    ['de', 'LED-Leiste', 'Relais 1', 'Haustür öffnen'],
    ['es', 'Barra LED', 'Relé 1', 'Abrir Haustür'],
  ] as const)
    test(`should name entities in the language of the panel: ${language}`, async () => {
      house.now = { ...house.now, language };
      await house.start();
      const { led: bar, relay1, relay2, door_haustur } = components();
      assert.deepEqual([bar!.name, relay1!.name, door_haustur!.name], [led, relay, door]);
      // A board that names its pins is right.
      assert.equal(relay2!.name, 'Gate');
    });

  test('should announce anew when what it says has changed, and not otherwise', async () => {
    await house.start();
    const announced = () => house.link.published.filter(({ topic }) => topic === TOPIC).length;
    await house.change({ led: { on: false, red: 1, green: 2, blue: 3 } });
    assert.equal(announced(), 1);
    await house.change({ name: 'Bad' });
    await until(() => announced() === 2 && house.resent === 1);
    assert.equal(house.discovery!.device.name, 'Bad');
    // Some states are gone in Home Assistant then.
    assert.equal(house.resent, 1);
    const [last] = house.link.published.filter(({ topic }) => topic === TOPIC).slice(-1);
    const after = house.link.published.slice(house.link.published.indexOf(last!));
    assert.ok(after.some(({ topic }) => topic.endsWith('/entity/led')));
  });

  test('should remove entities that go by their platform alone, and their states', async () => {
    await house.start();
    await house.change({ led: undefined });
    await until(() => 'led' in removed());
    assert.deepEqual(removed(), { led: { platform: 'light' } });
    assert.equal(house.state('led'), undefined);
    await house.change({ led: { on: true, red: 1, green: 1, blue: 1 } });
    await until(() => !('led' in removed()));
    assert.ok(house.state('led'));
  });

  test('should remove entities that went while the service was down', async () => {
    await house.start();
    await house.stop();
    house.now = { ...house.now, hasSound: false, intercom: undefined };
    await house.start();
    assert.deepEqual(Object.keys(removed()).toSorted(), [
      'call',
      'dnd',
      'door_front',
      'door_haustur',
      'ring',
      'siren',
      'speak',
    ]);
    assert.equal(house.state('siren'), undefined);
    assert.equal(house.state('dnd'), undefined);
  });

  test('should take nothing back while the panel stops', async () => {
    await house.start();
    house.failure = new FaceplateError('SHUTTING_DOWN');
    await house.change({ intercom: undefined });
    assert.deepEqual(removed(), {});
    assert.ok(!house.log.join('').includes('could not be told'));
  });

  test('should remove what went while Home Assistant was away: told once more, then removed', async () => {
    await house.start();
    await house.change({ led: undefined });
    await until(() => 'led' in removed());
    const told = () =>
      house.link.published.filter(({ topic }) => topic === TOPIC).map(({ payload }) => payload);
    const before = told().length;
    house.birth('online');
    await house.pass(5_000);
    await until(() => told().length >= before + 2);
    const [first, second] = told()
      .slice(before)
      .map((payload) => JSON.parse(payload).components.led);
    assert.equal(first.unique_id, 'faceplate_p1_led');
    assert.deepEqual(second, { platform: 'light' });
    // It knows that now.
    await house.change({});
    await until(() => !('led' in components()));
    house.birth('online');
    await house.pass(5_000);
    assert.ok(!('led' in components()));
  });

  test('should take a device of another name for a new one, which has lost nothing', async () => {
    await house.start();
    await house.stop();
    house.names = { ...house.names, id: 'p2' };
    house.now = { ...house.now, led: undefined };
    await house.start();
    assert.deepEqual(removed(), {});
  });

  test('should announce again within five seconds when Home Assistant has come back', async () => {
    await house.start();
    house.link.retained.clear();
    house.birth('offline');
    house.birth('online', true);
    await house.pass(5_000);
    assert.equal(house.discovery, undefined);
    house.birth('online');
    await house.pass(5_000);
    assert.ok(house.discovery);
    assert.ok(house.state('led'));
    assert.equal(house.resent, 1);
  });

  test('should announce everything after each connection, also to a broker that lost it', async () => {
    await house.start();
    house.link.retained.clear();
    await house.reconnected();
    assert.ok(house.discovery && house.state('screen') && house.state('in_use'));
  });

  test('should go on when the broker refuses, and try the same again', async () => {
    await house.start();
    house.link.refusal = new Error('Not authorized');
    await house.change({ name: 'Bad' });
    await until(() => house.log.join('').includes('Not authorized'));
    house.link.refusal = undefined;
    await house.change({});
    await until(() => house.discovery?.device.name === 'Bad');
  });

  test('should give slugs to names of any script, each its own', async () => {
    house.now = {
      ...house.now,
      name: '厨房',
      intercom: { ...house.now.intercom!, doors: ['Tür', 'tür!', '門', 'Straße 1'] },
    };
    await house.start();
    assert.deepEqual(
      keys().filter((key) => key.startsWith('door_')),
      ['door_tur', 'door_tur_2', 'door_door', 'door_strasse_1'],
    );
    assert.equal(components().led!.default_entity_id, 'light.panel_led');
  });

  test('should release everything at its stop', async () => {
    await house.start();
    house.tell('activity');
    house.tell('change');
    house.birth('online');
    await house.stop();
    assert.equal(house.listening, 0);
    assert.equal(house.clock.pending, 0);
    assert.equal(house.link.filters.size, 0);
  });
});
