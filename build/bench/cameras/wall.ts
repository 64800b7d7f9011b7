import type { PageVideo, PageWorld } from '../../../server/video/testing/pageWorld.ts';

interface WallWorld extends PageWorld {
  /** Ends what `openTiles` has opened. */
  closeTiles?(): Promise<void>;
  tiles?: readonly PageVideo[];
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Runs in the page: watches an ONVIF camera in so many tiles, as large as `size` for the panel. Resolves once all have a picture. */
export async function openTiles({
  count,
  url,
  size,
}: {
  count: number;
  url: string;
  size: Size;
}): Promise<void> {
  const world = globalThis as unknown as WallWorld;
  const open = async (at: number) => {
    const id = `tile${at}`;
    const connection = new world.RTCPeerConnection({ iceServers: [] });
    const video = world.document.createElement('video');
    video.muted = true;
    video.autoplay = true;
    // All on the screen: one that is out of sight is decoded but not drawn.
    video.style.cssText = `position: fixed; left: ${25 * (at % 4)}%; top: ${50 * Math.floor(at / 4)}%; width: 24%; aspect-ratio: 16 / 9`;
    world.document.body.append(video);
    connection.addTransceiver('video', { direction: 'recvonly' });
    connection.addEventListener('track', ({ track }) => {
      video.srcObject = new world.MediaStream([track]);
    });
    await connection.setLocalDescription();
    const { sdp } = connection.localDescription;
    const response = await fetch(`/api/stream/whep/${id}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ url, sdp, ...size }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(text);
    await connection.setRemoteDescription({ type: 'answer', sdp: JSON.parse(text).sdp });
    await new Promise((resolve) => video.requestVideoFrameCallback(resolve));
    if (video.videoWidth !== size.width) throw new Error(`A tile shows ${video.videoWidth} pixels across.`);
    const close = async () => {
      connection.close();
      video.remove();
      await fetch(`/api/stream/whep/${id}`, { method: 'DELETE' });
    };
    return { video, close };
  };
  const all = await Promise.all(Array.from({ length: count }, (_, at) => open(at)));
  world.tiles = all.map(({ video }) => video);
  world.closeTiles = async () => void (await Promise.all(all.map(({ close }) => close())));
}

/** Runs in the page. */
export async function closeTiles(): Promise<void> {
  await (globalThis as unknown as WallWorld).closeTiles?.();
}

/** Runs in the page. @returns how many pictures of the tiles were decoded so far, and the time of the page in milliseconds */
export function tilePictures(): { count: number; at: number } {
  const { tiles = [] } = globalThis as unknown as WallWorld;
  const count = tiles.reduce((sum, video) => sum + video.getVideoPlaybackQuality().totalVideoFrames, 0);
  return { count, at: performance.now() };
}

/**
 * Runs in the page: gives the first tile another size, and looks at each of its pictures until a second after one of the other
 * width.
 * @returns the longest time between two pictures, in milliseconds, and how many were black
 */
export async function switchTile({ size }: { size: Size }): Promise<{ gap: number; black: number }> {
  const { tiles, OffscreenCanvas } = globalThis as unknown as WallWorld;
  const video = tiles![0]!;
  const canvas = new OffscreenCanvas(8, 8).getContext('2d', { willReadFrequently: true });
  const asked = await fetch('/api/stream/whep/tile0/size', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(size),
  });
  if (!asked.ok) throw new Error(await asked.text());
  const before = video.videoWidth;
  const limitAt = performance.now() + 20_000;
  let [newest, gap, black, changedAt] = [performance.now(), 0, 0, Number.POSITIVE_INFINITY];
  return new Promise((resolve, reject) => {
    const look = (now: number): void => {
      gap = Math.max(gap, now - newest);
      newest = now;
      canvas.drawImage(video, 0, 0, 8, 8);
      const { data } = canvas.getImageData(0, 0, 8, 8);
      if (data.every((value, at) => at % 4 === 3 || value < 24)) black++;
      if (video.videoWidth !== before) changedAt = Math.min(changedAt, now);
      if (now > changedAt + 1_000) resolve({ gap, black });
      else if (now > limitAt) reject(new Error('The picture has not changed its size.'));
      else video.requestVideoFrameCallback(look);
    };
    video.requestVideoFrameCallback(look);
  });
}
