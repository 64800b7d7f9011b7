import type { Page } from '@playwright/test';
import { CAMERA_LOGIN, type CameraMount } from '../../server/testing/rtspCamera.ts';
import { expect, test } from '../fixtures.ts';
import { statsOf, stopDemo, watch } from '../viewer.ts';

/** Every codec, profile and transport that plays, by mount: picture width and the sound that is passed on. */
const PLAYS: readonly [CameraMount, number, string | null][] = [
  ['h264', 320, null],
  ['h264-pcmu', 640, 'PCMU'],
  ['h264-pcma', 320, 'PCMA'],
  ['h264-g722', 320, 'G722'],
  ['h264-opus', 640, 'OPUS'],
  ['h264-aac', 320, null],
  ['main', 640, null],
  ['high', 640, null],
  ['no-sets', 640, null],
  ['usual-packets', 1280, null],
  ['large-packets', 640, null],
  ['udp', 320, 'PCMU'],
  ['login', 320, null],
];
const WATCH_MS = 10_000;

const decodedOf = async (page: Page, id: string) => (await statsOf(page, id)).video?.frames ?? 0;

for (const [mount, width, audioCodec] of PLAYS) {
  test(`should play ${mount} for ten seconds without a loss`, async ({ page, api, cameras }) => {
    await stopDemo(page);
    const url = cameras.url(mount, mount === 'login' ? CAMERA_LOGIN : undefined);
    expect((await watch(page, 'matrix', url)).status).toBe(200);
    await expect.poll(() => decodedOf(page, 'matrix')).toBeGreaterThan(5);
    const before = await decodedOf(page, 'matrix');
    await page.waitForTimeout(WATCH_MS);
    // Every camera of the list sends at least 15 pictures a second.
    expect((await decodedOf(page, 'matrix')) - before).toBeGreaterThan((WATCH_MS / 1000) * 15 * 0.8);
    const { sessions } = (await api('/api/stream/sessions')).body as { sessions: object[] };
    expect(sessions).toMatchObject([{ state: 'playing', codec: 'H264', width, audioCodec, lost: 0 }]);
    await api('/api/stream/whep/matrix', undefined, { method: 'DELETE' });
  });
}
