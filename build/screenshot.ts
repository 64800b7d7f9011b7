// `npm run screenshot`: makes the pictures in docs/ on the simulated board: the demo in use (camera, LED, relay), and the
// settings page at its first opening and unlocked.
import { join } from 'node:path';
import { chromium, type Page } from '@playwright/test';
import { FaceplateProcess } from '../server/testing/faceplateProcess.ts';

const DOCS = join(import.meta.dirname, '../docs');
const PANEL_SIZE = { width: 1280, height: 800 };
const SMALL_SIZE = { width: 1024, height: 600 };
/** Frames that the page has to have shown, so that the picture is of a playing camera. */
const FRAMES = 25;

const PIN = '2580';

async function take(page: Page, name: string): Promise<void> {
  const path = join(DOCS, name);
  await page.screenshot({ path });
  console.log(`wrote ${path}`);
}

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
  await take(page, 'screenshot.png');
  const opened = page.context().waitForEvent('page');
  await page.keyboard.press('Control+Alt+KeyS');
  const settings = await opened;
  await settings.setViewportSize(SMALL_SIZE);
  for (const digit of PIN) await settings.getByTestId(`pin-${digit}`).click();
  await take(settings, 'settings-pin.png');
  await settings.getByTestId('pin-ok').click();
  for (const digit of PIN) await settings.getByTestId(`pin-${digit}`).click();
  await settings.getByTestId('pin-ok').click();
  await settings.getByTestId('qr').waitFor();
  await settings.setViewportSize(PANEL_SIZE);
  await take(settings, 'settings.png');
  await browser.close();
} finally {
  await service.stop();
}
