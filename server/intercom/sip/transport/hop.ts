import type { Via } from '../message/fields.ts';
import { DEFAULT_PORT, type Protocol } from './protocol.ts';
import type { StreamConnection } from './streamConnection.ts';

/** The target of a message: an IP address, never a name. */
export interface Hop {
  readonly protocol: Protocol;
  readonly host: string;
  readonly port: number;
  /** The name that the TLS certificate must have, if it differs from the address. */
  readonly serverName?: string;
  /** A connection to use while it is open, whatever port its remote party has. */
  readonly flow?: StreamConnection | undefined;
}

/** Where a message came from. */
export interface Source {
  readonly protocol: Protocol;
  readonly host: string;
  readonly port: number;
  readonly connection: StreamConnection | undefined;
}

/** Whether two hops or sources have the same address, ignoring the connection. */
export function samePlace(
  a: { readonly host: string; readonly port: number },
  b: { readonly host: string; readonly port: number },
): boolean {
  return a.host === b.host && a.port === b.port;
}

/** The target of the response to a request (RFC 3261 section 18.2.2, RFC 3581 section 4). */
export function replyHop(source: Source, via: Via): Hop {
  const { protocol, host, connection } = source;
  if (protocol !== 'udp')
    return { protocol, host, port: via.port ?? DEFAULT_PORT[protocol], flow: connection };
  return { protocol, host, port: via.params.has('rport') ? source.port : (via.port ?? DEFAULT_PORT.udp) };
}

/** The largest request over UDP (RFC 3261 section 18.1.1), in bytes. */
export const MAX_UDP_REQUEST = 1_300;
