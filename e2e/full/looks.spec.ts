import { mkdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { Page } from '@playwright/test';
import { buildStories } from '../../build/bundle/manageApp.ts';
import { temporaryFolder } from '../../server/testing/temporaryFolder.ts';
import { contrastFaults, layoutFaults } from '../looks.ts';
import { expect, test } from '../manageBrowser.ts';
import { viewPaths } from '../manageViews.ts';

const root = join(import.meta.dirname, '../..');
/** Pictures for the eye, one for each look; not in git. */
const PICTURES = join(root, 'dist/stories');

/** Windows of browsers, and the screens of panels. */
const SIZES = [
  { width: 320, height: 700 },
  { width: 390, height: 844 },
  { width: 1280, height: 800 },
  { width: 480, height: 480, glass: true },
  { width: 800, height: 1280, glass: true },
  { width: 1280, height: 800, glass: true },
] as const;
const LOCALES = { en: 'en-GB', de: 'de-DE' } as const;

/** Looks at a page that is open in all sizes: what is wrong with its layout, and with its colours in light and dark. */
async function faultsIn(page: Page, name: string): Promise<string[]> {
  const faults: string[] = [];
  await page.emulateMedia({ colorScheme: 'light' });
  for (const size of SIZES) {
    const { width, height } = size;
    const door = 'glass' in size ? 'glass' : 'browser';
    await page.setViewportSize({ width, height });
    // The size of letters, of targets and the colours of the glass hang on this word.
    await page.evaluate((now) => {
      document.documentElement.dataset.door = now;
    }, door);
    await page.evaluate('document.fonts.ready');
    const look = `${name}-${door}-${width}x${height}`;
    faults.push(...(await layoutFaults(page)).map((fault) => `${look}: ${fault}`));
    const fullPage = door === 'browser';
    await page.screenshot({ path: join(PICTURES, `${look}.png`), fullPage });
  }
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.evaluate(() => {
      document.documentElement.dataset.door = 'browser';
    });
    faults.push(...(await contrastFaults(page)).map((fault) => `${name}-${colorScheme}: ${fault}`));
    if (colorScheme === 'dark') await page.screenshot({ path: join(PICTURES, `${name}-dark.png`) });
  }
  return faults;
}

for (const [language, locale] of Object.entries(LOCALES)) {
  test(`should look right in each story, in ${language}`, async ({ houseBrowser }) => {
    test.slow();
    mkdirSync(PICTURES, { recursive: true });
    const folder = temporaryFolder('stories');
    await buildStories(root, folder);
    const context = await houseBrowser.newContext({ locale, reducedMotion: 'reduce' });
    try {
      const page = await context.newPage();
      await page.route('http://stories.localhost/**', (route) => {
        const name = new URL(route.request().url()).pathname.slice(1) || 'index.html';
        const contentType = { '.js': 'text/javascript', '.css': 'text/css', '.html': 'text/html' }[
          extname(name)
        ];
        return route.fulfill({ body: readFileSync(join(folder, name)), ...(contentType && { contentType }) });
      });
      const faults: string[] = [];
      await page.goto('http://stories.localhost/');
      const names = (await page.evaluate('stories')) as string[];
      expect(names.length).toBeGreaterThan(2);
      for (const name of names) {
        await page.goto(`http://stories.localhost/#${name}`);
        faults.push(...(await faultsIn(page, `${language}-story-${name}`)));
      }
      for (const key of [
        'kiosk.pages',
        'streams.cameras',
        'idle.saverAfter',
        'approval.commands',
        'streams.udpHosts',
      ]) {
        await page.goto('http://stories.localhost/#settings');
        await page.getByTestId(`value-${key}`).click();
        const first = page.getByTestId('editor-field-0-edit');
        if ((await first.isVisible()) && (await page.getByTestId('editor-field-0-name').count()) === 0)
          await first.click();
        await page.getByTestId('editor-save').click();
        await expect(page.getByTestId('editor-mistake')).not.toBeEmpty();
        faults.push(...(await faultsIn(page, `${language}-editor-${key}`)));
        await page.getByTestId('editor-cancel').click();
      }
      await page.evaluate('ask()');
      faults.push(...(await faultsIn(page, `${language}-dialog`)));
      expect(faults).toEqual([]);
    } finally {
      await context.close();
    }
  });

  test(`should look right in each view, in ${language}`, async ({ panel, openManage }) => {
    test.setTimeout(600_000);
    mkdirSync(PICTURES, { recursive: true });
    const { page } = await openManage(panel, { token: await panel.token(), locale });
    const faults: string[] = [];
    for (const path of await viewPaths(page)) {
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.goto(`${await panel.url}/manage/#/${path}`);
      await expect(page.getByTestId('view')).toBeVisible();
      await page.waitForTimeout(700);
      faults.push(...(await faultsIn(page, `${language}-view-${path.replaceAll('/', '-')}`)));
    }
    expect(faults).toEqual([]);
  });
}
