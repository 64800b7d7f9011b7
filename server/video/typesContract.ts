/** The types of `container.streamBridge`, whose messages the page script (preload/streamBridge.ts) answers itself. */
export const streamTypes = `/** Where a camera is shown: over the element with this id, or in fractions (0..1) of the screen. */
export type StreamPlace = { divId: string } | { rect: { x: number; y: number; w: number; h: number } };

/** Messages of \`streamBridge.postMessage\`. A stream begins muted. */
export type StreamAction =
  | ({ action: 'open'; id: string; url: string } & StreamPlace)
  | ({ action: 'resize'; id: string } & StreamPlace)
  | { action: 'close' | 'mute' | 'unmute'; id: string }
  | { action: 'volume'; id: string; volume: number }
  | { action: 'closeAll' };

export interface StreamResult {
  status: 'ok';
  action: StreamAction['action'];
  id?: string;
  /** Of closeAll: how many. */
  closed?: number;
}

/** Reaches \`onmessage\` and the message listeners, as a JSON string, when the state of a stream changes. */
export interface StreamStateMessage {
  action: 'state';
  id: string;
  state: 'connecting' | 'playing' | 'stalled' | 'failed' | 'closed';
  error?: string;
  code?: ContainerErrorCode;
}

export interface StreamBridge {
  /** Sends one action as JSON, such as \`{"action":"open","id":"door","url":"rtsp://…","divId":"door-box"}\`. */
  postMessage(json: string): Promise<StreamResult>;
  onmessage: ((event: { data: string }) => void) | null;
  addEventListener(type: 'message', listener: (event: { data: string }) => void): void;
  removeEventListener(type: 'message', listener: (event: { data: string }) => void): void;
}
`;
