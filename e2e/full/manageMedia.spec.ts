import { expect, test } from '../manageBrowser.ts';

test('should say of a camera what plays, and why its sound is not heard', async ({
  panel,
  cameras,
  openManage,
}) => {
  const { page, complaints } = await openManage(panel, { token: await panel.token(), at: '#/cameras' });
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
