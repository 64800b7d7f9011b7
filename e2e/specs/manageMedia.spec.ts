import { apiOf } from '../api.ts';
import { expect, test } from '../manageBrowser.ts';
import { openView } from '../manageViews.ts';
import { callForSettings, enter, PIN } from '../settingsPage.ts';

test('should list who watches, and show the picture only on the panel', async ({
  panel: service,
  api,
  page: demo,
  openManage,
}) => {
  await api('/api/manage/settings', { kiosk: { pin: PIN } }, { method: 'PATCH' });
  const { page } = await openManage(service, { token: await service.token(), at: '#/devices/cameras' });
  await expect(page.getByTestId('sessions').locator('li').first()).toContainText('playing');
  const settings = await callForSettings(demo);
  await enter(settings, PIN);
  await openView(settings, 'devices/cameras');
  await settings.getByTestId('picture').click();
  const frames = () =>
    settings
      .getByTestId('camera-video')
      .evaluate((video) => (video as HTMLVideoElement).getVideoPlaybackQuality().totalVideoFrames);
  await expect.poll(frames, { timeout: 20_000 }).toBeGreaterThan(5);
  await expect(page.getByTestId('sessions')).toContainText('settings-picture');
  await settings.getByTestId('picture').click();
  await expect(page.getByTestId('sessions')).not.toContainText('settings-picture');
});

test('should add a camera with a name and a login, say how it does, and remove it', async ({
  panel: service,
  api,
  openManage,
}) => {
  const { page, complaints } = await openManage(service, {
    token: await service.token(),
    at: '#/devices/cameras',
  });
  await expect(page.getByTestId('camera-url')).not.toHaveValue('');
  const url = await page.getByTestId('camera-url').inputValue();
  await page.getByTestId('camera-name').fill('Hof 1');
  await page.getByTestId('new-camera-url').fill(url);
  await page.getByTestId('camera-user').fill('anna');
  await page.getByTestId('camera-password').fill('s3cret');
  await page.getByTestId('add-camera').click();
  const entry = page.getByTestId('named-cameras').locator('> li');
  await expect(entry).toContainText('Hof 1');
  await expect(page.getByTestId('camera-password')).toHaveValue('');
  const picture = entry.getByTestId('camera-picture').getByRole('img', { name: 'Picture of Hof 1' });
  await expect(picture).toHaveJSProperty('naturalWidth', 320, { timeout: 15_000 });
  await entry.getByTestId('check-camera').click();
  await expect(entry.getByTestId('camera-verdict')).toHaveText('It plays.', { timeout: 15_000 });
  await entry.getByTestId('ask-profiles').click();
  await expect(entry.getByTestId('problem')).toContainText('onvif://');
  const { body: settings } = await api('/api/manage/settings');
  expect(JSON.stringify(settings)).not.toContain('s3cret');
  await entry.getByTestId('remove-camera').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await expect(entry).toHaveCount(0);
  expect(complaints.filter((text) => !text.includes('400'))).toEqual([]);
});

test('should say that the intercom is off where it is', async ({ panel, openManage }) => {
  const { page, complaints } = await openManage(panel, {
    token: await panel.token(),
    at: '#/devices/intercom',
  });
  await expect(page.getByTestId('sip-off')).toBeVisible();
  const api = await apiOf(panel);
  for (const [path, body] of [
    ['', undefined],
    ['/call', { peer: '192.168.1.20' }],
    ['/answer', {}],
    ['/hangup', {}],
    ['/door', {}],
    ['/dnd', { on: true }],
  ] as const)
    expect(await api(`/api/remote/intercom${path}`, body), path).toMatchObject({
      status: 501,
      body: { code: 'SIP_DISABLED' },
    });
  expect(complaints).toEqual([]);
});
