/** What installBridge lends to `container.streamBridge`. */
export interface StreamTools {
  /** Sends an action of the stream surfaces to the panel. */
  call(fields: object): Promise<{ sdp?: string }>;
  failure(message: string, code: string, field?: string): Error;
  /** Tells the listeners of the bridge a message of its own accord. */
  announce(message: object): void;
  /** Hears the states of the panel's stream sessions. @returns the end of it. */
  onSession(listener: (session: { id: string; state: string }) => void): () => void;
}

/** Makes what answers a message of `streamBridge.postMessage`. */
export type StreamFactory = (tools: StreamTools) => (json: string) => Promise<unknown>;
