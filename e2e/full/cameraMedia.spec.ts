import { expect, test } from '../fixtures.ts';
import { statsOf, stopDemo, watch } from '../viewer.ts';

declare global {
  interface Window {
    /** Every encoded picture that arrived in the watched connection. */
    pictures: { type: string; timestamp: number }[];
    /** Sends a PLI, as the browser does when it cannot decode. */
    askForKeyFrame(): void;
  }
}

test('should keep sound and picture of a camera on one clock', async ({ page, api, cameras }) => {
  await stopDemo(page);
  expect((await watch(page, 'synced', cameras.url('h264-pcmu'))).status).toBe(200);
  // The moment of the camera's clock that is played, from its sender reports; unknown without them.
  const played = () =>
    page.evaluate(async () => {
      const moments: Partial<Record<'video' | 'audio', number>> = {};
      for (const entry of (await window.viewers!.get('synced')!.getStats()).values())
        if (entry.type === 'inbound-rtp')
          moments[entry.kind as 'video' | 'audio'] = entry.estimatedPlayoutTimestamp;
      return moments;
    });
  await expect
    .poll(
      async () => {
        const { video, audio } = await played();
        // Each track has its own timestamps from a random start: without translation they are hours apart.
        return video && audio ? Math.abs(video - audio) : Number.POSITIVE_INFINITY;
      },
      { timeout: 40_000 },
    )
    .toBeLessThan(400);
  await api('/api/stream/whep/synced', undefined, { method: 'DELETE' });
});

test('should send the last pictures again to a browser that asks for a key frame', async ({
  page,
  api,
  cameras,
}) => {
  // The demo's policy allows no worker from a blob.
  const devTools = await page.context().newCDPSession(page);
  await devTools.send('Page.setBypassCSP', { enabled: true });
  await page.reload();
  await stopDemo(page);
  await page.evaluate(() => {
    const source = `onrtctransform = ({ transformer }) => {
      onmessage = () => transformer.sendKeyFrameRequest();
      transformer.readable.pipeThrough(new TransformStream({ transform(picture, controller) {
        postMessage({ type: picture.type, timestamp: picture.getMetadata().rtpTimestamp });
        controller.enqueue(picture);
      } })).pipeTo(transformer.writable);
    }`;
    const worker = new Worker(URL.createObjectURL(new Blob([source], { type: 'text/javascript' })));
    window.pictures = [];
    worker.onmessage = ({ data }) => window.pictures.push(data);
    window.askForKeyFrame = () => worker.postMessage(null);
    // If it were set later, pictures would bypass it.
    const { addTransceiver } = RTCPeerConnection.prototype;
    RTCPeerConnection.prototype.addTransceiver = function (...args) {
      const made = addTransceiver.apply(this, args);
      if (args[0] === 'video') made.receiver.transform = new RTCRtpScriptTransform(worker);
      return made;
    };
  });
  expect((await watch(page, 'asking', cameras.url('h264'))).status).toBe(200);
  await expect.poll(() => page.evaluate(() => window.pictures.length)).toBeGreaterThan(20);
  // The camera's own key frames are one picture after the previous one; a repeated one only one tick.
  const repeated = () =>
    page.evaluate(
      () =>
        window.pictures.filter(({ type, timestamp }, index) => {
          const before = window.pictures[index - 1];
          return type === 'key' && before !== undefined && timestamp - before.timestamp === 1;
        }).length,
    );
  expect(await repeated()).toBe(0);
  await expect
    .poll(async () => {
      await page.evaluate(() => window.askForKeyFrame());
      return repeated();
    })
    .toBeGreaterThan(0);
  const { frames = 0 } = (await statsOf(page, 'asking')).video ?? {};
  await expect.poll(async () => (await statsOf(page, 'asking')).video?.frames).toBeGreaterThan(frames + 25);
  await api('/api/stream/whep/asking', undefined, { method: 'DELETE' });
  await devTools.send('Page.setBypassCSP', { enabled: false });
});
