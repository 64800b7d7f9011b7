import { chromium } from '@playwright/test';
import { apiOf } from '../api.ts';
import { expect, test } from '../fixtures.ts';

/** Local time that many minutes from now, in the format of the alarm. */
function clockTime(minutes: number): string {
  const time = new Date(Date.now() + minutes * 60_000);
  return [time.getHours(), time.getMinutes()].map((part) => String(part).padStart(2, '0')).join(':');
}

test('should go dark when the schedule says so, and wake at a touch that the page never sees', async ({
  startFaceplate,
  openDemo,
}) => {
  const service = await startFaceplate({ kiosk: true });
  const api = await apiOf(service);
  const page = await openDemo(service);
  await page.evaluate(() => {
    const state = { power: [] as string[], touches: 0 };
    Object.assign(window, { seen: state });
    window.container?.on('power', ({ state: power }) => state.power.push(power));
    window.addEventListener('pointerdown', () => state.touches++, { capture: true });
    window.addEventListener('click', () => state.touches++, { capture: true });
  });
  const seen = () => page.evaluate(() => (window as unknown as { seen: object }).seen);

  const alarm = { enabled: true, onTime: clockTime(90), offTime: clockTime(1), onDays: [] };
  expect((await api('/api/remote/rtc/alarm', alarm)).status).toBe(200);
  await expect.poll(seen, { timeout: 90_000 }).toEqual({ power: ['asleep'], touches: 0 });

  const browser = await chromium.connectOverCDP(await service.devtoolsUrl, { noDefaults: true });
  const dark = browser
    .contexts()
    .flatMap((context) => context.pages())
    .find((other) => !other.url().startsWith('http'));
  expect(dark).toBeDefined();
  await dark!.mouse.click(300, 300);
  await expect.poll(seen).toEqual({ power: ['asleep', 'awake'], touches: 0 });
  await page.getByTestId('pin-2-switch').check();
  await expect(page.getByTestId('pin-2-level')).toHaveText('CLOSED');
  await browser.close();
});
