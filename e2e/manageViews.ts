import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';
import type { House } from './manageBrowser.ts';

/** What axe-core finds serious or critical in the page as it is now. */
export async function seriousFaults(page: Page): Promise<string[]> {
  // There are no frames, for which it would open another page at each look.
  const { violations } = await new AxeBuilder({ page })
    .setLegacyMode()
    .options({ resultTypes: ['violations'] })
    .analyze();
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(' | ')}`);
}

/** How many pixels the page is wider than its window. */
export function tooWide(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
}

/** Opens each view by the menu, as a person does: nothing serious for axe-core, nothing too wide, no complaint. */
export async function openEachView({ page, complaints }: House, width: number): Promise<void> {
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
}
