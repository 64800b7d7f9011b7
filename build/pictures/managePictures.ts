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

/**
 * Makes a picture of each step of the first set-up on the glass, as `setup-<step>.png`. It skips what can be skipped.
 * @param devtools address of the debugging port of a panel that was started with `--wizard`
 */
export async function shootSetup(devtools: string, folder: string): Promise<void> {
  const browser = await chromium.connectOverCDP(devtools, { noDefaults: true });
  let page: Page | undefined;
  while (page === undefined) {
    await new Promise((resolve) => setTimeout(resolve, 200));
    const pages = browser.contexts().flatMap((context) => context.pages());
    page = pages.find((one) => one.url().startsWith('http://settings.localhost'));
  }
  await page.setViewportSize({ width: 1280, height: 800 });
  const wizard = page.getByTestId('wizard');
  const onward = page.getByTestId('setup-skip').or(page.getByTestId('setup-next')).first();
  for (let step: string | null = null; step !== 'done'; ) {
    await wizard.and(page.locator(`:not([data-step="${step}"])`)).waitFor();
    step = await wizard.getAttribute('data-step');
    if (step === 'name') await page.getByRole('button', { name: 'Hall' }).click();
    await page.waitForTimeout(SETTLE_MS);
    await shoot(page, join(folder, `setup-${step}.png`));
    if (step !== 'done') await onward.click();
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
