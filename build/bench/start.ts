import { chromium } from '@playwright/test';
import { FaceplateProcess } from '../../server/testing/faceplateProcess.ts';
import type { Bench } from './bench.ts';

export const startBench: Bench = {
  name: 'start',
  about: 'from the start of the process, with the browser of the kiosk',
  rows: [
    { key: 'ready', label: 'to the ready line', unit: 'ms' },
    { key: 'paint', label: 'to the first paint of the page', unit: 'ms' },
  ],
  ratios: [],
  setUp: async () => ({ round: startOnce, tearDown: async () => {} }),
};

async function startOnce() {
  const service = new FaceplateProcess({ kiosk: true });
  try {
    await service.start();
    const ready = await service.timeTo(/^faceplate ready /);
    const browser = await chromium.connectOverCDP(await service.devtoolsUrl, { noDefaults: true });
    const page = browser.contexts()[0]!.pages()[0]!;
    const paintedAt = await page.evaluate(firstPaint);
    await browser.close();
    return { ready, paint: paintedAt - service.startedAtEpochMs };
  } finally {
    await service.stop();
  }
}

/** Runs in the page. @returns when it was painted first, in milliseconds since 1970 */
async function firstPaint(): Promise<number> {
  for (;;) {
    const paint = performance.getEntries().find(({ name }) => name === 'first-paint');
    if (paint !== undefined) return performance.timeOrigin + paint.startTime;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
