import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { FaceplateError } from '../../../contract/errors.ts';
import { House } from './testing/house.ts';

describe('what is set at the entities', () => {
  let house: House;

  beforeEach(async () => {
    house = new House();
    await house.start();
  });
  afterEach(() => house[Symbol.asyncDispose]());

  /** The commands that a payload becomes. */
  const commandsOf = async (entity: string, payload: string) => {
    house.calls.length = 0;
    await house.set(entity, payload);
    return house.calls.map(({ name, params }) => [name, params]);
  };
  const orange = '{"state":"ON","color":{"r":255,"g":120,"b":0},"brightness":128}';

  for (const [entity, payload, ...commands] of [
    ['led', orange, ['led.color', { red: 128, green: 60, blue: 0 }], ['led.on', { on: true }]],
    ['led', '{"state":"ON"}', ['led.on', { on: true }]],
    ['led', '{"state":"OFF","transition":2}', ['led.on', { on: false }]],
    // The colour stays when only the brightness is set, and the other way round.
    [
      'led',
      '{"state":"ON","brightness":255}',
      ['led.color', { red: 255, green: 120, blue: 0 }],
      ['led.on', { on: true }],
    ],
    [
      'led',
      '{"state":"ON","color":{"r":0,"g":0,"b":255}}',
      ['led.color', { red: 0, green: 0, blue: 128 }],
      ['led.on', { on: true }],
    ],
    ['screen', '{"state":"ON"}', ['display.set', { on: true }]],
    ['screen', '{"state":"ON","brightness":128}', ['display.set', { on: true, brightness: 50 }]],
    ['screen', '{"state":"OFF"}', ['display.set', { on: false }]],
    ['relay1', 'ON', ['gpio.write', { pin: 2, level: 1 }]],
    ['relay2', 'OFF', ['gpio.write', { pin: 3, level: 0 }]],
    ['volume', '35', ['display.set', { volume: 35 }]],
    ['volume', '35.0', ['display.set', { volume: 35 }]],
    ['mute', 'ON', ['display.set', { muted: true }]],
    ['dnd', 'ON', ['intercom.dnd', { on: true }]],
    ['page', 'News', ['page.show', { page: 'News' }]],
    ['project', 'Hotel', ['projects.activate', { id: 'hotel' }]],
    ['url', 'https://x.lan/a?b', ['page.show', { url: 'https://x.lan/a?b' }]],
    ['message', 'Tea', ['message.show', { text: 'Tea', level: 'info', style: 'banner', seconds: 10 }]],
    [
      'message',
      '{"text":"no JSON"}',
      ['message.show', { text: '{"text":"no JSON"}', level: 'info', style: 'banner', seconds: 10 }],
    ],
    // Light is positive, darkness negative, and the darkness at the end no part of the code.
    [
      'ir_ir1',
      '{"timings":[9000,-4500,560,-40000],"modulation":36000,"repeat_count":3}',
      ['ir.send', { port: 'IR1', timings: [9_000, 4_500, 560], carrier: 36_000 }],
    ],
    ['ir_ir1', '{"timings":[560]}', ['ir.send', { port: 'IR1', timings: [560] }]],
    ['speak', 'Tea', ['sound.speak', { text: 'Tea' }]],
    ['reload', 'PRESS', ['kiosk.reload', {}]],
    ['home', 'PRESS', ['page.home', {}]],
    ['reboot', 'PRESS', ['system.reboot', {}]],
    ['update', 'INSTALL', ['update.fetch', { older: false, restart: true }]],
    ['door_haustur', 'PRESS', ['intercom.door', { name: 'Haustür' }]],
    ['siren', '{"state":"ON"}', ['sound.play', { name: 'alarm' }]],
    [
      'siren',
      '{"state":"ON","tone":"bell","volume_level":0.5}',
      ['sound.play', { name: 'bell', volume: 50 }],
    ],
    ['siren', '{"state":"OFF"}', ['sound.stop', {}]],
    ['siren', 'OFF', ['sound.stop', {}]],
  ] as const)
    test(`should carry out ${entity} ${payload.slice(0, 60)}`, async () => {
      assert.deepEqual(await commandsOf(entity, payload), commands);
    });

  for (const [entity, payload] of [
    ['led', 'ON'],
    ['led', '{"state":"on"}'],
    ['led', '{"state":"ON","brightness":256}'],
    ['led', '{"state":"ON","color":{"r":1,"g":2}}'],
    ['led', 'null'],
    ['screen', '[]'],
    ['relay1', '1'],
    ['relay1', ''],
    ['relay3', 'ON'],
    ['input1', 'ON'],
    ['volume', '101'],
    ['volume', '-1'],
    ['volume', '35.5'],
    ['volume', ''],
    ['volume', '1e1'],
    ['page', 'None'],
    ['project', 'lobby'],
    ['url', 'file:///etc/passwd'],
    ['url', 'http://user:pw@x.lan/'],
    ['message', ''],
    ['message', 'x'.repeat(2_001)],
    ['message', 'x'.repeat(9_000)],
    ['ir_ir1', '{"timings":[560,4500]}'],
    ['ir_ir1', '{"timings":[-560]}'],
    ['ir_ir1', '{"timings":[]}'],
    ['ir_ir_in', '{"timings":[560]}'],
    ['speak', ''],
    ['reload', 'ON'],
    ['reboot', ''],
    ['update', 'PRESS'],
    ['door_haustur', 'OPEN'],
    ['door_other', 'PRESS'],
    ['siren', '{"state":"ON","tone":"klaxon"}'],
    ['siren', '{"state":"ON","volume_level":2}'],
    ['siren', '{"state":"ON","duration":-1}'],
    ['__proto__', 'ON'],
    ['', 'ON'],
  ] as const)
    test(`should change nothing and say so in the log: ${entity} ${payload.slice(0, 40)}`, async () => {
      assert.deepEqual(await commandsOf(entity, payload), []);
      const lines = house.log.filter((line) => line.includes('payload for an entity refused'));
      assert.equal(lines.length, 1);
      if (payload.length > 20) assert.ok(!lines[0]!.includes(payload.slice(0, 20)));
    });

  test('should name the topic as its caller', async () => {
    await house.set('led', '{"state":"ON"}');
    assert.equal(house.calls[0]!.topic, 'faceplate/p1/set/led');
  });

  test('security: should do nothing that mqtt.scopes do not open', async () => {
    house.scopes = ['view', 'control'];
    await house.start();
    assert.deepEqual(await commandsOf('reboot', 'PRESS'), []);
    assert.deepEqual(await commandsOf('project', 'Hotel'), []);
    assert.deepEqual(await commandsOf('update', 'INSTALL'), []);
    assert.deepEqual(await commandsOf('door_front', 'PRESS'), []);
    house.scopes = [];
    await house.start();
    assert.deepEqual(await commandsOf('led', '{"state":"ON"}'), []);
  });

  test('security: should drop retained payloads', async () => {
    await house.set('relay1', 'ON', true);
    assert.deepEqual(house.calls, []);
    assert.match(house.log.join(''), /it is retained/);
  });

  test('should carry out the payloads of one entity in their order, and not let others wait', async () => {
    let release = () => {};
    house.answer = (name) =>
      name === 'gpio.write' ? new Promise<void>((resolve) => (release = resolve)) : undefined;
    await house.set('relay1', 'ON');
    await house.set('relay1', 'OFF');
    await house.set('led', '{"state":"ON"}');
    assert.deepEqual(
      house.calls.map(({ name }) => name),
      ['gpio.write', 'led.on'],
    );
    release();
    await house.pass(0);
    assert.deepEqual(house.calls.at(-1)!.params, { pin: 2, level: 0 });
    release();
  });

  test('should stay bounded under a flood, and hear again afterwards', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    house.answer = () => held;
    for (let index = 0; index < 10_000; index++) house.send('relay1', 'ON');
    for (let index = 0; index < 10_000; index++) house.send(`x${index}`, 'ON');
    await house.pass(0);
    release();
    await house.pass(0);
    assert.equal(house.calls.length, 20);
    assert.equal((await commandsOf('relay2', 'ON')).length, 1);
  });

  test('should leave an error of the command to the log of dispatch', async () => {
    house.answer = () => {
      throw new FaceplateError('HARDWARE_ERROR');
    };
    await house.set('relay1', 'ON');
    assert.equal(house.calls.length, 1);
    assert.ok(!house.log.join('').includes('payload for an entity refused'));
    house.answer = () => ({});
    assert.equal((await commandsOf('relay1', 'ON')).length, 1);
  });
});

describe('the siren', () => {
  let house: House;

  beforeEach(async () => {
    house = new House();
    let id = 0;
    house.answer = () => ({ id: `s${++id}` });
    await house.start();
  });
  afterEach(() => house[Symbol.asyncDispose]());

  const state = async () => {
    await house.pass(100);
    return JSON.parse(house.state('siren')!) as unknown;
  };
  const names = () => house.calls.map(({ name }) => name);

  test('should be on until its sound has ended', async () => {
    assert.deepEqual(await state(), { state: 'OFF' });
    await house.set('siren', '{"state":"ON","tone":"bell","volume_level":0.5}');
    assert.deepEqual(await state(), { state: 'ON', tone: 'bell', volume_level: 0.5 });
    house.events.emit('sound', { id: 'another', action: 'ended' });
    assert.deepEqual(await state(), { state: 'ON', tone: 'bell', volume_level: 0.5 });
    house.events.emit('sound', { id: 's1', action: 'ended' });
    assert.deepEqual(await state(), { state: 'OFF' });
  });

  test('should play again until its duration is over, and then stop', async () => {
    await house.set('siren', '{"state":"ON","tone":"chime","duration":10}');
    assert.deepEqual(house.calls[0]!.params, { name: 'chime', repeat: 100 });
    await house.pass(6_000);
    house.events.emit('sound', { id: 's1', action: 'ended' });
    await house.pass(0);
    assert.deepEqual(names(), ['sound.play', 'sound.play']);
    await house.pass(4_000);
    assert.deepEqual(names(), ['sound.play', 'sound.play', 'sound.stop']);
    assert.deepEqual(await state(), { state: 'OFF' });
    house.events.emit('sound', { id: 's2', action: 'ended' });
    await house.pass(60_000);
    assert.equal(house.calls.length, 3);
  });

  test('should end what it plays when it is set anew or off', async () => {
    await house.set('siren', '{"state":"ON","duration":10}');
    await house.set('siren', '{"state":"ON","tone":"bell"}');
    assert.deepEqual(names(), ['sound.play', 'sound.stop', 'sound.play']);
    await house.pass(20_000);
    assert.equal(house.calls.length, 3, 'the end of the first does not end the second');
    await house.set('siren', '{"state":"OFF"}');
    assert.deepEqual(await state(), { state: 'OFF' });
  });

  test('should be off where there is nothing to hear', async () => {
    house.answer = () => {
      throw new FaceplateError('CONFLICT');
    };
    await house.set('siren', '{"state":"ON","duration":10}');
    assert.deepEqual(await state(), { state: 'OFF' });
    await house.pass(20_000);
    assert.deepEqual(names(), ['sound.play']);
  });
});
