/** What the page has; the types of the page's own world are not loaded here. */
interface PageWorld {
  RTCPeerConnection: new (
    configuration: object,
  ) => {
    readonly localDescription: { readonly sdp: string };
    addTransceiver(kind: string, init: object): void;
    addEventListener(name: 'track', listener: (event: { readonly track: object }) => void): void;
    setLocalDescription(): Promise<void>;
    setRemoteDescription(answer: { type: 'answer'; sdp: string }): Promise<void>;
    close(): void;
  };
  MediaStream: new (tracks: object[]) => object;
  document: { createElement(name: 'video'): PageVideo; body: { append(video: PageVideo): void } };
}

interface PageVideo {
  muted: boolean;
  autoplay: boolean;
  srcObject: object;
  requestVideoFrameCallback(listener: (now: number) => void): void;
  remove(): void;
}

/** Another server that takes the plain offer, and the type that it wants of it. */
export interface OtherServer {
  readonly endpoint: string;
  readonly type: string;
}

/**
 * Runs in the page: watches a camera through the panel, or through another server.
 * @returns milliseconds from the POST to the first picture shown, and the time of that picture, since 1970
 */
export async function timeToFirstFrame({
  url,
  other,
}: {
  url?: string;
  other?: OtherServer;
}): Promise<{ ms: number; at: number }> {
  const { RTCPeerConnection, MediaStream, document } = globalThis as unknown as PageWorld;
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
  await connection.setLocalDescription();
  const startedAt = performance.now();
  const offer = connection.localDescription.sdp;
  const response = await fetch(other?.endpoint ?? '/api/stream/whep/bench', {
    method: 'POST',
    headers: { 'content-type': other?.type ?? 'application/json' },
    body: other === undefined ? JSON.stringify({ url, sdp: offer }) : offer,
  });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  const sdp: string = other === undefined ? JSON.parse(text).sdp : text;
  await connection.setRemoteDescription({ type: 'answer', sdp });
  const shownAt = await shown;
  connection.close();
  video.remove();
  if (other === undefined) await fetch('/api/stream/whep/bench', { method: 'DELETE' });
  return { ms: shownAt - startedAt, at: performance.timeOrigin + shownAt };
}
