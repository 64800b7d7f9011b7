import type { PageWorld } from '../pageWorld.ts';
import type { FieldCase } from './fieldCase.ts';

/** Where a camera is watched. */
export interface ViewOrder {
  /** Takes the offer, as JSON together with `url`, or as SDP where there is no `url`. */
  readonly endpoint: string;
  readonly url?: string;
  /** How long after the answer, in milliseconds. */
  readonly ms: number;
}

/** What a browser decoded, by its own statistics (inbound-rtp). */
export interface Viewed {
  /** Why there is no connection. */
  readonly error?: string;
  readonly frames: number;
  readonly keyFrames: number;
  /** From the POST to the first decoded picture; 0 for none. */
  readonly firstMs: number;
  /** All freezes, and since the last decoded picture. */
  readonly frozenMs: number;
}

/** Runs in a page: watches a camera by WHEP and closes the connection. It is judged by what is decoded, never by "connected". */
export async function viewInPage({ endpoint, url, ms }: ViewOrder): Promise<Viewed> {
  const { RTCPeerConnection, MediaStream, document } = globalThis as unknown as PageWorld;
  const pause = (time: number) => new Promise((resolve) => setTimeout(resolve, time));
  const connection = new RTCPeerConnection({ iceServers: [] });
  const video = document.createElement('video');
  video.muted = true;
  video.autoplay = true;
  // Drawn small: many are watched at once.
  video.width = 48;
  // Browsers decode only what is played.
  document.body.append(video);
  connection.addTransceiver('video', { direction: 'recvonly' });
  connection.addTransceiver('audio', { direction: 'recvonly' });
  const tracks: object[] = [];
  connection.addEventListener('track', ({ track }) => {
    tracks.push(track);
    video.srcObject = new MediaStream(tracks);
  });
  const seen = { frames: 0, keyFrames: 0, firstMs: 0, frozenMs: 0 };
  try {
    await connection.setLocalDescription();
    const { sdp } = connection.localDescription;
    const startedAt = performance.now();
    const response = await fetch(endpoint, {
      method: 'POST',
      headers: { 'content-type': url === undefined ? 'application/sdp' : 'application/json' },
      body: url === undefined ? sdp : JSON.stringify({ url, sdp }),
    });
    const text = await response.text();
    if (!response.ok) return { ...seen, error: text };
    const answer: string = url === undefined ? text : JSON.parse(text).sdp;
    await connection.setRemoteDescription({ type: 'answer', sdp: answer });
    const end = performance.now() + ms;
    let newestAt = performance.now();
    while (performance.now() < end) {
      await pause(200);
      for (const entry of (await connection.getStats()).values()) {
        if (entry.type !== 'inbound-rtp' || entry.kind !== 'video') continue;
        const frames = Number(entry.framesDecoded);
        if (frames > seen.frames) newestAt = performance.now();
        if (frames > 0 && seen.firstMs === 0) seen.firstMs = performance.now() - startedAt;
        seen.frames = frames;
        seen.keyFrames = Number(entry.keyFramesDecoded);
        seen.frozenMs = Number(entry.totalFreezesDuration) * 1_000 + performance.now() - newestAt;
      }
    }
    return seen;
  } catch (error) {
    return { ...seen, error: String(error) };
  } finally {
    connection.close();
    video.remove();
    if (url !== undefined) await fetch(endpoint, { method: 'DELETE' });
  }
}

/** How a browser plays a camera: well, with missing pictures or freezes, not at all. */
export type Playing = 'plays' | 'badly' | 'black' | 'refused';

/** Part of the pictures that must be decoded. */
const ENOUGH = 0.85;
/** A pause that people see, in milliseconds, beside those of the camera. */
const FREEZE_MS = 2_500;
/** Until a lost camera is back at a key frame. */
const RETURN_MS = 3_000;

/** How long nothing may come of a camera, beside the start, in milliseconds: it stalls, or is lost until it is known. */
export function pauseOf({ departs, right }: FieldCase): number {
  return (departs.stallMs ?? 0) + (right.plays ? right.losses * RETURN_MS : 0);
}

/** @param pauseMs as `pauseOf` says */
export function judgeView(viewed: Viewed, ms: number, pauseMs: number): Playing {
  const { error, frames, keyFrames, firstMs, frozenMs } = viewed;
  if (error !== undefined) return 'refused';
  if (frames === 0 || keyFrames === 0) return 'black';
  const due = (ENOUGH * Math.max(0, ms - firstMs - pauseMs) * 25) / 1_000;
  return frames >= due && frozenMs <= FREEZE_MS + pauseMs ? 'plays' : 'badly';
}
