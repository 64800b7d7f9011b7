import { begin, ended, expect, heard, test } from '../fleetOwner.ts';

test('should list the panels of the broker with what they say', async ({ owner: api, broker, play }) => {
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
  play,
}) => {
  const panels = await play(broker, 7, (at) => (at === 1 ? 'away' : at === 3 ? 'returns' : 'good'));
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
  expect(panels.told[0]).toBe('sim-0000');
  expect(panels.told.filter((one) => one !== 'sim-0003')).toHaveLength(5);
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

test('security: secrets, names and addresses should not be rolled out, and stand in no journal', async ({
  owner: api,
  broker,
  play,
}) => {
  const panels = await play(broker, 1);
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
  expect(panels.told).toEqual([]);
});

test('should be off without mqtt.fleet', async ({ api }) => {
  for (const path of ['/api/manage/fleet', '/api/manage/fleet/rollout', '/api/manage/fleet/rollout/0'])
    expect((await api(path)).body).toMatchObject({ code: 'UNSUPPORTED_HARDWARE' });
});
