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
