import { setTimeout as sleep } from 'node:timers/promises';
import { FaceplateProcess } from '../../../server/testing/faceplateProcess.ts';
import { WeriftViewer } from '../../../server/video/testing/weriftViewer.ts';
import { type Bench, median } from '../bench.ts';
import { relayedCamera } from './cameraRelay.ts';

const TRIES = 6;
/** Pictures of one address within a second are the same one. */
const SHARED_MS = 1_000;
/** The service leaves a camera that nobody watches after this time. */
const LINGER_MS = 1_000;
const VIEWER_LIMIT_MS = 20_000;

export const snapshotBench: Bench = {
  name: 'snapshot',
  about: 'a JPEG of 640 pixels across from a 1080p camera of 4 Mbit/s, key frames every 2 s',
  rows: [
    {
      key: 'watched',
      label: `while somebody watches, median of ${TRIES}`,
      unit: 'ms',
      goal: { atMost: 250 },
    },
    { key: 'slowest', label: 'the slowest of them', unit: 'ms' },
    {
      key: 'unwatched',
      label: "while nobody does, from the camera's first key frame",
      unit: 'ms',
      goal: { atMost: 1000 },
    },
    { key: 'cold', label: 'the same from the request', unit: 'ms' },
  ],
  ratios: [],
  async setUp() {
    const camera = await relayedCamera();
    const { relay, url } = camera;
    const service = new FaceplateProcess({
      kiosk: true,
      env: {
        FACEPLATE_LOG_LEVEL: 'silent',
        // A board without a camera, which the demo would otherwise play.
        FACEPLATE_BOARD: 'generic-linux',
        FACEPLATE_STREAMS_LINGER_SECONDS: String(LINGER_MS / 1000),
      },
    });
    await service.start();
    const base = `${await service.url}/api/stream`;
    const picture = `${base}/snapshot?${new URLSearchParams({ url, width: '640' })}`;
    // The page of the glass loads its decoder with the first one.
    await take(picture);
    return {
      round: async () => {
        await sleep(LINGER_MS + 2 * SHARED_MS);
        relay.firstMediaAt = undefined;
        const cold = await take(picture);
        const unwatched = cold.at - (relay.firstMediaAt ?? Number.NaN);
        const stop = await watch(base, url);
        const times: number[] = [];
        for (let index = 0; index < TRIES; index++) {
          await sleep(SHARED_MS * (1.1 + Math.random()));
          times.push((await take(picture)).ms);
        }
        await stop();
        return { watched: median(times), slowest: Math.max(...times), unwatched, cold: cold.ms };
      },
      tearDown: async () => {
        await service.stop();
        await camera.stop();
      },
    };
  },
};

/** @returns how long the picture took, and when it was there, in milliseconds since 1970 */
async function take(picture: string): Promise<{ ms: number; at: number }> {
  const start = performance.now();
  const response = await fetch(picture);
  if (!response.ok) throw new Error(await response.text());
  await response.arrayBuffer();
  const end = performance.now();
  return { ms: end - start, at: performance.timeOrigin + end };
}

/** A viewer that decodes nothing. @returns what ends it */
async function watch(base: string, url: string): Promise<() => Promise<void>> {
  const viewer = new WeriftViewer(false);
  const response = await fetch(`${base}/whep/bench`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ url, sdp: await viewer.offer() }),
  });
  if (!response.ok) throw new Error(await response.text());
  await viewer.accept(((await response.json()) as { sdp: string }).sdp);
  const deadline = performance.now() + VIEWER_LIMIT_MS;
  while (viewer.received.video.length < 100) {
    if (performance.now() > deadline) throw new Error('The viewer receives no video.');
    await sleep(50);
  }
  viewer.ignoreMedia();
  return async () => {
    await fetch(`${base}/whep/bench`, { method: 'DELETE' });
    await viewer.close();
  };
}
