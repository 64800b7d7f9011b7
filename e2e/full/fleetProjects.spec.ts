import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CliProcess } from '../../client/testing/cliProcess.ts';
import { Mosquitto } from '../../server/testing/mosquitto.ts';
import { zipFile } from '../../server/testing/zipFile.ts';
import { apiOf } from '../api.ts';
import { expect, test } from '../fixtures.ts';

const GOOD = zipFile([{ name: 'index.html', content: '<title>Lobby</title><h1>Lobby</h1>' }]);
const BAD = zipFile([{ name: 'index.html', content: '<title>x</title><script src="missing.js"></script>' }]);

interface Progress {
  readonly state: string;
  readonly reason: string | null;
  readonly endedAt: string | null;
  readonly panels: readonly { readonly id: string; readonly state: string }[];
}

test('should bring a project to real panels, by call and from the command line, and stop at the first page that does not work', async ({
  startFaceplate,
}) => {
  test.slow();
  const files = createServer(({ url }, response) => response.end(url === '/bad.zip' ? BAD : GOOD));
  await new Promise<void>((resolve) => files.listen(0, '127.0.0.1', resolve));
  const { port } = files.address() as AddressInfo;
  const broker = await Mosquitto.start();
  const panel = (id: string, kiosk = false) =>
    startFaceplate({
      kiosk,
      env: {
        FACEPLATE_MQTT_URL: broker.url,
        FACEPLATE_MQTT_ID: id,
        FACEPLATE_MQTT_GROUPS: 'hall',
        FACEPLATE_MQTT_SCOPES: 'view,control,manage',
        FACEPLATE_MQTT_FLEET: String(id === 'owner'),
      },
    });
  try {
    await panel('a', true);
    await panel('b');
    const owner = await panel('owner');
    const api = await apiOf(owner);
    await expect.poll(async () => ((await api('/api/manage/fleet')).body.panels as unknown[]).length).toBe(3);
    const projectAt = (name: string, archive: Buffer) => ({
      url: `http://127.0.0.1:${port}/${name}.zip`,
      sha256: createHash('sha256').update(archive).digest('hex'),
      name: 'Lobby',
    });
    const params = projectAt('good', GOOD);
    const asked = { groups: ['hall'], command: 'projects.fetch', params, healthyFor: 3 };
    const { id } = (await api('/api/manage/fleet/rollout', asked)).body;
    const progress = async () => (await api(`/api/manage/fleet/rollout/${id}`)).body as unknown as Progress;
    await expect.poll(async () => (await progress()).endedAt, { timeout: 60_000 }).not.toBeNull();
    const done = await progress();
    expect(done).toMatchObject({ state: 'done', reason: null });
    expect(done.panels.map(({ id, state }) => `${id} ${state}`)).toEqual([
      'a healthy',
      'b healthy',
      'owner healthy',
    ]);

    // The bad one from the command line, which follows it.
    const values = Object.entries(projectAt('bad', BAD)).map(([key, value]) => `${key}=${value}`);
    const options = ['--groups', 'hall', '--healthy-for', '3', '--json'];
    const line = new CliProcess(['rollout', 'projects.fetch', ...values, ...options], {
      env: { FACEPLATE_PANEL: await owner.url, FACEPLATE_TOKEN: await owner.token() },
    });
    const { code, stdout } = await line.ended();
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      state: 'stopped',
      reason: 'a failed: page failed',
      panels: [{ state: 'failed' }, { state: 'waiting' }, { state: 'waiting' }],
    });
  } finally {
    files.close();
    await broker.stop();
  }
});
