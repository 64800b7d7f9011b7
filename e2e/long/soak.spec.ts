import { readdirSync } from 'node:fs';
import type { Page } from '@playwright/test';
import type { FaceplateProcess } from '../../server/testing/faceplateProcess.ts';
import type { CameraMount } from '../../server/testing/rtspCamera.ts';
import { apiOf } from '../api.ts';
import { expect, test } from '../fixtures.ts';
import { probe, probedEnv } from '../sweep/probe.ts';
import { statsOf, stopDemo, watch } from '../viewer.ts';

const SOAK_MINUTES = Number(process.env.SOAK_MINUTES ?? 10);
const VIEWERS = 4;
const MOUNTS: readonly CameraMount[] = ['h264-pcmu', 'h264-opus', 'udp', 'high'];
const SAMPLES = 10;
/** Allowed growth in the second half, in MB: of the memory in use, and of the resident set, which fragments. */
const USED_MB = 4;
const RESIDENT_MB = 40;
const HANDLES = 8;

interface Sample {
  readonly used: number;
  readonly resident: number;
  readonly handles: number;
}

test(`should serve ${VIEWERS} viewers that come and go for ${SOAK_MINUTES} minutes without growing`, async ({
  startFaceplate,
  openDemo,
  cameras,
}) => {
  test.setTimeout((SOAK_MINUTES + 5) * 60_000);
  const service = await startFaceplate({ kiosk: true, env: probedEnv });
  const page = await openDemo(service);
  const api = await apiOf(service);
  await stopDemo(page);
  const samples: Sample[] = [];
  const startedAt = performance.now();
  const minutes = () => (performance.now() - startedAt) / 60_000;
  for (let turn = 0; minutes() < SOAK_MINUTES; turn++) {
    const id = `soak-${turn % VIEWERS}`;
    // The next viewer with this name takes over; the page closes the old connection.
    await page.evaluate((id) => window.viewers?.get(id)?.close(), id);
    expect((await watch(page, id, cameras.url(MOUNTS[turn % MOUNTS.length]!))).status).toBe(200);
    const decoded = async () => (await statsOf(page, id)).video?.frames ?? 0;
    await expect.poll(decoded, { timeout: 30_000 }).toBeGreaterThan(20);
    await removeEnded(page);
    if (minutes() < ((samples.length + 1) * SOAK_MINUTES) / SAMPLES) continue;
    samples.push(await sampleOf(service));
    const { used, resident, handles } = samples.at(-1)!;
    process.stdout.write(
      `${minutes().toFixed(1)} min  ${turn + 1} viewers  ${used} MB in use  ${resident} MB resident  ${handles} handles\n`,
    );
  }
  // The first half warms up: code is compiled, pools grow to what they need.
  const middle = samples[Math.floor(samples.length / 2)]!;
  const last = samples.at(-1)!;
  expect(last.used - middle.used).toBeLessThan(USED_MB);
  expect(last.resident - middle.resident).toBeLessThan(RESIDENT_MB);
  expect(last.handles - middle.handles).toBeLessThanOrEqual(HANDLES);
  for (let i = 0; i < VIEWERS; i++) await api(`/api/stream/whep/soak-${i}`, undefined, { method: 'DELETE' });
  await expect.poll(async () => (await api('/api/stream/sessions')).body.sessions).toEqual([]);
});

async function removeEnded(page: Page): Promise<void> {
  await page.evaluate(() => {
    for (const video of document.querySelectorAll('video')) {
      const tracks = (video.srcObject as MediaStream | null)?.getTracks();
      if (tracks?.every(({ readyState }) => readyState === 'ended')) video.remove();
    }
  });
}

/** Memory in MB after garbage collection, and open handles. */
async function sampleOf(service: FaceplateProcess): Promise<Sample> {
  const { used, rss } = await probe(service);
  const mb = (bytes: number) => Number((bytes / 2 ** 20).toFixed(1));
  return {
    used: mb(used),
    resident: mb(rss),
    handles: readdirSync(`/proc/${service.pid}/fd`).length,
  };
}
