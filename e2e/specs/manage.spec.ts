import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { expect, test } from '../manageBrowser.ts';

/** What axe-core finds serious or critical in the page as it is now. */
async function seriousFaults(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(' | ')}`);
}

/** How many pixels the page is wider than its window. */
function tooWide(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
}

test('should take a token, keep it for the next visit, and forget it', async ({ panel, openManage }) => {
  const { page, complaints } = await openManage(panel);
  await page.getByTestId('token-field').fill('a-token-of-another-panel');
  await page.getByTestId('sign-in').click();
  await expect(page.getByTestId('token-mistake')).toHaveText(/not a token of this panel/);
  expect(await page.evaluate(() => localStorage.getItem('token'))).toBeNull();
  await page.getByTestId('token-field').fill(` ${await panel.token()} `);
  await page.getByTestId('sign-in').click();
  await expect(page.getByTestId('parts')).toContainText('gpio');
  await page.reload();
  await expect(page.getByTestId('parts')).toContainText('gpio');
  await page.getByTestId('sign-out').click();
  await expect(page.getByTestId('token-field')).toBeVisible();
  expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain(await panel.token());
  // The wrong token is the one thing that the browser itself reports.
  expect(complaints.filter((text) => !/401/.test(text))).toEqual([]);
});

test('security: should take a pairing code out of the address and the history at once', async ({
  panel,
  openManage,
}) => {
  const { page } = await openManage(panel, { at: '#pair=12345678' });
  await expect(page.getByTestId('pair-code')).toHaveValue('12345678');
  expect(page.url()).not.toContain('12345678');
  expect(await page.evaluate(() => history.length)).toBeLessThanOrEqual(2);
});

for (const [width, scheme] of [
  [390, 'light'],
  [390, 'dark'],
  [1280, 'light'],
  [1280, 'dark'],
] as const)
  test(`should open each view at ${width} px, ${scheme}, without a complaint`, async ({
    panel,
    openManage,
  }) => {
    test.slow();
    const { page, complaints } = await openManage(panel, { width, scheme, token: await panel.token() });
    await expect(page.getByTestId('view')).toBeVisible();
    const names = await page.evaluate(() =>
      [...document.querySelectorAll('nav a')].map((link) => link.getAttribute('href')!.slice(2)),
    );
    expect(names.length).toBeGreaterThanOrEqual(7);
    const faults: string[] = [];
    // The first one is open already.
    for (const name of [...names.slice(1), names[0]!]) {
      if (width < 800) await page.getByTestId('menu').click();
      await page.getByTestId(`tab-${name}`).click();
      await expect(page.getByTestId(`tab-${name}`)).toHaveAttribute('aria-current', 'page');
      await expect(page.getByTestId('view')).toBeVisible();
      await expect(page.getByText('Loading…')).toHaveCount(0);
      await expect(page.locator('main')).toBeFocused();
      faults.push(...(await seriousFaults(page)).map((fault) => `${name}: ${fault}`));
      expect(await tooWide(page), name).toBe(0);
    }
    expect(faults).toEqual([]);
    expect(complaints).toEqual([]);
  });

test('should need at most 400 kB until first use', async ({ panel, openManage }) => {
  const { page } = await openManage(panel, { token: await panel.token() });
  await expect(page.getByTestId('parts')).toContainText('gpio');
  const bytes = await page.evaluate(() => {
    const files = performance.getEntriesByType('resource') as PerformanceResourceTiming[];
    const [page] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
    const ours = files.filter(({ name }) => !name.includes('/api/'));
    return [page!, ...ours].reduce((sum, { transferSize }) => sum + transferSize, 0);
  });
  expect(bytes).toBeLessThan(400_000);
});
