import { isAlive } from '../../server/testing/faceplateProcess.ts';
import { apiOf } from '../api.ts';
import { expect, test } from '../fixtures.ts';
import { kioskService } from '../kioskService.ts';

const DISPLAY = '/api/remote/display';

test('should show in the page what the LED is set to over HTTP', async ({ page, api }) => {
  for (const color of [
    { red: 10, green: 200, blue: 30 },
    { red: 0, green: 96, blue: 255 },
  ]) {
    await api('/api/remote/led/on', { on: true });
    const answer = await api('/api/remote/led/color', color);
    expect(answer).toEqual({ status: 200, body: { status: 'ok', state: { on: true, ...color } } });
    await expect(page.getByTestId('led-switch')).toBeChecked();
    await expect(page.getByTestId('led-red-value')).toHaveText(String(color.red));
    await expect(page.getByTestId('led-green-value')).toHaveText(String(color.green));
    await expect(page.getByTestId('led-blue-value')).toHaveText(String(color.blue));
  }
  await expect(page.getByTestId('led-swatch-blue')).toHaveAttribute('aria-pressed', 'true');
  await api('/api/remote/led/on', { on: false });
  await expect(page.getByTestId('led-switch')).not.toBeChecked();
});

test('should report over HTTP what the LED is set to in the page', async ({ page, api }) => {
  await page.getByTestId('led-switch').setChecked(false);
  await page.getByTestId('led-switch').check();
  await page.getByTestId('led-swatch-amber').click();
  const state = async () => (await api('/api/remote/led/state')).body;
  await expect.poll(state).toEqual({ status: 'ok', state: { on: true, red: 255, green: 140, blue: 0 } });
  await page.getByTestId('led-blue').fill('77');
  await expect.poll(state).toMatchObject({ state: { red: 255, green: 140, blue: 77 } });
});

test('should keep LED and display over a kill -9 of the service, which also ends its browser, and come up lit', async ({
  startFaceplate,
  openDemo,
  dataDir,
}) => {
  const killed = kioskService({ dataDir, kiosk: true });
  try {
    await killed.start();
    const page = await openDemo(killed);
    await page.getByTestId('led-switch').check();
    await page.getByTestId('led-swatch-green').click();
    const api = await apiOf(killed);
    const green = { status: 'ok', state: { on: true, red: 0, green: 255, blue: 64 } };
    await expect.poll(async () => (await api('/api/remote/led/state')).body).toEqual(green);
    const lit = (await api(DISPLAY)).body;
    expect((await api(DISPLAY, { on: false, brightness: 20, zoom: 1.5 })).body).toMatchObject({
      on: false,
      idle: 'off',
      brightness: 20,
    });
    expect((await api(`${DISPLAY}/activity`, {})).body).toMatchObject({ on: true, idle: 'active' });
    await api(DISPLAY, { on: false });
    expect((await api('/api/remote/health')).status).toBe(200);
    const browser = killed.descendants;
    expect(browser).not.toHaveLength(0);

    process.kill(killed.pid!, 'SIGKILL');
    expect(await killed.ended()).toEqual({ code: null, signal: 'SIGKILL' });
    // Does not wait for the old browser, which may still hold the profile: the new kiosk must start anyway.
    const after = await startFaceplate({ dataDir, kiosk: true });
    const again = await apiOf(after);
    expect((await again('/api/remote/led/state')).body).toEqual(green);
    await expect.poll(async () => (await again(DISPLAY)).body).toEqual({ ...lit, brightness: 20, zoom: 1.5 });
    const demo = await openDemo(after);
    await expect.poll(() => browser.filter(isAlive)).toEqual([]);
    await expect(demo.getByTestId('led-green-value')).toHaveText('255');
  } finally {
    await killed.stop();
  }
});
