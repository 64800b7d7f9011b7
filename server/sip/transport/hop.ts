import type { Via } from '../message/fields.ts';
import type { StreamConnection } from './streamConnection.ts';

export type Protocol = 'udp' | 'tcp' | 'tls';

/** Where a message goes: an IP address, never a name. */
export interface Hop {
  readonly protocol: Protocol;
  readonly host: string;
  readonly port: number;
  /** The name that a TLS certificate has to hold, where it differs from the address. */
  readonly serverName?: string;
  /** A connection that is taken while it is open, whatever port its far end has. */
  readonly flow?: StreamConnection | undefined;
}

/** Where a message came from. */
export interface Source {
  readonly protocol: Protocol;
  readonly host: string;
  readonly port: number;
  readonly connection: StreamConnection | undefined;
}

export const DEFAULT_PORT: Readonly<Record<Protocol, number>> = { udp: 5060, tcp: 5060, tls: 5061 };

/** An IPv4 address that came in by an IPv6 socket, as the IPv4 address that it is; others as they are. */
export function plainAddress(address: string): string {
  return /^::ffff:\d+\.\d+\.\d+\.\d+$/i.test(address) ? address.slice(7) : address.toLowerCase();
}

/** Whether two hops or sources are the same place, but for the connection. */
export function samePlace(
  a: { readonly host: string; readonly port: number },
  b: { readonly host: string; readonly port: number },
): boolean {
  return a.host === b.host && a.port === b.port;
}

/** Where the response to a request goes (RFC 3261 section 18.2.2, RFC 3581 section 4). */
export function replyHop(source: Source, via: Via): Hop {
  const { protocol, host, connection } = source;
  if (protocol !== 'udp')
    return { protocol, host, port: via.port ?? DEFAULT_PORT[protocol], flow: connection };
  return { protocol, host, port: via.params.has('rport') ? source.port : (via.port ?? DEFAULT_PORT.udp) };
}

/** The largest request that goes over UDP (RFC 3261 section 18.1.1), in bytes. */
export const MAX_UDP_REQUEST = 1_300;
