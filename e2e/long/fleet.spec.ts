import { Mosquitto } from '../../server/testing/mosquitto.ts';
import { apiOf } from '../api.ts';
import { expect, test } from '../fixtures.ts';
import { type Fate, SimulatedPanels } from '../peers/simulatedPanels.ts';
import { probe, probedEnv } from '../sweep/probe.ts';

/** One panel of twenty fails in each of these ways: 5 %. */
const FATES: readonly Fate[] = [
  'FORBIDDEN',
  'INVALID_REQUEST',
  'STORAGE_FULL',
  'UPDATE_FAILED',
  'failed',
  'blank',
  'returns',
  'away',
];
const EVERY = 20;
const PANELS = 200;
const fateOf = (at: number): Fate => FATES[at % EVERY] ?? 'good';

interface Progress {
  readonly state: string;
  readonly reason: string | null;
  readonly panels: readonly { readonly id: string; readonly state: string; readonly reason: string | null }[];
}

test('should roll out to 200 panels of which 5 % fail in each way: each failure stops it, nobody is lost', async ({
  startFaceplate,
}) => {
  test.setTimeout(280_000);
  const broker = await Mosquitto.start();
  const panels = await SimulatedPanels.start({ url: broker.url, count: PANELS, fate: fateOf });
  try {
    const service = await startFaceplate({
      kiosk: false,
      env: { FACEPLATE_MQTT_URL: broker.url, FACEPLATE_MQTT_FLEET: 'true', FACEPLATE_MQTT_ID: 'owner' },
    });
    const api = await apiOf(service);
    await expect
      .poll(async () => ((await api('/api/manage/fleet')).body as { panels: unknown[] }).panels.length)
      .toBe(PANELS + 1);
    const results = new Map<string, string>();
    let left = panels.ids;
    let rollouts = 0;
    while (left.length > 0) {
      const { body } = await api('/api/manage/fleet/rollout', {
        ids: left,
        command: 'projects.fetch',
        params: { url: 'http://files.lan/lobby.zip', sha256: 'a'.repeat(64), name: 'Lobby' },
        ...{ canary: 1, parallel: 25, healthyFor: 1 },
      });
      const progress = async () =>
        (await api(`/api/manage/fleet/rollout/${body.id}`)).body as unknown as Progress & { endedAt: string };
      await expect.poll(async () => (await progress()).endedAt, { timeout: 60_000 }).not.toBeNull();
      const { state, reason, panels: after } = await progress();
      const ended = after.filter((panel) => panel.state !== 'waiting');
      expect(ended.length).toBeGreaterThan(0);
      const failed = ended.filter((panel) => panel.state === 'failed');
      expect(state).toBe(failed.length > 0 ? 'stopped' : 'done');
      if (state === 'stopped')
        expect(failed.map((panel) => `${panel.id} failed: ${panel.reason}`)).toContain(reason);
      for (const panel of ended) results.set(panel.id, panel.reason ?? panel.state);
      left = after.filter((panel) => panel.state === 'waiting').map(({ id }) => id);
      rollouts++;
    }
    const counts: Record<string, number> = {};
    for (const result of results.values()) counts[result] = (counts[result] ?? 0) + 1;
    const each = PANELS / EVERY;
    // What came back when a failure had stopped the roll-out is told nothing more.
    const lost = 'it came back without an answer, after the roll-out was stopped';
    counts.healthy = (counts.healthy ?? 0) + (counts[lost] ?? 0);
    delete counts[lost];
    expect(counts).toEqual({
      ...{ FORBIDDEN: each, INVALID_REQUEST: each, STORAGE_FULL: each, UPDATE_FAILED: each },
      ...{ 'page failed': each, 'page blank': each, offline: each },
      healthy: PANELS - 7 * each,
    });
    // Whoever came back in the middle was told once more, nobody else.
    const told = Map.groupBy(panels.told, (id) => id);
    expect([...told.values()].every((times) => times.length <= 2)).toBe(true);
    expect(panels.mostAtOnce).toBeLessThanOrEqual(25);
    expect(rollouts).toBeLessThanOrEqual(6 * each);
  } finally {
    await panels.stop();
    await broker.stop();
  }
});

test('should list 1,000 panels in under 100 ms, and need less than 30 MiB for them', async ({
  startFaceplate,
}) => {
  const broker = await Mosquitto.start();
  const service = await startFaceplate({
    kiosk: false,
    env: {
      ...probedEnv,
      FACEPLATE_MQTT_URL: broker.url,
      FACEPLATE_MQTT_FLEET: 'true',
      FACEPLATE_MQTT_ID: 'owner',
    },
  });
  const api = await apiOf(service);
  // What is in use: on a busy machine garbage of a thousand connections is collected late.
  const memory = async () => (await probe(service)).used;
  // What the first few cost is code that is made ready once.
  const few = await SimulatedPanels.start({ url: broker.url, count: 50 });
  await api('/api/manage/fleet');
  await few.stop();
  const before = await memory();
  const panels = await SimulatedPanels.start({ url: broker.url, count: 1_000 });
  const list = async () => ((await api('/api/manage/fleet')).body as { panels: unknown[] }).panels.length;
  try {
    await expect.poll(list, { intervals: [2_000] }).toBe(1_001);
    const grown = ((await memory()) - before) / 1_024 ** 2;
    const times: number[] = [];
    for (let at = 0; at < 20; at++) {
      const startedAt = performance.now();
      await list();
      times.push(performance.now() - startedAt);
    }
    const median = times.sort((one, other) => one - other)[10]!;
    process.stdout.write(
      `fleet list of 1,000: median ${median.toFixed(1)} ms, memory +${grown.toFixed(1)} MiB\n`,
    );
    expect(median).toBeLessThan(100);
    expect(grown).toBeLessThan(30);
  } finally {
    await panels.stop();
    await broker.stop();
  }
});
