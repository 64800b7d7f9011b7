import { apiOf } from '../api.ts';
import { expect, test } from '../manageBrowser.ts';
import { seriousFaults, tooWide } from '../manageViews.ts';

test('should show commands, page and pins side by side in time', async ({ startFaceplate, openManage }) => {
  const panel = await startFaceplate();
  const api = await apiOf(panel);
  const { page, complaints } = await openManage(panel, {
    token: await panel.token(),
    at: '#/people/activity',
    developer: true,
  });
  const rows = page.getByTestId('timeline').getByRole('listitem');
  await expect(rows).toHaveText('Nothing happened in this time.');
  await api('/api/remote/led/color', { red: 1, green: 2, blue: 3 });
  await api('/api/remote/led/color', { red: 999, green: 2, blue: 3 });
  await api('/api/remote/gpio/write', { pin: 2, level: 1 });
  await api('/api/remote/simulate', { part: 'gpio', pin: 0, level: 1 });
  await api('/api/remote/page/home', {});
  await page.getByTestId('refresh').click();

  await expect(rows).toHaveCount(7);
  await expect(rows.filter({ hasText: 'INVALID_REQUEST' })).toHaveCount(1);
  // Without a screen there is no page to go home.
  await expect(rows.nth(0)).toContainText(/Go back to the home page\s*page\.home\s*UNSUPPORTED_HARDWARE/);
  // Each band of the strip: two lanes and four pins; the level of a relay changes in it.
  await expect(page.getByTestId('strip').locator('svg')).toHaveCount(6);
  await expect(page.getByTestId('strip').locator('path.refused')).toHaveCount(2);
  await expect(page.getByTestId('strip').locator('path.pins').nth(2)).toHaveAttribute(
    'd',
    /^M[\d.]+,17H[\d.]+V3H1000$/,
  );

  // A click shows all of an entry.
  await rows.filter({ hasText: 'Relay 1' }).getByRole('button').click();
  await expect(page.getByTestId('details')).toContainText('the panel');
  await rows.filter({ hasText: 'IO 1' }).getByRole('button').click();
  await expect(page.getByTestId('details')).toContainText('outside');
  await rows.filter({ hasText: 'gpio.write' }).getByRole('button').click();
  await expect(page.getByTestId('details')).toContainText('{"pin":2,"level":1}');
  await expect(page.getByTestId('details')).toContainText('owner (http, 127.0.0.1)');

  // Filter, lanes and range.
  await page.getByTestId('filter').fill('Relay 1');
  await expect(rows).toHaveCount(1);
  await page.getByTestId('filter').fill('');
  await page.getByTestId('lane-commands').click();
  await expect(rows).toHaveCount(3);
  await expect(page.getByTestId('strip').locator('svg')).toHaveCount(5);
  await page.getByTestId('lane-commands').click();
  await page.getByTestId('range').selectOption('minutes');
  await expect(rows).toHaveCount(7);

  // What happens now comes by itself.
  await api('/api/remote/simulate', { part: 'gpio', pin: 0, level: 0 });
  await expect(rows).toHaveCount(9, { timeout: 15_000 });
  expect(complaints).toEqual([]);
});

for (const [width, scheme, locale, pins] of [
  [390, 'dark', 'de-DE', 'Pins'],
  [390, 'light', 'es-ES', 'Pines'],
  [1280, 'light', 'en-GB', 'Pins'],
] as const)
  test(`should fit a screen of ${width} px, ${scheme}, in ${locale}`, async ({ panel, openManage }) => {
    const api = await apiOf(panel);
    await api('/api/remote/gpio/write', { pin: 3, level: 0 });
    await api('/api/remote/gpio/write', { pin: 3, level: 1 });
    await api('/api/remote/page/show', { url: `http://${'x'.repeat(200)}.invalid/` });
    await api('/api/remote/page/home', {});
    const look = {
      token: await panel.token(),
      at: '#/people/activity',
      width,
      scheme,
      locale,
      developer: true,
    };
    const { page, complaints } = await openManage(panel, look);
    await expect(page.getByTestId('lane-pins')).toHaveText(pins);
    const row = page.getByTestId('timeline').getByRole('listitem').filter({ hasText: 'gpio.write' }).first();
    await row.getByRole('button').click();
    await expect(page.getByTestId('details')).toBeVisible();
    expect(await seriousFaults(page)).toEqual([]);
    expect(await tooWide(page)).toBe(0);
    expect(complaints).toEqual([]);
  });

test('should say in words who did what, repeats in one row, without what developers need', async ({
  startFaceplate,
  openManage,
}) => {
  const panel = await startFaceplate();
  const api = await apiOf(panel);
  for (let times = 0; times < 3; times++) await api('/api/remote/led/on', { on: true });
  await api('/api/remote/led/color', { red: 999, green: 2, blue: 3 });
  const { page } = await openManage(panel, { token: await panel.token(), at: '#/people/activity' });
  const rows = page.getByTestId('timeline').getByRole('listitem');
  await expect(rows).toHaveCount(2);
  await expect(rows.first()).toContainText('not done');
  await expect(rows.last()).toContainText('3 times');
  await expect(rows.last()).toContainText('owner');
  await expect(page.getByTestId('timeline')).not.toContainText(/led\.|INVALID_REQUEST|\{\}/);
});
