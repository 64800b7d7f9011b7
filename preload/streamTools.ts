/** What the pictures of cameras take of an event `stream`. */
export interface StreamSessionState {
  readonly id: string;
  readonly state: string;
  readonly problem: { readonly code: string; readonly error: string } | null;
}

/** An event `talk`. */
export interface StreamTalkState {
  readonly session: string;
  readonly state: string;
  readonly reason: string | null;
}

/** What installBridge passes to `container.streamBridge`. */
export interface StreamTools {
  /** Sends an action of the stream surfaces to the panel. */
  call(fields: object): Promise<{ sdp?: string; talk?: string; profile?: object | null }>;
  failure(message: string, code: string, field?: string): Error;
  /** Sends the listeners of the bridge a message that answers no call. */
  announce(message: object): void;
  /** Takes the states of the panel's stream sessions. @returns the function that stops it. */
  onSession(listener: (session: StreamSessionState) => void): () => void;
  /** Takes who talks to the cameras. @returns the function that stops it */
  onTalk?(listener: (talk: StreamTalkState) => void): () => void;
  /** Whether `url` is one that these streams can play. */
  isUrl(url: string): boolean;
}

/** What takes the microphone of a connection. */
export interface Sender {
  replaceTrack(track: { stop(): void } | null): Promise<void>;
}

/** The microphone of one stream that was opened with `talk`. */
export interface StreamTalk {
  /** What a message says of it. */
  fields(): { readonly talk: string; readonly talkReason?: string };
  /** The camera takes voice. */
  ready(sender: Sender): void;
  /** Takes an event of the panel. @returns whether the page hears of it */
  hear(event: StreamTalkState): boolean;
  /** The connection is gone. */
  end(): void;
  /** Opens the microphone. */
  press(): Promise<void>;
  /** Closes it. */
  release(): void;
}

/** Makes it. @param failure as in `StreamTools` */
export type TalkFactory = (failure: StreamTools['failure']) => StreamTalk;

/** The size of a picture in pixels of the screen. */
export interface StreamSizeValue {
  readonly width: number;
  readonly height: number;
}

/** The size of one stream: it tells the panel by itself, once it has not changed for half a second. */
export interface StreamSize {
  /** Null while the picture is not shown. */
  now(): StreamSizeValue | null;
  /** Takes the size in CSS pixels, as often as the page is drawn. */
  look(width: number, height: number): void;
  /** The camera has several streams, and was opened with this size. */
  opened(size: StreamSizeValue | null): void;
  /** The connection is gone. */
  end(): void;
}

/** Makes it. @param send tells the panel */
export type SizeFactory = (send: (size: StreamSizeValue) => void) => StreamSize;

interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}
export interface PageElement {
  readonly id: string;
  readonly isConnected: boolean;
  readonly style: { cssText: string };
  append(child: unknown): void;
  remove(): void;
  setAttribute(name: string, value: string): void;
  attachShadow(options: { mode: 'closed' }): { append(child: unknown): void };
  getBoundingClientRect(): Box;
}
export interface Video extends PageElement {
  autoplay: boolean;
  muted: boolean;
  volume: number;
  srcObject: unknown;
  requestVideoFrameCallback(callback: () => void): void;
}
export interface Connection {
  readonly connectionState: string;
  readonly localDescription: { readonly sdp: string } | null;
  addTransceiver(kind: string, options: { direction: string }): { readonly sender: Sender };
  addEventListener(type: string, listener: (event: { track: unknown }) => void): void;
  setLocalDescription(): Promise<void>;
  setRemoteDescription(answer: { type: 'answer'; sdp: string }): Promise<void>;
  close(): void;
}
/** The parts of the page's global object that the cameras use. */
export interface StreamGlobal {
  readonly document: {
    readonly documentElement: PageElement;
    createElement(name: string): unknown;
    getElementById(id: string): PageElement | null;
  };
  readonly RTCPeerConnection: new (options: { iceServers: [] }) => Connection;
  readonly MediaStream: new () => { addTrack(track: unknown): void };
  requestAnimationFrame(callback: () => void): unknown;
  addEventListener(type: string, listener: () => void): void;
  setTimeout(callback: () => void, milliseconds: number): unknown;
  clearTimeout(timer: unknown): void;
  /** Left by offerTalk; removed before the page can see it. */
  faceplateTalk?: TalkFactory | undefined;
  readonly innerWidth: number;
  readonly innerHeight: number;
  /** Left by offerSizes; removed before the page can see it. */
  faceplateSizes?: SizeFactory | undefined;
  faceplateStreams?: StreamFactory;
}

/** Makes the function that answers the messages of `streamBridge.postMessage`. */
export type StreamFactory = (tools: StreamTools) => (json: string) => Promise<unknown>;

/** What installBridge passes to the pictures of calls. */
export interface SipVideoTools {
  /** Sends an action of `sipVideo` to the panel. */
  call(fields: object): Promise<{ sdp?: string }>;
  /** The status object of the intercom. */
  status(): Promise<{ callStatus: string }>;
  /** Takes the events of calls. @returns the function that stops it. */
  onSip(listener: (message: { event: string }) => void): () => void;
  failure(message: string, code: string, field?: string): Error;
}

/** Makes the methods of `container.sip` that show pictures; each resolves with the status object. */
export type SipVideoFactory = (
  tools: SipVideoTools,
) => Readonly<Record<'showVideo' | 'resizeVideo' | 'hideVideo', (given?: unknown) => Promise<unknown>>>;
