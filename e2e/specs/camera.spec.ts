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

test('should show pictures of a camera without a player: in an img, and by a call', async ({ page }) => {
  const url = await page.getByTestId('camera-url').inputValue();
  const sizes = await page.evaluate(async (camera) => {
    const query = new URLSearchParams({ url: camera, width: '320' });
    const shown = async (src: string) => {
      const image = new Image();
      image.src = src;
      await image.decode();
      const canvas = new OffscreenCanvas(image.naturalWidth, image.naturalHeight);
      const context = canvas.getContext('2d')!;
      context.drawImage(image, 0, 0);
      const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
      const colours = new Set(new Uint32Array(data.buffer)).size;
      // A picture, and not one colour that a decoder leaves.
      return [canvas.width, canvas.height, colours > 100];
    };
    const { type, base64 } = await window.container!.call('stream.snapshot', { url: camera });
    const moving = new Image();
    moving.src = `/api/stream/mjpeg?${query}&fps=5`;
    await new Promise((resolve, reject) => {
      moving.onload = resolve;
      moving.onerror = () => reject(new Error('no MJPEG'));
    });
    const size = [moving.naturalWidth, moving.naturalHeight];
    moving.src = '';
    return [await shown(`/api/stream/snapshot?${query}`), await shown(`data:${type};base64,${base64}`), size];
  }, url);
  expect(sizes).toEqual([
    [320, 180, true],
    [854, 480, true],
    [320, 180],
  ]);
});

test('should play a camera of the settings by its name', async ({ page, api }) => {
  await expect(page.getByTestId('camera-name')).toBeHidden();
  const url = await page.getByTestId('camera-url').inputValue();
  const change = { streams: { cameras: [{ name: 'Front door', url }] } };
  await api('/api/manage/settings', change, { method: 'PATCH' });
  await page.reload();
  await page.getByTestId('camera-name').selectOption('Front door');
  await expect(page.getByTestId('camera-url')).toHaveValue('camera:Front door');
  const session = expect.objectContaining({ camera: 'Front door', state: 'playing' });
  await expect.poll(async () => (await api('/api/stream/sessions')).body.sessions).toContainEqual(session);
});
