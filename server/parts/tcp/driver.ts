/** Where a connection leads. */
export interface TcpTarget {
  /** The address that was judged; it alone is connected to. */
  readonly address: string;
  /** The name or address that the caller gave: what a certificate has to name. */
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
}

/** What a connection tells. */
export interface TcpEvents {
  onOpen(): void;
  /** Nothing more is read before the promise resolves. */
  onData(bytes: Uint8Array): Promise<unknown> | undefined;
  /** Once, last. @param failure a FaceplateError or a system error; undefined when it ended well */
  onEnd(failure: Error | undefined): void;
}

/** One connection. */
export interface TcpLink {
  /** Bytes that wait for the peer. */
  readonly waiting: number;
  send(bytes: Uint8Array): void;
  /** Sends what waits, then ends our half. */
  close(): void;
  /** Ends it at once. */
  destroy(): void;
}

/** Makes connections. */
export interface TcpDriver {
  /** Begins to connect; `events` tell the rest, later. */
  open(target: TcpTarget, events: TcpEvents): TcpLink;
}
