import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { chromium } from '@playwright/test';
import { FaceplateProcess } from '../../server/testing/faceplateProcess.ts';
import type { Bench } from './bench.ts';

/** What the browser fetched of the app, and when its document was ready; the answers of the API do not count. */
const FIRST_USE = `(() => {
  const [page] = performance.getEntriesByType('navigation');
  const files = performance.getEntriesByType('resource').filter(({ name }) => !name.includes('/api/'));
  return {
    loaded: page.domContentLoadedEventEnd,
    bytes: [page, ...files].reduce((sum, { transferSize }) => sum + transferSize, 0),
  };
})()`;

export const manageBench: Bench = {
  name: 'manage',
  about: 'the app at /manage/, cold cache, in a browser beside the service',
  rows: [
    { key: 'loaded', label: 'DOMContentLoaded', unit: 'ms', goal: { atMost: 2_000 } },
    { key: 'usable', label: 'overview with the answers of the panel', unit: 'ms', goal: { atMost: 2_000 } },
    { key: 'size', label: 'compressed, until first use', unit: 'kB', goal: { atMost: 400 } },
  ],
  ratios: [],
  async setUp() {
    execFileSync(process.execPath, [join(import.meta.dirname, '../bundle/manage.ts')]);
    const service = new FaceplateProcess({});
    await service.start();
    const browser = await chromium.launch({ executablePath: '/usr/bin/chromium' });
    const token = await service.token();
    return {
      round: async () => {
        // A new context has an empty cache.
        const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
        await context.addInitScript(`localStorage.setItem('token', ${JSON.stringify(token)})`);
        const page = await context.newPage();
        const from = performance.now();
        await page.goto(`${await service.url}/manage/`, { waitUntil: 'commit' });
        await page.getByTestId('parts').getByText('gpio', { exact: false }).first().waitFor();
        const usable = performance.now() - from;
        const { loaded, bytes } = await page.evaluate<{ loaded: number; bytes: number }>(FIRST_USE);
        await context.close();
        return { loaded, usable, size: bytes / 1_000 };
      },
      tearDown: async () => {
        await browser.close();
        await service.stop();
      },
    };
  },
};
