import type { LocalNetwork } from '../../platform/localTargets.ts';

/** A port that is heard. */
export interface UdpPort {
  /** Joins a multicast group on every network that takes it. Failures are exceptions with a `code` such as ENODEV. */
  join(group: string): void;
  /** Resolves once the port is free again. */
  close(): Promise<void>;
}

/** Sends datagrams from one socket and hears others. Failures are exceptions with a `code` such as ENETUNREACH. */
export interface UdpDriver {
  readonly name: string;
  /** Sends one datagram; broadcast and multicast addresses too. */
  send(bytes: Uint8Array, port: number, host: string): Promise<void>;
  /** Opens a port for this alone, on every network; EADDRINUSE when another program or part has it. */
  listen(port: number, onDatagram: (bytes: Uint8Array, host: string) => void): Promise<UdpPort>;
  /** The networks this machine is on now. */
  localNetworks(): readonly LocalNetwork[];
  stop(): Promise<void>;
}
