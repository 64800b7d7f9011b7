// `npm run screenshot`: makes docs/screenshot.png of the demo on the simulated board, in use: camera, LED, relay.
import { join } from 'node:path';
import { chromium } from '@playwright/test';
import { FaceplateProcess } from '../server/testing/faceplateProcess.ts';

const FILE = join(import.meta.dirname, '../docs/screenshot.png');
const PANEL_SIZE = { width: 1280, height: 800 };
/** Frames that the page has to have shown, so that the picture is of a playing camera. */
const FRAMES = 25;

const service = new FaceplateProcess({ kiosk: true, args: ['--board', 'simulated'] });
try {
  await service.start();
  const browser = await chromium.connectOverCDP(await service.devtoolsUrl, { noDefaults: true });
  const page = browser.contexts()[0]!.pages()[0]!;
  await page.setViewportSize(PANEL_SIZE);
  await page.waitForFunction(
    `document.querySelector('video')?.getVideoPlaybackQuality().totalVideoFrames >= ${FRAMES}`,
  );
  for (const control of ['led-swatch-amber', 'led-switch', 'pin-2-switch']) {
    await page.getByTestId(control).click();
  }
  await page.screenshot({ path: FILE });
  await browser.close();
  console.log(`wrote ${FILE}`);
} finally {
  await service.stop();
}
