import { expect, test } from '../fixtures.ts';
import { expectMovingPictures } from '../viewer.ts';

test('should play the demo camera at the start without any settings', async ({ page, api }) => {
  await expectMovingPictures(page, 854, 480);
  const url = await page.getByTestId('camera-url').inputValue();
  const { body } = await api('/api/stream/sessions');
  expect(body).toMatchObject({ max: 8 });
  expect(body.sessions).toContainEqual(
    expect.objectContaining({ url, state: 'playing', codec: 'H264', width: 854, height: 480, viewers: 1 }),
  );
});
