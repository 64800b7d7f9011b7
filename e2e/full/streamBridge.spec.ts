import { expect, test } from '../fixtures.ts';
import { cameraOf, openStreamBox, post, statesOf } from '../streamBox.ts';

test.beforeEach(({ page }) => openStreamBox(page));

test('should say why a camera does not play, and try again until it is closed', async ({ page, cameras }) => {
  const divId = 'box';
  await post(page, { action: 'open', id: 'h265', url: cameras.url('h265'), divId });
  await expect.poll(() => statesOf(page, 'h265')).toEqual(['connecting', 'failed']);
  await post(page, { action: 'open', id: 'gone', url: 'rtsp://127.0.0.1:1/x', divId });
  await expect
    .poll(() => statesOf(page, 'gone'))
    .toEqual(expect.arrayContaining(['connecting', 'failed', 'connecting', 'failed']));
  await expect.poll(async () => (await statesOf(page, 'gone')).length).toBeGreaterThan(3);
  const told = await page.evaluate(() => window.told.filter(({ state }) => state === 'failed'));
  expect(told[0]).toMatchObject({ id: 'h265', code: 'UNSUPPORTED_CODEC', error: expect.any(String) });
  expect(told[1]).toMatchObject({ id: 'gone', code: 'CAMERA_UNREACHABLE' });
  expect(await statesOf(page, 'h265')).toHaveLength(2);
  await post(page, { action: 'closeAll' });
});

test('should open a camera again when its session is ended from elsewhere', async ({ page, api }) => {
  await post(page, {
    action: 'open',
    id: 'door',
    url: await cameraOf(page),
    divId: 'box',
  });
  await expect.poll(() => statesOf(page, 'door')).toEqual(['connecting', 'playing']);
  await api('/api/stream/whep/page.door', undefined, { method: 'DELETE' });
  await expect
    .poll(() => statesOf(page, 'door'), { timeout: 40_000 })
    .toEqual(['connecting', 'playing', 'failed', 'connecting', 'playing']);
  await post(page, { action: 'closeAll' });
});
