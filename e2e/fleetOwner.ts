import type { Mosquitto } from '../server/testing/mosquitto.ts';
import { type Api, apiOf } from './api.ts';
import { test as base, expect } from './fixtures.ts';
import { type Fate, forgetPanels, SimulatedPanels } from './peers/simulatedPanels.ts';

export { expect };

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

interface Fixtures {
  /** The API of the panel that rolls out, alone on the broker of the worker when a test begins. */
  owner: Api;
  /** Puts simulated panels on a broker, until the test ends. */
  play(broker: Mosquitto, count: number, fate?: (at: number) => Fate): Promise<SimulatedPanels>;
}

/** The tests of roll-outs to the panels of a broker. */
export const test = base.extend<Fixtures>({
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

  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern to learn what a fixture needs.
  play: async ({}, use) => {
    const started: SimulatedPanels[] = [];
    await use(async (broker, count, fate = () => 'good') => {
      const panels = await SimulatedPanels.start({ url: broker.url, count, fate });
      started.push(panels);
      return panels;
    });
    for (const panels of started) await panels.stop();
  },
});

/** A panel that may roll out to the others of a broker. */
export const onBroker = (broker: Mosquitto, more: Record<string, string> = {}) => ({
  env: { FACEPLATE_MQTT_URL: broker.url, FACEPLATE_MQTT_FLEET: 'true', FACEPLATE_MQTT_ID: 'owner', ...more },
});

/** Waits until the owner lists so many panels. */
export const heard = (api: Api, count: number) =>
  expect
    .poll(async () => ((await api('/api/manage/fleet')).body as { panels: unknown[] }).panels.length)
    .toBe(count);

/** Begins a roll-out. @returns its id */
export const begin = async (api: Api, params: object): Promise<string> => {
  const { status, body } = await api('/api/manage/fleet/rollout', { ...FETCH, healthyFor: 1, ...params });
  expect(body).toHaveProperty('id');
  expect(status).toBe(200);
  return (body as { id: string }).id;
};

/** How a roll-out ended. */
export const ended = async (api: Api, id: string): Promise<Progress> => {
  const progress = async () => (await api(`/api/manage/fleet/rollout/${id}`)).body as unknown as Progress;
  await expect.poll(async () => (await progress()).state, { timeout: 40_000 }).not.toBe('running');
  return progress();
};
