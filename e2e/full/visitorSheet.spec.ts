import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { toneShare } from '../../server/intercom/testing/media/g711.ts';
import { startTalkCamera } from '../../server/testing/rtspCamera.ts';
import { apiOf } from '../api.ts';
import { expect, test } from '../fixtures.ts';
import { glassOf } from '../kioskService.ts';
import { watchMicrophones } from '../microphones.ts';
import { bellOf } from '../peers/bell.ts';

const dashboard = '<!doctype html><title>dashboard</title><button>Light</button>';

/** How much of the clearest 20 ms is the beep of a browser's fake microphone: 400 Hz as a square wave. */
function beepShare(samples: readonly number[]): number {
  let clearest = 0;
  for (let at = 0; at + 160 <= samples.length; at += 40) {
    const window = samples.slice(at, at + 160);
    if (Math.max(...window) < 1_000) continue;
    const share = (hertz: number) => toneShare(window, hertz, 8_000);
    clearest = Math.max(clearest, share(400) + share(1_200) + share(2_000));
  }
  return clearest;
}

test('should show who rings at a camera above a page of another site, and carry the voice to it while Talk is held', async ({
  startFaceplate,
  startSite,
  dataDir,
  openPage,
}, info) => {
  test.slow();
  const file = join(dataDir, 'heard.raw');
  const door = await startTalkCamera(file);
  const heard = async (): Promise<number[]> => {
    const bytes = await readFile(file).catch(() => Buffer.alloc(0));
    return Array.from({ length: bytes.length >> 1 }, (_, at) => bytes.readInt16LE(2 * at));
  };
  // A tone of its own would be an echo, which browsers take out of the microphone.
  const { camera, ring } = bellOf(door.url('silent'));
  await camera.start();
  try {
    const site = await startSite({ '/': dashboard });
    const service = await startFaceplate({
      kiosk: true,
      env: {
        FACEPLATE_KIOSK_URL: `${site.origin('house.localhost')}/`,
        FACEPLATE_KIOSK_FAKE_MEDIA: 'true',
      },
    });
    const page = await openPage(service);
    const glass = await glassOf(page);
    const api = await apiOf(service);
    const openMicrophones = await watchMicrophones(glass);
    const cameras = [{ name: 'Front door', url: camera.url(), events: ['visitor'] }];
    expect((await api('/api/manage/settings', { streams: { cameras } }, { method: 'PATCH' })).status).toBe(
      200,
    );
    await expect.poll(() => camera.calls).toContain('PullMessages');
    ring();
    const sheet = glass.getByRole('alertdialog', { name: 'Front door' });
    await expect(sheet).toBeVisible();
    await expect.poll(() => glass.evaluate(() => document.querySelector('video')?.videoWidth ?? 0)).toBe(320);
    const talk = glass.getByRole('button', { name: 'Hold to talk' });
    await expect(talk).toBeVisible();
    expect(await openMicrophones()).toBe(0);
    await glass.screenshot({ path: info.outputPath('rings.png') });

    const { x, y, width, height } = (await talk.boundingBox())!;
    const finger = await glass.context().newCDPSession(glass);
    const touch = (type: 'touchStart' | 'touchEnd') =>
      finger.send('Input.dispatchTouchEvent', {
        type,
        touchPoints: type === 'touchEnd' ? [] : [{ x: x + width / 2, y: y + height / 2 }],
      });
    // What is pressed within the first half second does not count.
    await expect(async () => {
      await touch('touchStart');
      try {
        await expect.poll(openMicrophones, { timeout: 1_000 }).toBe(1);
      } catch (error) {
        await touch('touchEnd');
        throw error;
      }
    }).toPass();
    await expect(glass.getByRole('status').filter({ hasText: 'You can talk' })).toBeVisible();
    await expect(glass.locator('#microphone')).toBeVisible();
    await expect.poll(async () => (await heard()).length, { timeout: 15_000 }).toBeGreaterThan(24_000);
    expect(beepShare(await heard())).toBeGreaterThan(0.6);
    await touch('touchEnd');
    await expect.poll(openMicrophones).toBe(0);
    await expect(glass.locator('#microphone')).toBeHidden();
    const sessions = async () => (await api('/api/stream/sessions')).body.sessions as { talk: string }[];
    await expect
      .poll(async () => (await sessions()).map(({ talk }) => talk), { timeout: 15_000 })
      .toEqual(['ready']);
    const ended = (await heard()).length;
    await expect(sheet).toBeVisible();
    await finger.detach();
    await glass.getByRole('button', { name: 'Ignore' }).click();
    await expect(sheet).toHaveCount(0);
    await expect.poll(sessions).toEqual([]);
    expect((await heard()).length).toBe(ended);
  } finally {
    await camera.stop();
    await door.stop();
  }
});
