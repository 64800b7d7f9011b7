import type { ViewOrder } from '../../../server/video/testing/fieldCameras/browserView.ts';
import type { PagePicture, PageWorld } from '../../../server/video/testing/pageWorld.ts';

/** What the page looks at. */
export interface ShownOrder extends Omit<ViewOrder, 'ms'> {
  /** Content-Type of an offer that goes alone; without it application/sdp. */
  readonly type?: string;
  /** Reads the numbers of the pictures (`CODE`) for this time, from `afterMs` after the first one on. */
  readonly numbers?: {
    readonly afterMs: number;
    readonly ms: number;
    readonly bits: number;
    readonly square: number;
  };
}

/** A picture on the screen, and when, in milliseconds since 1970. */
export interface ShownPicture {
  readonly number: number;
  readonly at: number;
  /** The server's time stamp of it, of 90,000 a second. */
  readonly timestamp: number;
}

/**
 * Runs in the page: watches a camera by WHEP and closes the connection.
 * @returns milliseconds from the POST to the first picture shown, the time of that picture, since 1970, and those that it read
 */
export async function picturesShown({
  endpoint,
  url,
  type = 'application/sdp',
  numbers,
}: ShownOrder): Promise<{ ms: number; at: number; read: ShownPicture[] }> {
  const { RTCPeerConnection, MediaStream, OffscreenCanvas, document } = globalThis as unknown as PageWorld;
  const connection = new RTCPeerConnection({ iceServers: [] });
  const video = document.createElement('video');
  video.muted = true;
  video.autoplay = true;
  document.body.append(video);
  connection.addTransceiver('video', { direction: 'recvonly' });
  connection.addEventListener('track', ({ track }) => {
    video.srcObject = new MediaStream([track]);
  });
  const shown = new Promise<number>((resolve) => video.requestVideoFrameCallback((now) => resolve(now)));
  try {
    await connection.setLocalDescription();
    const startedAt = performance.now();
    const { sdp } = connection.localDescription;
    const response = await fetch(endpoint, {
      method: 'POST',
      headers: { 'content-type': url === undefined ? type : 'application/json' },
      body: url === undefined ? sdp : JSON.stringify({ url, sdp }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(text);
    const answer: string = url === undefined ? text : JSON.parse(text).sdp;
    await connection.setRemoteDescription({ type: 'answer', sdp: answer });
    const shownAt = await shown;
    const read: ShownPicture[] = [];
    if (numbers !== undefined) {
      const { afterMs, bits, square, ms } = numbers;
      const from = shownAt + afterMs;
      const canvas = new OffscreenCanvas(bits, 1).getContext('2d', { willReadFrequently: true });
      const epoch = Date.now() - performance.now();
      await new Promise<void>((resolve) => {
        const look = (now: number, picture: PagePicture): void => {
          if (now > from) {
            // Only the middle of each square: its edges are blurred.
            for (let bit = 0; bit < bits; bit++)
              canvas.drawImage(
                video,
                (bit + 0.25) * square,
                square / 4,
                square / 2,
                square / 2,
                bit,
                0,
                1,
                1,
              );
            const { data } = canvas.getImageData(0, 0, bits, 1);
            let number = 0;
            for (let bit = 0; bit < bits; bit++) if (data[4 * bit]! > 128) number += 2 ** bit;
            const { expectedDisplayTime, rtpTimestamp } = picture;
            read.push({ number, at: epoch + expectedDisplayTime, timestamp: rtpTimestamp });
          }
          if (now > from + ms) resolve();
          else video.requestVideoFrameCallback(look);
        };
        video.requestVideoFrameCallback(look);
        // Where none comes any more.
        setTimeout(resolve, from + 2 * ms - performance.now());
      });
    }
    return { ms: shownAt - startedAt, at: performance.timeOrigin + shownAt, read };
  } finally {
    connection.close();
    video.remove();
    if (url !== undefined) await fetch(endpoint, { method: 'DELETE' });
  }
}
