/** One IPv4 network of this machine. */
export interface LocalNetwork {
  readonly address: string;
  readonly prefixLength: number;
}

/** Sends datagrams from one socket. Failures are exceptions with a `code` such as ENETUNREACH. */
export interface UdpDriver {
  readonly name: string;
  /** Sends one datagram; broadcast and multicast addresses too. */
  send(bytes: Uint8Array, port: number, host: string): Promise<void>;
  /** The networks this machine is on now. */
  localNetworks(): readonly LocalNetwork[];
  stop(): Promise<void>;
}
