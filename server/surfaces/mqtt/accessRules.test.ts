import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, test } from 'node:test';
import { connectAsync, type MqttClient } from 'mqtt';
import { systemClock } from '../../platform/clock.ts';
import { FakeClock } from '../../testing/fakeClock.ts';
import { Mosquitto } from '../../testing/mosquitto.ts';
import { until } from '../../testing/waiting.ts';
import { BrokerPanel } from './testing/brokerPanel.ts';

const docs = readFileSync(join(import.meta.dirname, '../../../docs/mqtt.md'), 'utf8');
/** The rules that the documentation gives to a broker. */
const acl = /```acl\n([\s\S]*?)```/.exec(docs)?.[1] ?? '';
const names = ['hall', 'lobby', 'attic', 'operator', 'homeassistant'];

describe('the rules for a broker in docs/mqtt.md', () => {
  const open: { stop(): Promise<unknown> }[] = [];
  afterEach(async () => {
    for (const thing of open.splice(0).reverse()) await thing.stop();
  });

  async function house() {
    const users = Object.fromEntries(names.map((name) => [name, `secret of ${name}`]));
    const broker = await Mosquitto.start({ conf: ['acl_file <folder>/acl'], files: { acl }, users });
    open.push(broker);
    const panel = async (id: string, more = {}, clock = systemClock) => {
      const settings = { url: broker.url, id, username: id, password: users[id]!, groups: ['all'], ...more };
      const it = await BrokerPanel.start({
        settings,
        clock,
        handlers: { 'led.color': () => ({ status: 'ok', state: { on: true, red: 1, green: 2, blue: 3 } }) },
      });
      open.push(it);
      return it;
    };
    const member = async (username: string): Promise<MqttClient> => {
      const client = await connectAsync(broker.url, {
        protocolVersion: 5,
        username,
        password: users[username]!,
        reconnectPeriod: 0,
      });
      client.on('error', () => {});
      open.push({ stop: () => client.endAsync(true) });
      return client;
    };
    return { broker, panel, member };
  }

  test('should let a panel be itself, answer, and nothing more', async () => {
    const { panel, member } = await house();
    /** Holds the five seconds in which the message of a panel to itself must arrive. */
    const held = new FakeClock();
    let sent = 0;
    const clock = {
      now: systemClock.now,
      after: (ms: number, run: () => void) => {
        if (ms !== 5_000) return systemClock.after(ms, run);
        sent++;
        return held.after(ms, run);
      },
    };
    const hall = await panel('hall', {}, clock);
    const lobby = await panel('lobby', { isFleet: true }, clock);
    assert.deepEqual(
      await lobby.fleet!.command(
        'hall',
        'led.color',
        { red: 1, green: 2, blue: 3 },
        AbortSignal.timeout(20_000),
      ),
      { status: 'ok', state: { on: true, red: 1, green: 2, blue: 3 } },
    );
    await until(() => sent >= 2 && held.pending === 0, 'the messages of both to themselves');
    assert.deepEqual(hall.surface.facts(), { state: 'connected', reason: null });
    assert.deepEqual(lobby.surface.facts(), { state: 'connected', reason: null });
    const asHall = await member('hall');
    for (const topic of [
      'faceplate/lobby/command/led.color',
      'faceplate/group/all/command/led.color',
      'faceplate/lobby/state/led',
      'faceplate/lobby/set/led',
      'homeassistant/device/faceplate_lobby/config',
    ])
      await assert.rejects(asHall.publishAsync(topic, '{}', { qos: 1 }), { code: 135 }, topic);
  });

  test('should let a program call what it may, and hear the answer', async () => {
    const { panel, member } = await house();
    await panel('hall');
    const operator = await member('operator');
    const heard: string[] = [];
    operator.on('message', (topic, payload) => heard.push(`${topic} ${payload}`));
    await operator.subscribeAsync('faceplate/operator/reply/#', { qos: 1 });
    await operator.publishAsync('faceplate/hall/command/led.color', '{"red":1,"green":2,"blue":3}', {
      qos: 1,
      properties: { responseTopic: 'faceplate/operator/reply/1' },
    });
    await until(() => heard.length > 0, 'the answer');
    assert.match(heard[0] ?? '', /^faceplate\/operator\/reply\/1 .*"ok"/);
    for (const topic of ['faceplate/hall/command/page.show', 'faceplate/group/all/command/led.color'])
      await assert.rejects(operator.publishAsync(topic, '{}', { qos: 1 }), { code: 135 }, topic);
    const assistant = await member('homeassistant');
    await assistant.publishAsync('faceplate/hall/set/led', 'ON', { qos: 1 });
    await assert.rejects(assistant.publishAsync('faceplate/hall/command/led.color', '{}', { qos: 1 }), {
      code: 135,
    });
  });
});
