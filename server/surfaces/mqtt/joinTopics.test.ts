import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { Mosquitto } from '../../testing/mosquitto.ts';
import { until } from '../../testing/waiting.ts';
import { BrokerPanel } from './testing/brokerPanel.ts';
import { Listener } from './testing/listener.ts';

describe('joins on the broker', () => {
  let broker: Mosquitto;
  let listener: Listener;
  const open: { stop(): Promise<unknown> }[] = [];
  beforeEach(async () => {
    broker = await Mosquitto.start();
    listener = await Listener.start(broker.url);
    open.push(broker, listener);
  });
  afterEach(async () => {
    for (const thing of open.splice(0).reverse()) await thing.stop();
  });

  async function panel(options: { settings?: object; handlers?: object } = {}) {
    const set: unknown[] = [];
    const it = await BrokerPanel.start({
      settings: { url: broker.url, discovery: '', ...options.settings },
      handlers: {
        'joins.set': (params: never) => {
          set.push(params);
          return { status: 'ok' };
        },
        ...options.handlers,
      },
    });
    open.push(it);
    return { it, set };
  }
  const say = (name: string, payload: string, options = {}) =>
    listener.publish(`faceplate/hall/set/join/${name}`, payload, options);

  test('should set values of every kind, also without Home Assistant, and nothing that is wrong', async () => {
    await listener.publish('faceplate/hall/set/join/boolean/old', 'true', { retain: true });
    const { set } = await panel();
    for (const [name, payload] of [
      ['boolean/fb1', 'on'],
      ['boolean/fb1', ''],
      ['boolean/fb1', '1'],
      ['integer/fb1', '1.5'],
      ['integer/fb1', '"1"'],
      ['string/fb1', '5'],
      ['real/fb1', '5'],
      ['boolean', 'true'],
      ['boolean/a/b', 'true'],
      ['boolean/', 'true'],
      [`boolean/${'x'.repeat(65)}`, 'true'],
      ['string/fb1', JSON.stringify('x'.repeat(16_385))],
      ['string/fb1', JSON.stringify('x'.repeat(200_000))],
    ] as const)
      await say(name, payload);
    await say('boolean/fb1', 'true');
    await say('integer/fb21', '-5');
    await say('string/Room.Name_fb', '"Hall €"');
    await until(() => set.length >= 3, 'the values');
    assert.deepEqual(set, [
      { kind: 'boolean', name: 'fb1', value: true },
      { kind: 'integer', name: 'fb21', value: -5 },
      { kind: 'string', name: 'Room.Name_fb', value: 'Hall €' },
    ]);
  });

  test('security: should set nothing for callers who have no control', async () => {
    const { it, set } = await panel({ settings: { scopes: ['view'] } });
    await say('boolean/fb1', 'true');
    await until(() => it.notes.length > 0, 'the refusal');
    assert.equal(it.notes[0]?.code, 'FORBIDDEN');
    await it.change({ scopes: ['control'] });
    await say('boolean/fb1', 'true');
    await until(() => set.length > 0, 'the value');
  });

  test('should tell what the page sent, retained, and empty it when another project comes', async () => {
    const { it } = await panel();
    const state = async (name: string) => {
      const topic = `faceplate/hall/state/join/${name}`;
      return (await listener.retained(topic))[topic];
    };
    it.bus.emit('join', { kind: 'boolean', name: '1', value: true });
    it.bus.emit('join', { kind: 'string', name: 'Room.Name', value: 'Hall' });
    await until(async () => (await state('string/Room.Name')) === '"Hall"', 'the text');
    assert.equal(await state('boolean/1'), 'true');
    it.joins = [{ kind: 'integer', name: '5', value: 7 }];
    await it.change({ groups: ['ground'] });
    await until(async () => (await state('integer/5')) === '7', 'the state of a new connection');
    await until(async () => (await state('boolean/1')) === undefined, 'nothing of a join that is gone');
    const gone = it.joins;
    it.joins = [];
    it.joinsGone(gone);
    await until(async () => (await state('integer/5')) === undefined, 'nothing of another project');
    it.bus.emit('join', { kind: 'integer', name: '5', value: 7 });
    await until(async () => (await state('integer/5')) === '7', 'the same value again');
  });
});
