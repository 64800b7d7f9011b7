import { readFile, stat, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { FaceplateProcess } from '../../server/testing/faceplateProcess.ts';
import { timeToGoWrong } from '../../server/testing/waiting.ts';
import { expect, test } from '../fixtures.ts';
import { closeSettings } from '../kioskService.ts';
import { openSetting, openView } from '../manageViews.ts';
import { OnScreenKeyboard } from '../onScreenKeyboard.ts';
import { callForSettings, enter, holdFiveFingers, PIN } from '../settingsPage.ts';

async function statusWith(service: FaceplateProcess, token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  return (await fetch(`${await service.url}/api/remote/info`, { headers })).status;
}

/** A file of the page, requested at its own origin. */
function fileOf(service: FaceplateProcess, path: string): Promise<{ status: number; body: string }> {
  return service.url.then(
    (url) =>
      new Promise((resolve, reject) => {
        const headers = { host: 'settings.localhost' };
        const { port } = new URL(url);
        get({ host: '127.0.0.1', port, path, headers, agent: false }, (response) =>
          text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject),
        ).on('error', reject);
      }),
  );
}

test('should set a PIN first, show and rotate the token, and give the panel back to its project', async ({
  startFaceplate,
  openDemo,
}) => {
  const service = await startFaceplate({ kiosk: true });
  const page = await openDemo(service);
  await page.evaluate('window.before = true');
  const first = await service.token();

  let settings = await callForSettings(page);
  await expect(settings.getByTestId('pin-title')).toHaveText('Choose a PIN');
  expect(await settings.content()).not.toContain(first);
  await enter(settings, PIN);
  await expect(settings.getByTestId('pin-title')).toHaveText('Enter it once more');
  await enter(settings, '1111');
  await expect(settings.getByTestId('pin-message')).toHaveText(/differ/);
  await enter(settings, PIN);
  await enter(settings, PIN);
  await expect(settings.getByTestId('address')).toHaveText(/^http:\/\/.+/);
  await expect(settings.getByTestId('facts')).toContainText('Version');
  expect((await stat(join(service.dataDir, 'pin.json'))).mode & 0o777).toBe(0o600);

  await openView(settings, 'people');
  await expect(settings.getByTestId('token')).not.toContainText(first);
  await settings.getByTestId('show-token').click();
  await expect(settings.getByTestId('token')).toHaveText(first);
  await settings.getByTestId('rotate-token').click();
  await settings.getByTestId('no').click();
  expect(await statusWith(service, first)).toBe(200);
  await settings.getByTestId('rotate-token').click();
  await settings.getByTestId('yes').click();
  await expect(settings.getByTestId('token')).not.toHaveText(first);
  const second = await service.token();
  await expect(settings.getByTestId('token')).toHaveText(second);
  expect([await statusWith(service, first), await statusWith(service, second)]).toEqual([401, 200]);

  await openSetting(settings, 'kiosk.pin');
  await expect(settings.getByTestId('fact-kiosk.pin')).toHaveText(/^Set on the panel \(\d+ \w{3,4}\)$/);
  await expect(settings.getByTestId('value-token')).toHaveText('Renew');

  await closeSettings(settings);
  expect(await page.evaluate('window.before')).toBe(true);

  settings = await holdFiveFingers(page);
  await expect(settings.getByTestId('pin-title')).toHaveText('Enter the PIN');
  await enter(settings, '1111');
  await expect(settings.getByTestId('pin-message')).toHaveText('The PIN is wrong.');
  // A card reader types faster than the page renders.
  await settings.evaluate((pin) => {
    for (const key of [...pin, 'Enter']) dispatchEvent(new KeyboardEvent('keydown', { key }));
  }, PIN);
  await expect(settings.getByTestId('address')).toBeVisible();
  expect(service.output).not.toContain(second);
  expect(service.output).not.toContain(PIN);
});

test('should change settings without a keyboard, in three languages', async ({
  panel: service,
  api,
  page,
}) => {
  await api('/api/manage/settings', { kiosk: { pin: PIN } }, { method: 'PATCH' });
  const settings = await callForSettings(page);
  await enter(settings, PIN);
  await openSetting(settings, 'bridge.aliases');
  await settings.getByTestId('value-bridge.aliases').click();
  const board = await OnScreenKeyboard.of(service, settings);
  await board.touch('[data-testid=editor-field]');
  await board.isOpen();
  await board.press('7', 'Backspace', 'p', '7', 'Symbols', '-', 'Symbols', 'Shift', 'A');
  await expect(settings.getByTestId('editor-field')).toHaveValue('p7-A');
  // The keys go when the field is left: a slow mouse would lift its button beside what moves then.
  await board.press('Hide');
  await board.isClosed();
  await settings.getByTestId('editor-save').click();
  await expect(settings.getByTestId('editor-mistake')).toHaveText(/JavaScript name/);
  await board.touch('[data-testid=editor-field]');
  await board.isOpen();
  await settings.keyboard.press('End');
  await board.press('Backspace', 'Backspace');
  await expect(settings.getByTestId('editor-field')).toHaveValue('p7');
  await board.press('Hide');
  await board.isClosed();
  await settings.getByTestId('editor-save').click();
  await expect(settings.getByTestId('editor')).toBeHidden();
  await expect(settings.getByTestId('restart-needed')).toContainText('Extra names for window.container');
  await settings.getByTestId('setting-terminal.enabled').getByRole('switch').click();
  await expect(settings.getByTestId('notice')).toHaveText('Saved.');
  await expect
    .poll(async () => JSON.parse(await readFile(join(service.dataDir, 'settings.json'), 'utf8')))
    .toEqual({ kiosk: { pin: PIN }, bridge: { aliases: ['p7'] }, terminal: { enabled: false } });
  await openSetting(settings, 'http.port');
  await expect(settings.getByTestId('setting-http.port').getByRole('button')).toBeDisabled();

  await openView(settings, 'screen');
  await settings.getByTestId('volume').fill('70');
  await openView(settings, 'people');
  await expect(settings.getByTestId('certificates')).toContainText('No server');
  for (const [language, words] of [
    ['de', 'Schließen'],
    ['es', 'Cerrar'],
    ['en', 'Close'],
  ] as const) {
    await settings.getByTestId('account').click();
    await settings.getByTestId('language').selectOption(language);
    await expect(settings.getByTestId('close')).toHaveText(words);
  }
  await openView(settings, 'screen');
  await expect(settings.getByTestId('volume')).toHaveValue('70');
});

test('security: should delay further PINs after wrong ones, also across a restart of the service', async ({
  startFaceplate,
  openDemo,
  dataDir,
}) => {
  // Several wrong PINs, then a restart of the panel.
  await writeFile(join(dataDir, 'pin.json'), '{"hash":null,"salt":"","wrong":20}');
  const service = await startFaceplate({ kiosk: true, dataDir, env: { FACEPLATE_KIOSK_PIN: PIN } });
  const page = await openDemo(service);
  const settings = await callForSettings(page);
  await expect(settings.getByTestId('pin-message')).toHaveText(/Try again in \d+ s/);
  await expect(settings.getByTestId('pin-ok')).toBeDisabled();
  await settings.keyboard.type(PIN);
  await settings.keyboard.press('Enter');
  await expect(settings.getByTestId('pin-dots').locator('.filled')).toHaveCount(0);
  await expect(settings.getByTestId('pin-title')).toBeVisible();
});

test('security: no frame of a project page can show it', async ({ panel, page }) => {
  const origin = `http://settings.localhost:${new URL(await panel.url).port}`;
  await page.evaluate(`new Promise((resolve) => {
    const frame = document.createElement('iframe');
    frame.onload = frame.onerror = resolve;
    frame.src = '${origin}/';
    document.body.append(frame);
  })`);
  const framed = page.frames()[1]!;
  // The frame reports its error page a moment after it has loaded.
  await expect.poll(() => framed.url()).toMatch(/^chrome-error:/);
});

test('security: no project page and no caller can open or read it', async ({ panel: service, page }) => {
  const url = await service.url;
  const origin = `http://settings.localhost:${new URL(url).port}`;
  const token = await service.token();

  expect(await page.evaluate(`fetch('${origin}/').then(() => 'read', () => 'refused')`)).toBe('refused');
  await page.evaluate(`void open('${origin}/'); location.href = '${origin}/';`);
  await timeToGoWrong(300);
  expect(page.url()).not.toContain('settings.localhost');
  expect(await page.evaluate('typeof faceplateHost')).toBe('undefined');
  for (const command of ['token.show', 'settingsPage.unlock', 'token.rotate'])
    expect(
      await page.evaluate(
        `container.gpioBridge.postMessage('{"action":"${command}"}').then(() => 'done', (error) => error.code)`,
      ),
    ).toBe('INVALID_REQUEST');

  // Anybody can fetch the page's files, which hold no secrets.
  for (const path of ['/', '/icon.svg', '/openapi.json', '/pin.json', '/token']) {
    const { status, body } = await fileOf(service, path);
    expect(status).toBe(/pin|token/.test(path) ? 404 : 200);
    expect(body).not.toContain(token);
  }
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  for (const path of ['token', 'token/rotate', 'page/status', 'pin']) {
    const answer = await fetch(`${url}/api/manage/${path}`, { method: 'POST', headers, body: '{}' });
    // Whether there is a PIN may be asked, with GET; nothing there changes it.
    expect(answer.status, path).toBe(path === 'pin' ? 405 : 404);
  }
  const told = await (await fetch(`${url}/api/manage/settings`, { headers })).text();
  expect(told).not.toContain(token);
});
