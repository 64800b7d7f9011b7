import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connectAsync } from 'mqtt';
import { Mosquitto } from '../../server/testing/mosquitto.ts';
import { type Api, apiOf } from '../api.ts';
import { brokerOfWorker } from '../brokerFixture.ts';
import { test as base, expect } from '../fixtures.ts';
import { type Fate, forgetPanels, SimulatedPanels } from '../peers/simulatedPanels.ts';

const FETCH = {
  command: 'projects.fetch',
  params: { url: 'http://files.lan/lobby.zip', sha256: 'a'.repeat(64), name: 'Lobby' },
};

interface Progress {
  readonly id: string;
  readonly state: string;
  readonly reason: string | null;
  readonly panels: readonly { readonly id: string; readonly state: string; readonly reason: string | null }[];
}

const test = base.extend<{ owner: Api }, { broker: Mosquitto }>({
  broker: brokerOfWorker,

  /** The API of the panel that rolls out, alone on the broker when a test begins. */
  owner: async ({ sharedFaceplate, broker }, use) => {
    const api = await apiOf(await sharedFaceplate(onBroker(broker)));
    await heard(api, 1);
    await use(api);
    const { body } = await api('/api/manage/fleet');
    await forgetPanels(
      broker,
      (body.panels as { id: string }[]).map(({ id }) => id),
    );
  },
});

let panels: SimulatedPanels | undefined;
test.afterEach(async () => {
  await panels?.stop();
  panels = undefined;
});

const play = async (broker: Mosquitto, count: number, fate: (at: number) => Fate = () => 'good') => {
  panels = await SimulatedPanels.start({ url: broker.url, count, fate });
};
const onBroker = (broker: Mosquitto, more: Record<string, string> = {}) => ({
  env: { FACEPLATE_MQTT_URL: broker.url, FACEPLATE_MQTT_FLEET: 'true', FACEPLATE_MQTT_ID: 'owner', ...more },
});
const heard = (api: Api, count: number) =>
  expect
    .poll(async () => ((await api('/api/manage/fleet')).body as { panels: unknown[] }).panels.length)
    .toBe(count);
const begin = async (api: Api, params: object): Promise<string> => {
  const { status, body } = await api('/api/manage/fleet/rollout', { ...FETCH, healthyFor: 1, ...params });
  expect(body).toHaveProperty('id');
  expect(status).toBe(200);
  return (body as { id: string }).id;
};
const progressOf = async (api: Api, id: string) =>
  (await api(`/api/manage/fleet/rollout/${id}`)).body as unknown as Progress;
const ended = async (api: Api, id: string): Promise<Progress> => {
  await expect.poll(async () => (await progressOf(api, id)).state, { timeout: 40_000 }).not.toBe('running');
  return progressOf(api, id);
};

test('should list the panels of the broker with what they say', async ({ owner: api, broker }) => {
  await play(broker, 3, (at) => (at === 2 ? 'away' : 'good'));
  await heard(api, 4);
  const { body } = await api('/api/manage/fleet');
  const { panels: all } = body as { panels: Record<string, unknown>[] };
  expect(all.map(({ id, online }) => `${id} ${online}`)).toEqual([
    'owner true',
    'sim-0000 true',
    'sim-0001 true',
    'sim-0002 false',
  ]);
  expect(all[1]).toMatchObject({
    ...{ name: 'Simulated 0', version: '1.0.0', board: 'simulated', groups: ['all'] },
    page: { state: 'shown' },
    project: { id: 'lobby', name: 'Lobby', version: '000000000000' },
    update: null,
  });
});

test('should roll out to a group in waves, and show its course on the broker', async ({
  owner: api,
  broker,
}) => {
  await play(broker, 7, (at) => (at === 1 ? 'away' : at === 3 ? 'returns' : 'good'));
  await heard(api, 8);
  const id = await begin(api, { groups: ['all'], canary: 1, parallel: 3 });
  const done = await ended(api, id);
  expect(done).toMatchObject({ state: 'done', reason: null });
  expect(done.panels.map(({ state }) => state)).toEqual([
    'healthy',
    'offline',
    'healthy',
    'healthy',
    'healthy',
    'healthy',
    'healthy',
  ]);
  expect(panels!.told[0]).toBe('sim-0000');
  expect(panels!.told.filter((one) => one !== 'sim-0003')).toHaveLength(5);
  const { body } = await api('/api/manage/fleet');
  expect((body as { panels: { project: { version: string } }[] }).panels[1]?.project.version).toBe(
    'a'.repeat(12),
  );
  const { body: list } = await api('/api/manage/fleet/rollout');
  const { rollouts } = list as { rollouts: { id: string }[] };
  expect(rollouts.filter((one) => one.id === id)).toMatchObject([
    { id, state: 'done', counts: { healthy: 6, offline: 1 } },
  ]);
});

test('should stop after the canary with a bad project, and say why: 50 panels', async ({
  owner: api,
  broker,
}) => {
  await play(broker, 50, () => 'blank');
  await heard(api, 51);
  const startedAt = performance.now();
  const stopped = await ended(api, await begin(api, { groups: ['all'] }));
  expect(stopped).toMatchObject({ state: 'stopped', reason: 'sim-0000 failed: page blank' });
  expect(performance.now() - startedAt).toBeLessThan(10_000);
  expect(panels!.told).toEqual(['sim-0000']);
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
  try {
    const near = await startFaceplate({
      kiosk: false,
      env: { FACEPLATE_HTTP_ANNOUNCE_INTERFACE: 'lo', FACEPLATE_DEVICE_NAME: 'Near' },
    });
    await play(broker, 1);
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
    await panels?.stop();
    panels = undefined;
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

test('security: secrets, names and addresses should not be rolled out, and stand in no journal', async ({
  owner: api,
  broker,
}) => {
  await play(broker, 1);
  await heard(api, 2);
  for (const params of [{ sip: { password: 's3cret' } }, { 'device.name': 'Hall' }, { http: { port: 1 } }]) {
    const asked = { ids: ['sim-0000'], command: 'settings.change', params };
    const { status, body } = await api('/api/manage/fleet/rollout', asked);
    expect([status, (body as { code: string }).code]).toEqual([400, 'INVALID_REQUEST']);
    expect(JSON.stringify(body)).not.toContain('s3cret');
  }
  const { body } = await api('/api/manage/journal?limit=10');
  expect(JSON.stringify(body)).toContain('fleet.rollout');
  expect(JSON.stringify(body)).toContain('sip.password');
  expect(JSON.stringify(body)).not.toContain('s3cret');
  expect(panels!.told).toEqual([]);
});

test('should be off without mqtt.fleet', async ({ api }) => {
  for (const path of ['/api/manage/fleet', '/api/manage/fleet/rollout', '/api/manage/fleet/rollout/0'])
    expect((await api(path)).body).toMatchObject({ code: 'UNSUPPORTED_HARDWARE' });
});
