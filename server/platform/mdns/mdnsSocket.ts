import { createSocket, type Socket } from 'node:dgram';
import type { RateLimit } from '../limits.ts';

/** The largest packet of mDNS (RFC 6762 section 17), in bytes. */
const MAX_BYTES = 9_000;
/**
 * Questions and records that one packet may announce. A panel has a few, and one for each of its addresses. The decoder
 * makes room for all that the head promises, and follows the pointers of each name anew.
 */
const MAX_ENTRIES = 64;
/** Where the four counts of a head stand (RFC 1035 section 4.1.1). */
const COUNTS_AT = [4, 6, 8, 10] as const;
const HEAD_BYTES = 12;

/** Whether decoding a datagram costs no more than that of a packet of a panel, by its length and by what its head says. */
export function mayDecode(datagram: Buffer): boolean {
  if (datagram.length > MAX_BYTES) return false;
  if (datagram.length < HEAD_BYTES) return true;
  return COUNTS_AT.reduce((sum, at) => sum + datagram.readUInt16BE(at), 0) <= MAX_ENTRIES;
}

/** A socket for mDNS that drops datagrams before they are decoded: those over the limit, and those too large. */
export function mdnsSocket(datagrams: RateLimit): Socket {
  const socket = createSocket({ type: 'udp4', reuseAddr: true });
  const emit = socket.emit.bind(socket) as (event: string | symbol, ...args: unknown[]) => boolean;
  const bounded = (event: string | symbol, ...args: unknown[]): boolean => {
    if (event === 'message' && (!mayDecode(args[0] as Buffer) || !datagrams.take())) return false;
    return emit(event, ...args);
  };
  socket.emit = bounded as Socket['emit'];
  return socket;
}
