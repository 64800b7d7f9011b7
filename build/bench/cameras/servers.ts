import { setTimeout as sleep } from 'node:timers/promises';
import type { FaceplateProcess } from '../../../server/testing/faceplateProcess.ts';
import type { ViewOrder } from '../../../server/video/testing/fieldCameras/browserView.ts';
import { WeriftViewer } from '../../../server/video/testing/weriftViewer.ts';
import type { MediaProxy } from './mediaProxy.ts';

const VIEWER_LIMIT_MS = 60_000;
const TRY_MS = 15_000;

/** A server whose cameras are watched. */
export interface WatchedServer {
  readonly pid: number;
  /** Where a page asks for a camera. */
  orderOf(camera: string): Omit<ViewOrder, 'ms'>;
}

/** @param urls addresses by the name of a camera */
export async function ourServer(
  service: FaceplateProcess,
  urls: Readonly<Record<string, string>>,
): Promise<WatchedServer> {
  const base = await service.url;
  return {
    pid: service.pid!,
    orderOf: (camera) => ({ endpoint: `${base}/api/stream/whep/${camera}`, url: urls[camera]! }),
  };
}

export function otherServer(proxy: MediaProxy): WatchedServer {
  return { pid: proxy.pid, orderOf: (camera) => ({ endpoint: proxy.endpoint(camera) }) };
}

/** Watches a camera without decoding it. @returns what ends it */
export async function watch(
  server: WatchedServer,
  camera: string,
  hasSound = true,
): Promise<() => Promise<void>> {
  const { endpoint, url } = server.orderOf(camera);
  const deadline = performance.now() + VIEWER_LIMIT_MS;
  for (;;) {
    const viewer = new WeriftViewer();
    const sdp = await viewer.offer();
    const response = await fetch(endpoint, {
      method: 'POST',
      headers: { 'content-type': url === undefined ? 'application/sdp' : 'application/json' },
      body: url === undefined ? sdp : JSON.stringify({ url, sdp }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(text);
    await viewer.accept(url === undefined ? text : (JSON.parse(text) as { sdp: string }).sdp);
    const { video, audio } = viewer.received;
    const end = async () => {
      if (url !== undefined) await fetch(endpoint, { method: 'DELETE' });
      await viewer.close();
    };
    const isThere = () => video.length >= 20 && (!hasSound || audio.length >= 5);
    const until = performance.now() + TRY_MS;
    while (!isThere() && viewer.state !== 'failed' && performance.now() < until) await sleep(20);
    if (!isThere()) {
      // On a busy machine its handshake may fail, or the server may think that it is gone.
      await end();
      if (performance.now() < deadline) continue;
      throw new Error(`a viewer of ${endpoint} has ${video.length} packets, ${audio.length} of sound`);
    }
    // Processing it would only take CPU from what is measured.
    viewer.ignoreMedia();
    return end;
  }
}
