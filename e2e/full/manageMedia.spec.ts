import { apiOf } from '../api.ts';
import { expect, test } from '../manageBrowser.ts';
import { SipPanel } from '../sipPanel.ts';

test('should say of a camera what plays, and why its sound is not heard', async ({
  panel,
  cameras,
  openManage,
}) => {
  const { page, complaints } = await openManage(panel, {
    token: await panel.token(),
    at: '#/devices/cameras',
  });
  await expect(page.getByTestId('camera-url')).toHaveValue(/^rtsp:/);
  const verdict = page.getByTestId('verdict');
  const inspect = async (mount: string) => {
    await page.getByTestId('camera-url').fill(cameras.url(mount));
    const answered = page.waitForResponse((response) => response.url().includes('/api/stream/inspect'));
    await page.getByTestId('inspect').click();
    await answered;
    await expect(verdict).toBeVisible();
  };
  await inspect('h264-aac');
  await expect(verdict).toContainText('It plays.');
  await expect(verdict).toContainText('320 × 180');
  await expect(verdict).toContainText('AAC: it is not heard');
  await expect(verdict).toContainText('Set G.711 (PCMU or PCMA), G.722 or Opus');
  await inspect('h264-pcmu');
  await expect(verdict).toContainText('PCMU: it is heard.');
  await inspect('nowhere');
  await expect(verdict).toContainText('no stream at this path');
  await page.getByTestId('camera-url').fill('<img src=x onerror=alert(1)>');
  await page.getByTestId('inspect').click();
  await expect(page.getByTestId('problem')).toContainText('rtsp://');
  expect(complaints.filter((text) => !/400/.test(text))).toEqual([]);
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
    const { page } = await openManage(service, { token: await service.token(), at: '#/devices/intercom' });
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
