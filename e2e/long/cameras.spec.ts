import { readdirSync, readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { CAMERA_LOGIN, type CameraMount } from '../../server/testing/rtspCamera.ts';
import { expect, test } from '../fixtures.ts';
import { statsOf, stopDemo, watch } from '../viewer.ts';

/** Every codec, profile and way of the media that plays, by mount: picture width and the sound that is passed on. */
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
const SOAK_MINUTES = Number(process.env.SOAK_MINUTES ?? 10);
const SOAK_VIEWERS = 4;
/** Growth over the second half of the soak that is still none, in MB: what the collector leaves lying about. */
const GROWTH_MB = 24;

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

test(`should hold ${SOAK_VIEWERS} viewers who come and go for ${SOAK_MINUTES} minutes without growing`, async ({
  page,
  api,
  cameras,
  panel,
}) => {
  test.setTimeout((SOAK_MINUTES + 5) * 60_000);
  await stopDemo(page);
  const pid = panel.pid!;
  const memory = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;
  const handles = () => readdirSync(`/proc/${pid}/fd`).length;
  const mounts: CameraMount[] = ['h264-pcmu', 'h264-opus', 'udp', 'high'];
  const samples: { minute: number; memory: number; handles: number }[] = [];
  const startedAt = performance.now();
  const minutes = () => (performance.now() - startedAt) / 60_000;
  for (let turn = 0; minutes() < SOAK_MINUTES; turn++) {
    const id = `soak-${turn % SOAK_VIEWERS}`;
    // Taken over by the next viewer of its name; the old connection is closed in the page.
    await page.evaluate((id) => window.viewers?.get(id)?.close(), id);
    expect((await watch(page, id, cameras.url(mounts[turn % mounts.length]!))).status).toBe(200);
    await expect.poll(() => decodedOf(page, id), { timeout: 30_000 }).toBeGreaterThan(20);
    await page.evaluate(() => {
      for (const video of document.querySelectorAll('video'))
        if (
          (video.srcObject as MediaStream | null)
            ?.getTracks()
            .every(({ readyState }) => readyState === 'ended')
        )
          video.remove();
    });
    if (turn % SOAK_VIEWERS !== SOAK_VIEWERS - 1) continue;
    const sample = { minute: minutes(), memory: memory(), handles: handles() };
    samples.push(sample);
    const line = `${sample.minute.toFixed(1)} min  ${sample.memory.toFixed(0)} MB  ${sample.handles} handles`;
    process.stdout.write(`${line}\n`);
  }
  // The first half warms up: code is compiled, pools grow to what they need.
  const middle = samples[Math.floor(samples.length / 2)]!;
  const last = samples.at(-1)!;
  expect(last.memory - middle.memory).toBeLessThan(GROWTH_MB);
  expect(last.handles - middle.handles).toBeLessThanOrEqual(8);
  for (let i = 0; i < SOAK_VIEWERS; i++)
    await api(`/api/stream/whep/soak-${i}`, undefined, { method: 'DELETE' });
  await expect.poll(async () => (await api('/api/stream/sessions')).body.sessions).toEqual([]);
});
