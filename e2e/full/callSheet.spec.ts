import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { startBaresip } from '../../server/testing/sip/baresip.ts';
import { freeSipPort } from '../../server/testing/sip/ports.ts';
import { apiOf } from '../api.ts';
import { expect, test } from '../fixtures.ts';
import { glassOf } from '../kioskService.ts';

const LOOPBACK = '127.0.0.1';
const dashboard =
  '<!doctype html><title>dashboard</title><button onclick="document.title=\'used\'">Light</button>';

/** A finger taps a button. */
async function tap(glass: Page, name: string): Promise<void> {
  const { x, y, width, height } = (await button(glass, name).boundingBox({ timeout: 1_000 }))!;
  const session = await glass.context().newCDPSession(glass);
  const touchPoints = [{ x: x + width / 2, y: y + height / 2 }];
  await session.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints });
  await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  await session.detach();
}

const button = (glass: Page, name: string) => glass.getByRole('button', { name, exact: true });
/** Presses what is pressed by a person who has seen it: the first half second does not count. */
const press = (glass: Page, name: string, after: () => Promise<void>) =>
  expect(async () => {
    await tap(glass, name).catch(() => {});
    await after();
  }).toPass({ intervals: [700] });

test('should ring above a page of another site, show the caller, answer, open the door and hang up by touch', async ({
  startFaceplate,
  startSite,
  dataDir,
  openPage,
}, info) => {
  const port = await freeSipPort();
  const relay = await startSite({ '/open': 'opened' });
  const site = await startSite({ '/': dashboard });
  const sip = {
    enabled: true,
    port,
    discovery: false,
    host: LOOPBACK,
    allow: [LOOPBACK],
    doors: [{ name: 'Front door', peer: LOOPBACK, url: `${relay.origin('127.0.0.1')}/open` }],
  };
  const kiosk = { url: `${site.origin('house.localhost')}/`, fakeMedia: true };
  await chmod(dataDir, 0o711);
  await writeFile(join(dataDir, 'settings.json'), JSON.stringify({ sip, kiosk }), { mode: 0o600 });
  const service = await startFaceplate({ kiosk: true, dataDir });
  const page = await openPage(service);
  const glass = await glassOf(page);
  const api = await apiOf(service);
  const status = async () =>
    ((await api('/api/remote/intercom')).body.status as { callStatus: string }).callStatus;
  const door = await startBaresip({
    video: true,
    accounts: ['<sip:@127.0.0.1:PORT>;regint=0;answermode=manual;audio_codecs=pcmu'],
  });
  const ring = async () => {
    await door.command('dial', `sip:panel@${LOOPBACK}:${port}`);
    await expect(glass.getByRole('alertdialog', { name: 'Front door' })).toBeVisible();
  };
  const frames = () =>
    glass.evaluate(() => document.querySelector('video')?.getVideoPlaybackQuality().totalVideoFrames ?? 0);
  try {
    expect(await page.evaluate(() => 'container' in window)).toBe(false);
    await ring();
    await expect.poll(frames).toBeGreaterThan(5);
    await glass.screenshot({ path: info.outputPath('ringing.png') });
    await press(glass, 'Open door', () =>
      expect.poll(() => relay.requests, { timeout: 500 }).toEqual(['127.0.0.1/open']),
    );
    await expect(glass.getByRole('status').filter({ hasText: 'The door was opened.' })).toBeVisible();
    expect(await status()).toBe('incoming...');
    await press(glass, 'Answer', () => expect.poll(status, { timeout: 2_000 }).toBe('connected (incoming)'));
    const seen = await frames();
    await expect.poll(frames).toBeGreaterThan(seen + 5);
    await glass.screenshot({ path: info.outputPath('connected.png') });
    // Beside it the page can be used.
    await page.getByRole('button', { name: 'Light' }).click();
    await expect(page).toHaveTitle('used');
    await press(glass, 'Hang up', () => expect.poll(status, { timeout: 2_000 }).toBe('idle'));
    await expect(button(glass, 'Hang up')).toHaveCount(0);

    await ring();
    await press(glass, 'Ignore', () => expect.poll(status, { timeout: 2_000 }).toBe('idle'));
    await expect(glass.getByRole('alertdialog')).toHaveCount(0);
    await door.command('hangup');

    await ring();
    await door.command('hangup');
    await expect(glass.getByRole('alertdialog')).toHaveCount(0);

    // The demo page claims calls, until it is left.
    const change = (url: string) => api('/api/manage/settings', { kiosk: { url } }, { method: 'PATCH' });
    expect((await change('')).status).toBe(200);
    await expect(page.getByTestId('intercom-state')).toContainText('idle', { timeout: 30_000 });
    await door.command('dial', `sip:panel@${LOOPBACK}:${port}`);
    await expect(page.getByTestId('intercom-state')).toContainText('incoming...');
    await expect(glass.getByRole('alertdialog')).toHaveCount(0);
    expect((await change(kiosk.url)).status).toBe(200);
    await expect(button(glass, 'Answer')).toBeVisible();
    await door.command('hangup');
    await expect(glass.getByRole('alertdialog')).toHaveCount(0);
  } finally {
    await door.remove();
  }
});
