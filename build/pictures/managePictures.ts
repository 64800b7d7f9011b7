import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Page } from '@playwright/test';

/** The two widths that the documentation shows, in both themes. */
const LOOKS = [
  { name: 'phone', viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
  { name: 'desktop', viewport: { width: 1280, height: 800 }, colorScheme: 'light' },
] as const;
/** Time for live pictures and charts to be there, in milliseconds. */
const SETTLE_MS = 1_500;
/** Enough for flat surfaces and a small picture of the page. */
const COLOURS = 96;

/**
 * Makes a picture of each view of /manage/, as `manage-<view>-<look>.png`.
 * @param url of a service that runs
 */
export async function shootManage(url: string, token: string, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium' });
  for (const { name, ...look } of LOOKS) {
    const context = await browser.newContext({ ...look, locale: 'en-GB', reducedMotion: 'reduce' });
    const page = await context.newPage();
    await page.goto(`${url}/manage/`);
    await shoot(page, join(folder, `manage-sign-in-${name}.png`));
    await context.addInitScript(`localStorage.setItem('token', ${JSON.stringify(token)})`);
    await page.reload();
    await page.getByTestId('view').waitFor();
    const paths: string[] = [];
    for (const first of await pathsOf(page, '.rail a')) {
      await page.goto(`${url}/manage/#/${first}`);
      await page.locator('.rail a[aria-current="page"]').waitFor({ state: 'attached' });
      const tabs = await pathsOf(page, '.tabs a');
      paths.push(...(tabs.length > 0 ? tabs : [first]));
    }
    for (const path of paths) {
      await page.goto(`${url}/manage/#/${path}`);
      await page.getByTestId('view').waitFor();
      await page.waitForTimeout(SETTLE_MS);
      await shoot(page, join(folder, `manage-${path.replace('/', '-')}-${name}.png`));
    }
    await context.close();
  }
  await browser.close();
}

async function pathsOf(page: Page, links: string): Promise<string[]> {
  const all = await page.locator(links).all();
  return Promise.all(all.map(async (link) => (await link.getAttribute('href'))!.slice(2)));
}

/** Fewer colours: a third of the bytes, without a visible difference. */
async function shoot(page: Page, path: string): Promise<void> {
  await page.screenshot({ path });
  const palette = [
    '-dither',
    'None',
    '-colors',
    String(COLOURS),
    '-strip',
    '-define',
    'png:compression-level=9',
  ];
  execFileSync('convert', [path, ...palette, `PNG8:${path}`]);
  console.log(`wrote ${path}`);
}
