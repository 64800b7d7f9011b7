/** What a page has that watches a camera; the types of the page's own world are not loaded where its functions are written. */
export interface PageWorld {
  RTCPeerConnection: new (
    configuration: object,
  ) => {
    readonly localDescription: { readonly sdp: string };
    addTransceiver(kind: string, init: object): void;
    addEventListener(name: 'track', listener: (event: { readonly track: object }) => void): void;
    setLocalDescription(): Promise<void>;
    setRemoteDescription(answer: { type: 'answer'; sdp: string }): Promise<void>;
    getStats(): Promise<ReadonlyMap<string, Readonly<Record<string, unknown>>>>;
    close(): void;
  };
  MediaStream: new (tracks: object[]) => object;
  OffscreenCanvas: new (
    width: number,
    height: number,
  ) => { getContext(kind: '2d', options: object): PageCanvas };
  document: { createElement(name: 'video'): PageVideo; body: { append(video: PageVideo): void } };
}

interface PageCanvas {
  drawImage(video: PageVideo, ...places: number[]): void;
  getImageData(x: number, y: number, width: number, height: number): { readonly data: Uint8ClampedArray };
}

/** What a page knows about a picture of a camera that is shown. */
export interface PagePicture {
  readonly expectedDisplayTime: number;
  readonly rtpTimestamp: number;
}

export interface PageVideo {
  muted: boolean;
  autoplay: boolean;
  width: number;
  readonly style: { cssText: string };
  readonly videoWidth: number;
  srcObject: object;
  getVideoPlaybackQuality(): { readonly totalVideoFrames: number };
  requestVideoFrameCallback(listener: (now: number, picture: PagePicture) => void): void;
  remove(): void;
}
