import { apiOf } from '../api.ts';
import { expect, test } from '../manageBrowser.ts';
import { callForSettings, enter, PIN } from '../settingsPage.ts';
import { SipPanel } from '../sipPanel.ts';

test('should list who watches, and show the picture only on the panel', async ({
  panel: service,
  api,
  page: demo,
  openManage,
}) => {
  await api('/api/manage/settings', { kiosk: { pin: PIN } }, { method: 'PATCH' });
  const { page } = await openManage(service, { token: await service.token(), at: '#/cameras' });
  await expect(page.getByTestId('sessions').locator('li').first()).toContainText('playing');
  const settings = await callForSettings(demo);
  await enter(settings, PIN);
  await settings.getByTestId('tab-cameras').click();
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
  const { page, complaints } = await openManage(panel, { token: await panel.token(), at: '#/intercom' });
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

test('should steer the intercom, from a browser of the house', async ({ openManage }) => {
  test.slow();
  const hall = await SipPanel.start({
    deviceName: 'Hall',
    doors: [{ name: 'Front door', peer: '127.0.0.1', dtmf: '1#' }],
  });
  try {
    const { service } = hall;
    const api = await apiOf(service);
    const { page } = await openManage(service, { token: await service.token(), at: '#/intercom' });
    await expect(page.getByTestId('call-status')).toHaveText('idle');
    await expect(page.getByTestId('doors')).toContainText('Front door');
    await page.getByTestId('dnd').click();
    await expect(page.getByTestId('dnd')).toBeChecked();
    expect((await api('/api/remote/intercom')).body).toMatchObject({ doNotDisturb: true });
    await page.getByTestId('dnd').click();
    await expect(page.getByTestId('dnd')).not.toBeChecked();
    // Nobody listens there.
    await page.getByTestId('peer').fill('127.0.0.1:9');
    await page.getByTestId('call-now').click();
    await expect(page.getByTestId('call-status')).not.toHaveText('idle');
    await page.getByTestId('hang-up').click();
    await expect(page.getByTestId('call-history')).toContainText('127.0.0.1');
    await expect(page.getByTestId('call-status')).toHaveText('idle', { timeout: 15_000 });

    await test.step('security: a token that may call opens no door', async () => {
      const made = await api('/api/manage/tokens', { name: 'caller', scopes: ['control'] });
      const { token } = made.body as { token: string };
      const post = (path: string, body: object) =>
        api(`/api/remote/intercom/${path}`, body, {
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        });
      expect((await post('dnd', { on: false })).status).toBe(200);
      const refused = await post('door', {});
      expect(refused).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
      expect(refused.body.error).toContain('"doors"');
    });
    expect((await api('/api/remote/intercom/door', { name: 'Cellar' })).status).toBe(400);
    expect((await api('/api/remote/intercom/call', { peer: 'a b' })).status).toBe(400);
  } finally {
    await hall.stop();
  }
});
