import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Browser, chromium, expect, test } from '@playwright/test';

const root = join(import.meta.dirname, '../..');

let site: ChildProcess;
let browser: Browser;
let address: string;

test.beforeAll(async () => {
  site = spawn(process.execPath, ['build/docs/main.ts'], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: site.stdout! })) {
    address = /http:\S+/.exec(line)?.[0] ?? '';
    if (address !== '') break;
  }
  // Playwright's own browser is not there; the kiosk's is.
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium' });
});

test.afterAll(async () => {
  await browser.close();
  site.kill('SIGINT');
  const [code] = await once(site, 'exit');
  expect(code).toBe(0);
});

test('should lead from the first page to a guide, and find a word without asking anybody', async () => {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  const asked: string[] = [];
  const faults: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).origin));
  page.on('console', (message) => faults.push(message.text()));
  page.on('pageerror', (error) => faults.push(error.message));
  await page.goto(address);
  await page.getByRole('main').getByRole('link', { name: 'Make a page for the panel' }).click();
  await expect(page).toHaveTitle(/Make a page for the panel/);
  await expect(page.getByRole('navigation').locator('[aria-current]')).toHaveText(
    'Make a page for the panel',
  );
  await page.keyboard.press('/');
  await page.keyboard.type('allowedOrigns');
  const results = page.getByRole('region', { name: 'Search results' });
  await results.getByRole('link', { name: 'Settings', exact: true }).click();
  await expect(page).toHaveURL(/settings\.html/);
  await page.keyboard.press('/');
  await page.keyboard.type('xyzzy');
  await expect(results).toHaveText('Nothing is found for "xyzzy".');
  await page.keyboard.press('Escape');
  await expect(results).toBeHidden();
  expect(new Set(asked)).toEqual(new Set([new URL(address).origin]));
  expect(faults).toEqual([]);
  await page.close();
});

test('should copy an example, show the sections of the page, and keep the look that was chosen', async () => {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    colorScheme: 'light',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const page = await context.newPage();
  await page.goto(`${address}hardware.html`);
  const sections = page.getByRole('navigation', { name: 'On this page' });
  await sections.getByRole('link', { name: 'Wiring' }).click();
  await expect(page).toHaveURL(/#wiring$/);
  const example = page.locator('.example', { hasText: 'groupadd --system faceplate' });
  await example.getByRole('button', { name: 'Copy' }).click();
  await expect(example.getByRole('button', { name: 'Copied' })).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^groupadd --system faceplate\n/);
  await page.getByRole('combobox', { name: 'Look' }).selectOption('Dark');
  await page.locator('a[rel=next]').click();
  await expect(page.locator('html')).toHaveCSS('background-color', 'rgb(15, 22, 33)');
  await context.close();
});

test('should fit a phone of 390 pixels, with the list of pages folded', async () => {
  const page = await browser.newPage({ viewport: { width: 390, height: 844 } });
  for (const path of ['', 'settings.html', 'contributing.html', 'caller.html']) {
    await page.goto(address + path);
    const widths = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    expect(widths[0], path).toBe(widths[1]);
    await expect(page.getByRole('navigation').getByRole('link', { name: 'Benchmarks' })).toBeHidden();
  }
  await page.getByText('All pages').click();
  await expect(page.getByRole('navigation').getByRole('link', { name: 'Benchmarks' })).toBeVisible();
  await page.close();
});
