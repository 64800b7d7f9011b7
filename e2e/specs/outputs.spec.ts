import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FaceplateProcessOptions } from '../../server/testing/faceplateProcess.ts';
import { freeTcpPort } from '../../server/testing/freePort.ts';
import { temporaryFolder } from '../../server/testing/temporaryFolder.ts';
import { apiOf, failure } from '../api.ts';
import { expect, test } from '../manageBrowser.ts';

/** Seconds without the page until the outputs are made safe. */
const AFTER_S = 4;
/** How late they may be, in milliseconds: a second, and what a busy machine adds to the calls of this test. */
const LATE_MS = 3_000;

/** Six pins in another order than a shipped panel; relay 3 moves a blind up, relay 4 down. */
const profile = {
  name: 'six-pins',
  gpio: {
    driver: 'simulated',
    labels: ['Pump', 'Fan', 'Blind up', 'Blind down', 'Bell', 'Door contact'],
    relays: [0, 1, 2, 3],
    interlock: [[2, 3]],
    safe: { 2: 0, 3: 0 },
    safeAfterPageLost: AFTER_S,
  },
};

let folder: string;
let board: FaceplateProcessOptions;
test.beforeAll(async () => {
  folder = temporaryFolder('board');
  const path = join(folder, 'six-pins.json');
  await writeFile(path, JSON.stringify(profile));
  board = { kiosk: true, args: ['--board', path] };
});

test('should show and switch the pins of another board in the page, in the app and over HTTP', async ({
  sharedFaceplate,
  openPage,
  openManage,
}) => {
  const service = await sharedFaceplate(board);
  const api = await apiOf(service);
  const pins = (await api('/api/remote/gpio')).body.pins as { label: string; kind: string }[];
  expect(pins.map(({ label, kind }) => `${label} ${kind}`)).toEqual([
    'Pump relay',
    'Fan relay',
    'Blind up relay',
    'Blind down relay',
    'Bell io',
    'Door contact io',
  ]);
  expect(await api('/api/remote/gpio/write', { pin: 6, level: 1 })).toEqual(
    failure(400, 'INVALID_REQUEST', /^pin must be 0 to 5\.$/, 'pin'),
  );

  const page = await openPage(service);
  await expect(page.getByTestId('pins-card').getByRole('listitem')).toHaveCount(6);
  await page.getByLabel('Fan', { exact: true }).check();
  await expect(page.getByTestId('pin-1-level')).toHaveText('CLOSED');
  await api('/api/remote/simulate', { part: 'gpio', pin: 5, level: 1 });
  await expect(page.getByTestId('pin-5-level')).toHaveText('HIGH');

  const { page: app } = await openManage(service, { token: await service.token(), at: '#/devices/hardware' });
  await expect(app.getByTestId('pin-level-1')).toHaveText('closed');
  await app.getByTestId('outside-4').click();
  await expect(app.getByTestId('pin-level-4')).toHaveText('high');
});

test('should lock the directions of a blind for all who call, and stop its motor when the page is lost', async ({
  sharedFaceplate,
  openPage,
}) => {
  const service = await sharedFaceplate(board);
  const api = await apiOf(service);
  const pin = async (number: number) =>
    ((await api('/api/remote/gpio')).body.pins as { level: number; lockedBy: number | null }[])[number];
  const pageState = async () => (await api('/api/remote/page')).body.state;
  await expect.poll(pageState, { timeout: 30_000 }).toBe('shown');

  expect((await api('/api/remote/gpio/pulse', { pin: 2, level: 1, ms: 3_600_000 })).status).toBe(200);
  expect(await pin(3)).toMatchObject({ level: 0, lockedBy: 2 });
  expect(await api('/api/remote/gpio/write', { pin: 3, level: 1 })).toEqual(
    failure(409, 'LOCKED_OUT', /^Blind down must never be on together with Blind up, which is on\.$/),
  );

  const page = await openPage(service);
  const refused = await page.evaluate(() => {
    const { container } = window as unknown as {
      container: { call(name: string, params: object): Promise<void> };
    };
    return container.call('gpio.pulse', { pin: 3, level: 1, ms: 100 }).catch(({ code }) => code);
  });
  expect(refused).toBe('LOCKED_OUT');

  // A reload that is fast enough is no loss.
  expect((await api('/api/manage/reload', {})).status).toBe(200);
  await expect.poll(pageState, { timeout: 30_000 }).toBe('shown');
  expect(await pin(2)).toMatchObject({ level: 1 });

  const url = `http://127.0.0.1:${await freeTcpPort()}/`;
  await api('/api/remote/page/show', { url });
  const gone = performance.now();
  await expect
    .poll(() => pin(2), { timeout: 30_000, intervals: [50] })
    .toMatchObject({ level: 0, pulseUntil: null });
  const took = performance.now() - gone;
  expect(took).toBeGreaterThan(AFTER_S * 1_000 - 1_000);
  expect(took).toBeLessThan(AFTER_S * 1_000 + LATE_MS);
});
