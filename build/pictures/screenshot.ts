// `npm run screenshot`: makes docs/screenshot.png of the demo on the simulated board, in use (camera, LED, relay), and
// docs/intercom.png of a call with a door station, which is Debian's baresip. Then a picture of each view of /manage/ at the
// widths of a phone and a desktop, and of each step of the first set-up, below docs/pictures. `npm run screenshot -- manage`
// or `setup` makes these alone.
import { join } from 'node:path';
import { chromium, type Locator, type Page } from '@playwright/test';
import { FaceplateProcess } from '../../server/testing/faceplateProcess.ts';
import { startBaresip } from '../../server/testing/sip/baresip.ts';
import { freeSipPort } from '../../server/testing/sip/ports.ts';
import { shootManage, shootSetup } from './managePictures.ts';

const DOCS = join(import.meta.dirname, '../../docs');
const PANEL_SIZE = { width: 1280, height: 800 };
/** Frames to wait for, so that the screenshot shows a playing camera. */
const FRAMES = 25;
/** Time until the picture of a call is there; no script can check that. */
const CALL_PICTURE_MS = 3_000;

async function shoot(of: Page | Locator, name: string): Promise<void> {
  const path = join(DOCS, name);
  await of.screenshot({ path });
  console.log(`wrote ${path}`);
}

const sipPort = await freeSipPort();
const sip = {
  enabled: 'true',
  port: String(sipPort),
  host: '127.0.0.1',
  deviceName: 'Hall',
  discovery: 'false',
};
const only = process.argv[2];
if (only === undefined || only === 'setup') await shootWizard();
if (only === 'setup') process.exit();
const service = new FaceplateProcess({
  kiosk: true,
  args: [
    ...['--board', 'simulated', '--kiosk.fakeMedia', 'true', '--sip.allow', '127.0.0.1'],
    ...Object.entries(sip).flatMap(([name, value]) => [`--sip.${name}`, value]),
  ],
});
const door = await startBaresip({
  video: true,
  accounts: ['"Front door" <sip:door@127.0.0.1:PORT>;regint=0;answermode=manual;audio_codecs=pcmu'],
});
try {
  await service.start();
  const browser = await chromium.connectOverCDP(await service.devtoolsUrl, { noDefaults: true });
  const pages = browser.contexts().flatMap((context) => context.pages());
  const page = pages.find((one) => new URL(one.url()).hostname === 'demo.localhost')!;
  await page.setViewportSize(PANEL_SIZE);
  await page.waitForFunction(
    `document.querySelector('video')?.getVideoPlaybackQuality().totalVideoFrames >= ${FRAMES}`,
  );
  for (const control of ['led-swatch-amber', 'led-switch', 'pin-2-switch']) {
    await page.getByTestId(control).click();
  }
  if (only === undefined) await shootCall(page);
  await shootManage(await service.url, await service.token(), join(DOCS, 'pictures'));
  await browser.close();
} finally {
  await service.stop();
  await door.remove();
}

/** The first set-up of a new panel. */
async function shootWizard(): Promise<void> {
  const panel = new FaceplateProcess({ kiosk: true, args: ['--board', 'simulated', '--wizard'] });
  try {
    await panel.start();
    await shootSetup(await panel.devtoolsUrl, join(DOCS, 'pictures'));
  } finally {
    await panel.stop();
  }
}

/** The demo in use, and the call of a door. */
async function shootCall(page: Page): Promise<void> {
  await shoot(page, 'screenshot.png');
  await door.command('dial', `sip:panel@127.0.0.1:${sipPort}`);
  await page.getByTestId('intercom-answer').click();
  await page.waitForTimeout(CALL_PICTURE_MS);
  await shoot(page.getByTestId('intercom-card'), 'intercom.png');
  await page.getByTestId('intercom-hangup').click();
}
