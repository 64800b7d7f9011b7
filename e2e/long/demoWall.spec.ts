import { AxeBuilder } from '@axe-core/playwright';
import { apiOf } from '../api.ts';
import { expect, test } from '../fixtures.ts';
import { glassOf } from '../kioskService.ts';

test('should set the light and the volume by its sliders, and follow what others set', async ({
  page,
  panel,
}) => {
  const api = await apiOf(panel);
  await api('/api/remote/display', { brightness: 60, volume: 40 });
  await page.getByTestId('show-screen').click();
  await expect(page.getByTestId('screen-card')).toBeVisible();
  await expect(page.getByTestId('udp-card')).toBeHidden();
  await expect(page.getByTestId('screen-brightness')).toHaveValue('60');
  await page.getByTestId('screen-brightness').fill('30');
  await page.getByTestId('screen-volume').fill('55');
  await expect
    .poll(async () => (await api('/api/remote/display')).body)
    .toMatchObject({ brightness: 30, volume: 55 });
  await api('/api/remote/display', { brightness: 80 });
  await expect(page.getByTestId('screen-brightness')).toHaveValue('80');
  await page.getByTestId('screen-dark').click();
  await expect.poll(async () => (await api('/api/remote/display')).body).toMatchObject({ on: false });
  await api('/api/remote/display', { on: true });
});

test('should show a message, ask a question, and say which answer was pressed', async ({ page }) => {
  const glass = await glassOf(page);
  await page.getByTestId('show-screen').click();
  await page.getByTestId('screen-text').fill('Dinner is <b>ready</b>');
  await page.getByTestId('screen-dialog').click();
  await expect(glass.getByRole('alertdialog')).toContainText('Dinner is <b>ready</b>');
  await glass.getByRole('button', { name: 'Coming' }).click();
  await expect(page.getByTestId('screen-status')).toHaveText('They are coming.');
  await page.getByTestId('screen-banner').click();
  await expect(glass.locator('#message-text')).toHaveText('Dinner is <b>ready</b>');
  await expect(glass.locator('#message-text')).toBeHidden({ timeout: 15_000 });
});

test('should take a form by Enter, field by field', async ({ page }) => {
  await page.getByTestId('show-keyboard').click();
  await expect(page.getByTestId('pins-card')).toBeHidden();
  await page.getByTestId('keyboard-name').fill('Ada');
  await page.getByTestId('keyboard-name').press('Enter');
  await expect(page.getByTestId('keyboard-room')).toBeFocused();
  await page.getByTestId('keyboard-room').fill('12');
  await page.getByTestId('keyboard-room').press('Enter');
  await page.getByTestId('keyboard-code-field').fill('4711');
  await page.getByTestId('keyboard-code-field').press('Enter');
  await expect(page.getByTestId('keyboard-status')).toHaveText('Ada, room 12, 4 digits.');
  await expect(page.getByTestId('keyboard-code-field')).not.toBeFocused();
  await page.getByTestId('show-pins').click();
  await expect(page.getByTestId('pins-card')).toBeVisible();
});

for (const [width, height] of [
  [1280, 800],
  [800, 1280],
  [480, 480],
] as const)
  test(`should fit both cards on ${width} by ${height}`, async ({ page }) => {
    const old = page.viewportSize() ?? { width: 1280, height: 800 };
    await page.setViewportSize({ width, height });
    for (const [button, name] of [
      ['show-screen', 'screen'],
      ['show-keyboard', 'keyboard'],
    ] as const) {
      await page.getByTestId(button).click();
      const card = page.getByTestId(`${name}-card`);
      expect(
        await card.evaluate((element) => element.scrollHeight - element.clientHeight),
      ).toBeLessThanOrEqual(0);
      // The line at the bottom is inside the card, and no row lies over it.
      const [box, line] = [await card.boundingBox(), await page.getByTestId(`${name}-status`).boundingBox()];
      expect(line!.y + line!.height).toBeLessThanOrEqual(box!.y + box!.height);
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
    const { violations } = await new AxeBuilder({ page }).setLegacyMode().include('main').analyze();
    expect(violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')).toEqual([]);
    await page.setViewportSize(old);
  });
