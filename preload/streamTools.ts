/** What the pictures of cameras take of an event `stream`. */
export interface StreamSessionState {
  readonly id: string;
  readonly state: string;
  readonly problem: { readonly code: string; readonly error: string } | null;
}

/** What installBridge passes to `container.streamBridge`. */
export interface StreamTools {
  /** Sends an action of the stream surfaces to the panel. */
  call(fields: object): Promise<{ sdp?: string }>;
  failure(message: string, code: string, field?: string): Error;
  /** Sends the listeners of the bridge a message that answers no call. */
  announce(message: object): void;
  /** Takes the states of the panel's stream sessions. @returns the function that stops it. */
  onSession(listener: (session: StreamSessionState) => void): () => void;
  /** Whether `url` is one that these streams can play. */
  isUrl(url: string): boolean;
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
