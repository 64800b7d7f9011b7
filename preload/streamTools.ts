/** What installBridge lends to `container.streamBridge`. */
export interface StreamTools {
  /** Sends an action of the stream surfaces to the panel. */
  call(fields: object): Promise<{ sdp?: string }>;
  failure(message: string, code: string, field?: string): Error;
  /** Tells the listeners of the bridge a message of its own accord. */
  announce(message: object): void;
  /** Hears the states of the panel's stream sessions. @returns the end of it. */
  onSession(listener: (session: { id: string; state: string }) => void): () => void;
  /** Whether `url` is one that these streams play. */
  isUrl(url: string): boolean;
}

/** Makes what answers a message of `streamBridge.postMessage`. */
export type StreamFactory = (tools: StreamTools) => (json: string) => Promise<unknown>;

/** What installBridge lends to the pictures of calls. */
export interface SipVideoTools {
  /** Sends an action of `sipVideo` to the panel. */
  call(fields: object): Promise<{ sdp?: string }>;
  /** The status object of the intercom. */
  status(): Promise<{ callStatus: string }>;
  /** Hears the events of calls. @returns the end of it. */
  onSip(listener: (message: { event: string }) => void): () => void;
  failure(message: string, code: string, field?: string): Error;
}

/** Makes the methods of `container.sip` that show pictures; each resolves with the status object. */
export type SipVideoFactory = (
  tools: SipVideoTools,
) => Readonly<Record<'showVideo' | 'resizeVideo' | 'hideVideo', (given?: unknown) => Promise<unknown>>>;
