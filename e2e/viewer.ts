import { expect, type Page } from '@playwright/test';
import type { ApiAnswer } from './api.ts';

declare global {
  interface Window {
    /** Connections that tests made in the page, by session id. */
    viewers?: Map<string, RTCPeerConnection>;
  }
}

/** What one track of a viewer has received. */
interface TrackStats {
  readonly codec: string;
  readonly packets: number;
  /** Decoded pictures; 0 for sound. */
  readonly frames: number;
  /** Energy of the decoded sound so far; 0 for pictures. */
  readonly energy: number;
}

/** An offer as browsers make it: receive-only video and audio. */
export function offerOf(page: Page): Promise<string> {
  return page.evaluate(async () => {
    const connection = new RTCPeerConnection();
    connection.addTransceiver('video', { direction: 'recvonly' });
    connection.addTransceiver('audio', { direction: 'recvonly' });
    const { sdp } = await connection.createOffer();
    connection.close();
    return sdp!;
  });
}

/**
 * Watches a camera in the page over WHEP, as a project of the panel does. @returns what the panel answered.
 * @param api address of the panel, for a page of another server
 */
export function watch(page: Page, id: string, url: string, api = ''): Promise<ApiAnswer> {
  return page.evaluate(
    async ([id, url, api]) => {
      const connection = new RTCPeerConnection({ iceServers: [] });
      connection.addTransceiver('video', { direction: 'recvonly' });
      connection.addTransceiver('audio', { direction: 'recvonly' });
      const video = document.createElement('video');
      video.muted = true;
      video.srcObject = new MediaStream(connection.getReceivers().map(({ track }) => track));
      // Browsers decode only what is played.
      document.body.append(video);
      void video.play().catch(() => undefined);
      window.viewers ??= new Map();
      window.viewers.set(id, connection);
      await connection.setLocalDescription();
      const response = await fetch(`${api}/api/stream/whep/${id}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ url, sdp: connection.localDescription!.sdp }),
      });
      const body = await response.json();
      if (response.ok) await connection.setRemoteDescription({ type: 'answer', sdp: body.sdp });
      return { status: response.status, body };
    },
    [id, url, api] as const,
  );
}

/** What a viewer of `watch` has received so far, by kind. */
export function statsOf(page: Page, id: string): Promise<Partial<Record<'video' | 'audio', TrackStats>>> {
  return page.evaluate(async (id) => {
    const report = await window.viewers!.get(id)!.getStats();
    const tracks: Partial<Record<'video' | 'audio', TrackStats>> = {};
    for (const entry of report.values()) {
      if (entry.type !== 'inbound-rtp') continue;
      tracks[entry.kind as 'video' | 'audio'] = {
        codec: report.get(entry.codecId)?.mimeType ?? '',
        packets: entry.packetsReceived,
        frames: entry.framesDecoded ?? 0,
        energy: entry.totalAudioEnergy ?? 0,
      };
    }
    return tracks;
  }, id);
}

/** Plays a camera in the demo's camera card. */
export async function playInDemo(page: Page, url: string): Promise<void> {
  await stopDemo(page);
  await page.getByTestId('camera-url').fill(url);
  await page.getByTestId('camera-play').click();
}

/** Stops the demo's own viewer; resolves once the panel knows. The panel must have its own camera. */
export async function stopDemo(page: Page): Promise<void> {
  // Before that the demo does not know the camera, and would begin to play it after it was "stopped".
  await expect(page.getByTestId('camera-url')).not.toHaveValue('');
  const button = page.getByTestId('camera-play');
  if ((await button.textContent()) === 'Stop') {
    // The request, not any answer: a late answer of the previous page, whose camera was on, may arrive now.
    const request = page.waitForRequest((request) => request.method() === 'DELETE');
    await button.click();
    await (await request).response();
  }
}

/** Pictures that the demo's video has shown. */
function pictures(page: Page): Promise<{ width: number; height: number; frames: number }> {
  return page.getByTestId('camera-video').evaluate((element) => {
    const video = element as HTMLVideoElement;
    const { totalVideoFrames } = video.getVideoPlaybackQuality();
    return { width: video.videoWidth, height: video.videoHeight, frames: totalVideoFrames };
  });
}

/** Waits until the camera of the demo shows pictures of this size, one after the other. */
export async function expectMovingPictures(page: Page, width: number, height: number): Promise<void> {
  await expect(page.getByTestId('camera-card')).toHaveAttribute('data-state', 'playing');
  await expect.poll(() => pictures(page)).toMatchObject({ width, height });
  const { frames } = await pictures(page);
  await expect.poll(async () => (await pictures(page)).frames).toBeGreaterThan(frames + 10);
}
