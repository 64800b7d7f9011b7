import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connectAsync } from 'mqtt';
import { Mosquitto } from '../../server/testing/mosquitto.ts';
import { type Api, apiOf } from '../api.ts';
import { begin, ended, expect, heard, onBroker, test } from '../fleetOwner.ts';
import { SimulatedPanels } from '../peers/simulatedPanels.ts';

test('should stop after the canary with a bad project, and say why: 50 panels', async ({
  owner: api,
  broker,
  play,
}) => {
  const panels = await play(broker, 50, () => 'blank');
  await heard(api, 51);
  const startedAt = performance.now();
  const stopped = await ended(api, await begin(api, { groups: ['all'] }));
  expect(stopped).toMatchObject({ state: 'stopped', reason: 'sim-0000 failed: page blank' });
  expect(performance.now() - startedAt).toBeLessThan(10_000);
  expect(panels.told).toEqual(['sim-0000']);
  expect(stopped.panels.filter(({ state }) => state === 'waiting')).toHaveLength(49);
});

test('should change a setting on a real panel that lets the broker, and fail on one that does not', async ({
  owner: api,
  broker,
  startFaceplate,
}) => {
  const env = (id: string, scopes: string) => ({
    kiosk: false,
    env: {
      FACEPLATE_MQTT_URL: broker.url,
      FACEPLATE_MQTT_ID: id,
      FACEPLATE_MQTT_GROUPS: 'hall',
      FACEPLATE_MQTT_SCOPES: scopes,
    },
  });
  const willing = await startFaceplate(env('a-willing', 'view,manage'));
  await startFaceplate(env('b-unwilling', 'view,control'));
  await heard(api, 3);
  const command = 'settings.change';
  const id = await begin(api, { groups: ['hall'], command, params: { idle: { saverAfter: 77 } } });
  const stopped = await ended(api, id);
  expect(stopped.panels).toEqual([
    { id: 'a-willing', state: 'healthy', reason: null },
    { id: 'b-unwilling', state: 'failed', reason: 'FORBIDDEN' },
  ]);
  const panel = await apiOf(willing);
  const { settings } = (await panel('/api/manage/settings')).body as {
    settings: Record<string, { value: unknown }>;
  };
  expect(settings['idle.saverAfter']?.value).toBe(77);
  const { entries } = (await panel('/api/manage/journal')).body as {
    entries: { command: string; surface: string; caller: { name: string } }[];
  };
  expect(entries.find((entry) => entry.command === command)).toMatchObject({
    surface: 'mqtt',
    caller: { name: 'faceplate/a-willing/command/settings.change' },
  });
});

test('should leave a copy of the roll-out on the broker, and the panels of mDNS in the list', async ({
  startFaceplate,
}) => {
  // The owner of the other tests has this name on their broker.
  const broker = await Mosquitto.start();
  const panels = await SimulatedPanels.start({ url: broker.url, count: 1, fate: () => 'good' });
  try {
    const near = await startFaceplate({
      kiosk: false,
      env: { FACEPLATE_HTTP_ANNOUNCE_INTERFACE: 'lo', FACEPLATE_DEVICE_NAME: 'Near' },
    });
    // It asks when it starts, and then every 30 s only: the other one answers already.
    const api = await apiOf(
      await startFaceplate(onBroker(broker, { FACEPLATE_HTTP_ANNOUNCE_INTERFACE: 'lo' })),
    );
    const { id: nearId, address } = (await (await apiOf(near))('/api/remote/info')).body;
    const found = async () =>
      ((await api('/api/manage/fleet')).body as { panels: { id: string }[] }).panels.find(
        ({ id }) => id === nearId,
      );
    await expect
      .poll(found, { timeout: 45_000 })
      .toMatchObject({ name: 'Near', address, online: true, groups: null });
    const id = await begin(api, { ids: ['sim-0000'] });
    const done = await ended(api, id);
    const client = await connectAsync(broker.url, { protocolVersion: 5 });
    const copies: unknown[] = [];
    client.on('message', (_, payload) => copies.push(JSON.parse(payload.toString())));
    await client.subscribeAsync('faceplate/owner/state/rollout');
    await expect.poll(() => copies.at(-1)).toEqual(done);
    await client.endAsync();
  } finally {
    await panels.stop();
    await broker.stop();
  }
});

test('security: with the access list of the guide only the owner should command, and nobody speak for another', async ({
  startFaceplate,
}) => {
  const guide = await readFile(join(import.meta.dirname, '../../docs/fleet.md'), 'utf8');
  const acl = /^```acl\n([\s\S]*?)^```/m.exec(guide)![1]!;
  const guarded = await Mosquitto.start({
    users: { owner: 'a', 'hall-1': 'b', thief: 'c' },
    files: { acl },
    conf: ['acl_file <folder>/acl'],
  });
  const login = (username: string, password: string) => ({
    ...{ FACEPLATE_MQTT_URL: guarded.url, FACEPLATE_MQTT_USERNAME: username },
    ...{ FACEPLATE_MQTT_PASSWORD: password, FACEPLATE_MQTT_ID: username },
  });
  try {
    const hall = await apiOf(
      await startFaceplate({
        kiosk: false,
        env: { ...login('hall-1', 'b'), FACEPLATE_MQTT_GROUPS: 'hall', FACEPLATE_MQTT_SCOPES: 'view,manage' },
      }),
    );
    const api = await apiOf(await startFaceplate(onBroker(guarded, login('owner', 'a'))));
    await heard(api, 2);
    const thief = await connectAsync(guarded.url, { protocolVersion: 5, username: 'thief', password: 'c' });
    const said = (topic: string, text: string) => thief.publishAsync(topic, text, { qos: 1, retain: true });
    const change = JSON.stringify({ 'idle.saverAfter': 13 });
    await expect(said('faceplate/hall-1/command/settings.change', change)).rejects.toThrow();
    await expect(said('faceplate/group/hall/command/settings.change', change)).rejects.toThrow();
    await expect(said('faceplate/hall-1/availability', '')).rejects.toThrow();
    await expect(said('faceplate/hall-1/state/page', '{}')).rejects.toThrow();
    await said('faceplate/thief/availability', 'online');
    await heard(api, 3);
    await thief.endAsync();
    const id = await begin(api, {
      ...{ ids: ['hall-1'], command: 'settings.change', params: { 'idle.saverAfter': 55 } },
    });
    expect(await ended(api, id)).toMatchObject({ state: 'done', panels: [{ state: 'healthy' }] });
    const info = async (of: Api) => (await of('/api/remote/info')).body.mqtt;
    for (const of of [api, hall]) expect(await info(of)).toMatchObject({ state: 'connected', reason: null });
    const { settings } = (await hall('/api/manage/settings')).body as {
      settings: Record<string, { value: unknown }>;
    };
    expect(settings['idle.saverAfter']?.value).toBe(55);
  } finally {
    await guarded.stop();
  }
});
