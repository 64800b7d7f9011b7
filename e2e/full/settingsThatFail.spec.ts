import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { apiOf } from '../api.ts';
import { glassOf } from '../kioskService.ts';
import { expect, test } from '../manageBrowser.ts';

test('should name what was taken back on the glass, in /manage and in health, until it is changed', async ({
  startFaceplate,
  openPage,
  openManage,
  dataDir,
}) => {
  const secret = 'a-name-that-nobody-may-read';
  const tree = { kiosk: { quietHour: 44, memoryLimit: secret }, device: { language: 'en' } };
  await writeFile(join(dataDir, 'settings.json'), JSON.stringify(tree));
  const service = await startFaceplate({ kiosk: true, dataDir });
  const api = await apiOf(service);
  const glass = await glassOf(await openPage(service));
  const note = glass.getByRole('alert');
  await expect(note).toContainText(
    'has undone them: kiosk.memoryLimit, kiosk.quietHour. More about it: http',
  );

  const { page, complaints } = await openManage(service, { token: await service.token() });
  const banner = page.getByTestId('undone');
  await expect(banner).toContainText('Settings were undone');
  await expect(banner.getByRole('listitem')).toHaveCount(2);
  await expect(banner).toContainText('kiosk.quietHour: does not fit');
  await expect(banner).not.toContainText(secret);

  await api('/api/manage/settings', { kiosk: { quietHour: 4 } }, { method: 'PATCH' });
  await expect(note).toContainText('has undone them: kiosk.memoryLimit.');
  await page.goto(`${await service.url}/manage/#/settings`);
  await page.reload();
  await expect(banner.getByRole('listitem')).toHaveCount(1);
  await page.getByTestId('search').fill('kiosk.memoryLimit');
  await api('/api/manage/settings', { kiosk: { memoryLimit: null } }, { method: 'PATCH' });
  await expect(note).toHaveCount(0);
  const { body } = await api('/api/remote/health');
  expect((body as { undone: unknown }).undone).toEqual([]);
  await page.reload();
  await expect(page.getByTestId('search')).toBeVisible();
  await expect(banner).toHaveCount(0);
  expect(complaints).toEqual([]);
});
