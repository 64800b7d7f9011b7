import type { Page } from '@playwright/test';
import { OnvifCamera } from '../../server/video/testing/onvifCamera.ts';
import { expect, test } from '../fixtures.ts';
import { openStreamBox, post } from '../streamBox.ts';

/** Three times what is promised, in milliseconds: test machines are busy. */
const MOST_WITHOUT_PICTURE_MS = 3_000;

interface Seen {
  /** Pictures, and how many of them were black. */
  count: number;
  black: number;
  /** Longest time between two, in milliseconds. */
  longestMs: number;
  width: number;
}

/** Looks at each picture that a video shows from now on. @returns what it has seen */
async function watchPictures(page: Page): Promise<() => Promise<Seen>> {
  await page.evaluate(() => {
    const [video] = [...window.videos.values()];
    const canvas = new OffscreenCanvas(16, 9);
    const pen = canvas.getContext('2d', { willReadFrequently: true })!;
    const seen = { count: 0, black: 0, longestMs: 0, width: 0 };
    Object.assign(window, { seen });
    let before = performance.now();
    const look = (now: number) => {
      pen.drawImage(video!, 0, 0, 16, 9);
      const { data } = pen.getImageData(0, 0, 16, 9);
      if (data.some((value, index) => index % 4 !== 3 && value < 150)) seen.black++;
      seen.count++;
      seen.longestMs = Math.max(seen.longestMs, now - before);
      seen.width = video!.videoWidth;
      before = now;
      video!.requestVideoFrameCallback(look);
    };
    video!.requestVideoFrameCallback(look);
  });
  return () => page.evaluate(() => (window as unknown as { seen: Seen }).seen);
}

test('should play the small profile in a tile and the large one on the whole screen, with no black between them', async ({
  page,
  api,
  cameras,
}) => {
  const camera = new OnvifCamera({
    login: 'none',
    profiles: [
      { token: 'large', codec: 'H264', width: 1280, height: 720, uri: cameras.url('white-large') },
      { token: 'small', codec: 'H264', width: 320, height: 180, uri: cameras.url('white-small') },
    ],
  });
  await camera.start();
  try {
    const streams = { cameras: [{ name: 'Yard', url: camera.url() }] };
    expect((await api('/api/manage/settings', { streams }, { method: 'PATCH' })).status).toBe(200);
    const profile = async () => {
      const { sessions } = (await api('/api/stream/sessions')).body;
      return (sessions as { camera: string; profile: { token: string } | null }[]).find(
        (one) => one.camera === 'Yard',
      )?.profile?.token;
    };
    await openStreamBox(page);
    await post(page, { action: 'open', id: 'yard', url: 'camera:Yard', divId: 'box' });
    const width = () => page.evaluate(() => [...window.videos.values()][0]?.videoWidth ?? 0);
    await expect.poll(width, { timeout: 30_000 }).toBe(320);
    expect(await profile()).toBe('small');
    const seen = await watchPictures(page);
    await expect.poll(async () => (await seen()).count).toBeGreaterThan(10);
    for (const [token, wide, place] of [
      ['large', 1280, { rect: { x: 0, y: 0, w: 1, h: 1 } }],
      ['small', 320, { divId: 'box' }],
    ] as const) {
      await post(page, { action: 'resize', id: 'yard', ...place });
      await expect.poll(async () => (await seen()).width, { timeout: 20_000 }).toBe(wide);
      expect(await profile()).toBe(token);
      const { count } = await seen();
      await expect.poll(async () => (await seen()).count).toBeGreaterThan(count + 10);
    }
    const { black, longestMs } = await seen();
    test.info().annotations.push({ type: 'longest time without a picture', description: `${longestMs} ms` });
    expect(black).toBe(0);
    expect(longestMs).toBeLessThan(MOST_WITHOUT_PICTURE_MS);
    await post(page, { action: 'closeAll' });
  } finally {
    await camera.stop();
  }
});
