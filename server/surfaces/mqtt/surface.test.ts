import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { FaceplateProcess } from '../../testing/faceplateProcess.ts';
import { Mosquitto } from '../../testing/mosquitto.ts';
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

  async function panel(url: string, env: Record<string, string> = {}): Promise<FaceplateProcess> {
    const it = kept(
      new FaceplateProcess({
        env: {
          FACEPLATE_BOARD: 'simulated',
          FACEPLATE_MQTT_URL: url,
          FACEPLATE_MQTT_ID: 'hall',
          ...env,
        },
      }),
    );
    await it.start();
    return it;
  }

  async function house(): Promise<{ broker: Mosquitto; listener: Listener }> {
    const broker = kept(await Mosquitto.start());
    const listener = kept(await Listener.start(broker.url));
    return { broker, listener };
  }

  const online = (listener: Listener) =>
    until(
      async () =>
        (await listener.retained('faceplate/hall/availability'))['faceplate/hall/availability'] === 'online',
      'online',
      { everyMs: 100 },
    );

  test('should tell its states, answer commands and leave in order', async () => {
    const { broker, listener } = await house();
    const it = await panel(broker.url);
    await online(listener);
    const states = await listener.retained('faceplate/hall/state/#');
    assert.deepEqual(
      Object.keys(states)
        .map((topic) => topic.slice('faceplate/hall/state/'.length))
        .sort(),
      [
        'display',
        'gpio/0',
        'gpio/1',
        'gpio/2',
        'gpio/3',
        'health',
        'info',
        'led',
        'power',
        'projects',
        'rtc',
      ],
    );
    await listener.hear('faceplate/hall/#');
    await listener.hear('answers/#');
    await listener.publish('faceplate/hall/command/led.color', '{"red":1,"green":2,"blue":3}', {
      responseTopic: 'answers/mine',
      correlation: 'one',
    });
    const answer = await listener.next('answers/mine');
    assert.equal(JSON.parse(answer.text).status, 'ok');
    assert.equal(answer.packet.properties?.correlationData?.toString(), 'one');
    assert.equal(answer.packet.properties?.userProperties?.['panel'], 'hall');
    assert.equal(answer.packet.retain, false);
    await until(
      async () =>
        (await listener.retained('faceplate/hall/state/led'))['faceplate/hall/state/led']!.includes(
          '"red":1',
        ),
      'the state',
    );
    await it.stop();
    assert.equal(
      (await listener.retained('faceplate/hall/availability'))['faceplate/hall/availability'],
      'offline',
    );
  });
});
