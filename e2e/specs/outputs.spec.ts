import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as passed } from 'node:timers/promises';
import { freeTcpPort } from '../../server/testing/freePort.ts';
import { apiOf, failure } from '../api.ts';
import { expect, test } from '../fixtures.ts';
import { browserOf } from '../kioskService.ts';

/** Seconds without the page until the outputs are made safe. */
const AFTER_S = 4;
/** How late they may be, in milliseconds: a second, and what a busy machine adds to the calls of this test. */
const LATE_MS = 3_000;

/** A blind's motor: relay 1 is up, relay 2 is down. */
const blind = {
  name: 'blind',
  gpio: {
    driver: 'simulated',
    labels: ['Window', 'Wind', 'Blind up', 'Blind down'],
    interlock: [[2, 3]],
    safe: { 2: 0, 3: 0 },
    safeAfterPageLost: AFTER_S,
  },
};

test('should lock the directions of a blind for all who call, and stop its motor when the page is lost', async ({
  startFaceplate,
  openPage,
}, info) => {
  const board = info.outputPath('blind.json');
  await writeFile(board, JSON.stringify(blind));
  const service = await startFaceplate({ kiosk: true, args: ['--board', board] });
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

test('should end pulses before all else at a stop, however long the browser takes', async ({
  startFaceplate,
}) => {
  const service = await startFaceplate({ kiosk: true });
  const api = await apiOf(service);
  expect((await api('/api/remote/gpio/pulse', { pin: 2, level: 1, ms: 3_600_000 })).status).toBe(200);
  const pulses = async () =>
    JSON.parse(await readFile(join(service.dataDir, 'outputs.json'), 'utf8')).value.pulses as unknown[];
  expect(await pulses()).toHaveLength(1);
  // A browser that hangs is killed when its time is over.
  process.kill(browserOf(service), 'SIGSTOP');
  const from = performance.now();
  const stopped = service.stop('SIGTERM');
  // The folder goes with the service.
  while ((await pulses().catch(() => [])).length > 0) await passed(20);
  const safeAfter = performance.now() - from;
  expect(safeAfter).toBeLessThan((await stopped).ms / 2);
});
