import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { Heard } from '../../parts/fleet/driver.ts';
import { Mosquitto } from '../../testing/mosquitto.ts';
import { until } from '../../testing/waiting.ts';
import { BrokerPanel } from './testing/brokerPanel.ts';
import { Listener } from './testing/listener.ts';

const state = { on: true, red: 0, green: 0, blue: 0 };

describe('the broker of the fleet', () => {
  let broker: Mosquitto;
  let listener: Listener;
  let owner: BrokerPanel;
  const open: { stop(): Promise<unknown> }[] = [];
  const panel = async (settings: object, handlers = {}) => {
    const it = await BrokerPanel.start({ settings: { url: broker.url, ...settings }, handlers });
    open.push(it);
    return it;
  };
  beforeEach(async () => {
    broker = await Mosquitto.start();
    listener = await Listener.start(broker.url);
    open.push(broker, listener);
    owner = await panel({ id: 'owner', isFleet: true });
  });
  afterEach(async () => {
    for (const thing of open.splice(0).reverse()) await thing.stop();
  });
  const signal = () => AbortSignal.timeout(20_000);

  test('should be there while mqtt.fleet is on alone', async () => {
    assert.equal(owner.fleet?.ownId, 'owner');
    assert.equal(owner.fleet?.isConnected, true);
    await owner.change({ isFleet: false });
    assert.equal(owner.fleet, undefined);
  });

  test('should hear what the other panels say, what is retained first, and who is gone', async () => {
    await panel({ id: 'hall' });
    const heard: Heard[] = [];
    const end = owner.fleet!.listen((what) => heard.push(what));
    const said = (id: string, topic: string) =>
      heard.findLast((what) => what.id === id && what.topic === topic);
    await until(() => said('hall', 'availability')?.payload === 'online', 'hall');
    await until(() => said('owner', 'state/info') !== undefined, 'itself');
    assert.deepEqual(said('hall', 'state/projects')?.payload, { projects: [] });
    await listener.publish('faceplate/hall/availability', '', { retain: true });
    await until(() => said('hall', 'availability')?.payload === undefined, 'the end of hall');
    end();
    const before = heard.length;
    await listener.publish('faceplate/hall/event/project', '{}');
    await owner.fleet!.command('hall', 'led.state', {}, signal());
    assert.equal(heard.length, before);
  });

  test('security: should hear nothing of strange ids, of broken or of endless states', async () => {
    const heard: Heard[] = [];
    owner.fleet!.listen((what) => heard.push(what));
    for (const id of ['group', 'a.b', '<script>', 'x'.repeat(65)])
      await listener.publish(`faceplate/${id}/availability`, 'online');
    await listener.publish('faceplate/evil/state/info', '{"name":');
    await listener.publish('faceplate/evil/state/info', JSON.stringify('x'.repeat(300_000)));
    await listener.publish('faceplate/good/availability', 'online');
    await until(() => heard.some(({ id }) => id === 'good'), 'the good one');
    assert.deepEqual(
      heard.filter(({ id }) => id !== 'owner' && id !== 'good'),
      [],
    );
  });

  test('should bring a command to one panel, and its answer or its error back', async () => {
    await panel({ id: 'hall' }, { 'led.on': () => ({ status: 'ok', state }) });
    const { fleet } = owner;
    assert.deepEqual(await fleet!.command('hall', 'led.on', { on: true }, signal()), { status: 'ok', state });
    await assert.rejects(fleet!.command('hall', 'led.on', { on: 1 }, signal()), { code: 'INVALID_REQUEST' });
    await assert.rejects(fleet!.command('hall', 'system.reboot', {}, signal()), { code: 'FORBIDDEN' });
  });

  test('should end with the signal where nobody answers', async () => {
    const gone = new AbortController();
    const answer = owner.fleet!.command('nobody', 'led.state', {}, gone.signal);
    gone.abort(new Error('too long'));
    await assert.rejects(answer, /too long/);
  });

  test('should say when the connection goes and comes', async () => {
    const said: boolean[] = [];
    owner.fleet!.onConnection((isConnected) => said.push(isConnected));
    await broker.kill();
    await until(() => said.length === 1, 'the loss');
    await broker.start();
    await until(() => said.length === 2, 'the return');
    assert.deepEqual(said, [false, true]);
  });
});
