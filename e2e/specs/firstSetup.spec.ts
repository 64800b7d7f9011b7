import { chmod } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { zipFile } from '../../server/testing/zipFile.ts';
import { apiOf } from '../api.ts';
import { hostKind } from '../electronProcess.ts';
import { goOn, isAt, touch, touchToClose } from '../firstSetup.ts';
import { expect, test } from '../fixtures.ts';
import { closeSettings, killBrowser, kioskPage, settingsPageOf } from '../kioskService.ts';
import { OnScreenKeyboard } from '../onScreenKeyboard.ts';
import { readQr } from '../readQr.ts';
import { callForSettings, enter, PIN } from '../settingsPage.ts';

/** The PIN by touch, on the pad of the set-up or of the settings. */
async function touchPin(page: Page): Promise<void> {
  for (const [at, digit] of [...PIN].entries()) {
    await touch(page, `pin-${digit}`);
    await expect(page.getByTestId('pin-dots').locator('.filled')).toHaveCount(at + 1);
  }
  await touch(page, 'pin-ok');
}

test('should lead a person through the first set-up by touch, and go on after a lost browser and a restart', async ({
  startFaceplate,
  dataDir,
}) => {
  test.slow();
  await chmod(dataDir, 0o711);
  const first = await startFaceplate({ kiosk: true, dataDir, args: ['--wizard'] });
  // In Electron the browser is the service.
  if (hostKind === 'chromium') {
    await (await settingsPageOf(first)).detach();
    await killBrowser(first);
  }
  let { page, detach } = await settingsPageOf(first);
  await isAt(page, 'language');
  await touch(page, 'language-de');
  await expect(page.getByTestId('step-title')).toHaveText('Willkommen');
  await touch(page, 'language-en');
  await expect(page.getByTestId('step-title')).toHaveText('Welcome');
  await touch(page, 'setup-next');
  await isAt(page, 'name');
  await touch(page, 'setup-back');
  await isAt(page, 'language');
  await touch(page, 'setup-next');
  await isAt(page, 'name');
  await touch(page, 'device-name');
  await expect(page.getByTestId('device-name')).toHaveValue('');
  const board = await OnScreenKeyboard.of(first, page);
  await board.isOpen();
  await board.press('k');
  // A keyboard starts a name with a capital letter.
  await expect(page.getByTestId('device-name')).toHaveValue(/^k$/i);
  const name = await page.getByTestId('device-name').inputValue();
  await touch(page, 'setup-next');
  await isAt(page, 'network');
  // The buttons below move down when the keys go.
  await board.isClosed();
  await board.detach();
  await goOn(page, 'time');
  await goOn(page, 'pin');
  for (const _ of ['first', 'again']) await touchPin(page);
  await expect(page.getByTestId('pin-there')).toBeVisible();
  await goOn(page, 'show');
  await touchToClose(page, 'setup-later');
  await detach();
  const { settings: kept } = (await (await apiOf(first))('/api/manage/settings')).body as {
    settings: Record<string, { value: unknown }>;
  };
  expect([kept['device.name']?.value, kept['device.language']?.value]).toEqual([name, 'en']);

  await test.step('the settings offer it while it is not finished', async () => {
    const { page: kiosk, detach } = await kioskPage(first);
    const settings = await callForSettings(kiosk);
    await enter(settings, PIN);
    await settings.getByTestId('setup-entry').click();
    await isAt(settings, 'show');
    await settings.getByTestId('setup-later').click();
    await expect(settings.getByTestId('entry-home')).toBeVisible();
    await detach();
  });
  await first.stop();

  const second = await startFaceplate({ kiosk: true, dataDir, args: ['--wizard'] });
  ({ page, detach } = await settingsPageOf(second));
  await touchPin(page);
  await isAt(page, 'show');
  await touch(page, 'show-address');
  await touch(page, 'page-url');
  const keys = await OnScreenKeyboard.of(second, page);
  await keys.isOpen();
  await touch(page, 'setup-next');
  await expect(page.getByTestId('url-mistake')).toContainText('Enter a full address, e.g. http://');
  await touch(page, 'show-demo');
  await keys.isClosed();
  await keys.detach();
  // No code was made before there was one to scan.
  expect(second.output).not.toContain('pairing code');
  await goOn(page, 'phone');
  const [, code] = /#pair=(\d{8})$/.exec(await readQr(page)) ?? [];
  const paired = await (await apiOf(second))('/api/pair', { code, name: 'Linux Chrome' });
  expect(paired.status).toBe(200);
  await expect(page.getByTestId('paired')).toContainText('“Linux Chrome” is connected');
  await expect(page.locator('.qr')).toHaveCount(0);
  await touch(page, 'pair-another');
  await expect.poll(async () => /#pair=(\d{8})$/.exec(await readQr(page))?.[1]).not.toBe(code);
  await goOn(page, 'done');
  await expect(page.getByTestId('step-title')).toHaveText(`${name} is ready`);
  await expect(page.getByTestId('five-fingers')).toContainText('five fingers');
  await expect(page.getByTestId('done-address')).toContainText('/manage/');
  await touchToClose(page, 'setup-next');
  await detach();
  expect(second.output).not.toContain('REQUEST_TIMEOUT');

  const demo = await kioskPage(second);
  const settings = await callForSettings(demo.page);
  await enter(settings, PIN);
  await expect(settings.getByTestId('entry-home')).toBeVisible();
  await expect(settings.getByTestId('setup-entry')).toHaveCount(0);
  await closeSettings(settings);
  await demo.detach();

  // Once, over the first picture of a project, it is said how the settings are opened.
  const api = await apiOf(second);
  const archive = zipFile([{ name: 'index.html', content: '<h1>Lobby</h1>' }]);
  const headers = { authorization: `Bearer ${await second.token()}`, 'content-type': 'application/zip' };
  await api('/api/manage/projects?name=Lobby', undefined, {
    method: 'POST',
    headers,
    body: new Uint8Array(archive),
  });
  await api('/api/manage/projects/lobby/activate', {});
  ({ page, detach } = await settingsPageOf(second));
  await expect(page.getByTestId('hint')).toContainText('five fingers');
  await touchToClose(page, 'hint-ok');
  await detach();
});

test('should ask nothing on a plain start', async ({ page }) => {
  expect(
    page
      .context()
      .pages()
      .some((one) => one.url().startsWith('http://settings.localhost')),
  ).toBe(false);
  const settings = await callForSettings(page);
  await expect(settings.getByTestId('pin-title')).toHaveText('Choose a PIN');
  await closeSettings(settings);
});
