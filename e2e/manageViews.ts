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

/** Opens a view by menu and tabs, as a person does. @param path as in its address: `content/projects` */
export async function openView(page: Page, path: string): Promise<void> {
  const [entry, view] = await placeIn(page, path);
  const link = page.getByTestId(`entry-${entry}`);
  if (!(await link.isVisible())) await page.getByTestId('more').click();
  await link.click();
  if (view !== undefined) await page.getByTestId(`tab-${view}`).click();
}

/** Opens the group of a setting among all of them, at the setting. */
export async function openSetting(page: Page, key: string): Promise<void> {
  await page.evaluate((hash) => {
    location.hash = hash;
  }, `#/system/settings/${key}`);
  await expect(page.getByTestId(`setting-${key}`)).toBeVisible();
}

/** The entry and the tab that lead to a view: the fleet has an entry of its own only where others are heard. */
async function placeIn(page: Page, path: string): Promise<string[]> {
  await page.getByTestId('entry-home').waitFor({ state: 'attached' });
  const hasFleet = (await page.getByTestId('entry-fleet').count()) > 0;
  return path === 'fleet' && !hasFleet ? ['connections', 'fleet'] : path.split('/');
}

/** The paths of all views that the menu has now. */
export async function viewPaths(page: Page): Promise<string[]> {
  const paths = (links: string) =>
    page.evaluate(
      (selector) =>
        [...document.querySelectorAll(selector)].map((link) => link.getAttribute('href')!.slice(2)),
      links,
    );
  await expect(page.getByTestId('view')).toBeVisible();
  const all: string[] = [];
  for (const first of await paths('.rail a')) {
    await openView(page, first.split('/')[0]!);
    await expect(page.getByTestId('view')).toBeVisible();
    const tabs = await paths('.tabs a');
    all.push(...(tabs.length > 0 ? tabs : [first]));
  }
  return all;
}

/** Opens each view by the menu, as a person does: nothing serious for axe-core, nothing too wide, no complaint. */
export async function openEachView({ page, complaints }: House): Promise<void> {
  const faults: string[] = [];
  const paths = await viewPaths(page);
  expect(paths.length).toBeGreaterThanOrEqual(20);
  for (const path of paths) {
    const [entry, view] = await placeIn(page, path);
    await openView(page, path);
    await expect(page.getByTestId(`entry-${entry}`)).toHaveAttribute('aria-current', 'page');
    if (view !== undefined)
      await expect(page.getByTestId(`tab-${view}`)).toHaveAttribute('aria-current', 'page');
    await expect(page.getByTestId('view')).toBeVisible();
    await expect(page.getByText('Loading…')).toHaveCount(0);
    await expect(page.locator('main')).toBeFocused();
    faults.push(...(await seriousFaults(page)).map((fault) => `${path}: ${fault}`));
    expect(await tooWide(page), path).toBe(0);
  }
  expect(faults).toEqual([]);
  expect(complaints).toEqual([]);
}
