import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import { FaceplateError } from '../../../contract/errors.ts';
import { type Route, routeTo } from '../../../platform/net/addresses.ts';

/** Port range for receiving calls: RTP has the even port, RTCP the next (RFC 3550 section 11). */
const FIRST_PORT = 16_384;
const LAST_PORT = 32_767;
/** Pairs that are tried; far fewer ports are ever in use. */
const TRIES = 50;
const BUFFER = 512 * 1024;

export interface PortPair {
  /** Even; RTCP has the next one. */
  readonly port: number;
  readonly rtp: Socket;
  readonly rtcp: Socket;
}

/**
 * Our source address for packets to a host, and the host's own address.
 * @throws FaceplateError HARDWARE_ERROR if there is no route to it.
 */
export async function mediaRouteTo(host: string): Promise<Route> {
  try {
    return await routeTo(host);
  } catch (error) {
    throw new FaceplateError('HARDWARE_ERROR', 'The network has no route to the remote party of the call.', {
      cause: error,
    });
  }
}

/**
 * Binds a random free pair, so that the ports of a call cannot be guessed.
 * @param random from 0 up to, but not including, 1
 * @throws FaceplateError HARDWARE_ERROR if no pair is free.
 */
export async function bindPortPair(address: string, random: () => number): Promise<PortPair> {
  const pairs = (LAST_PORT + 1 - FIRST_PORT) / 2;
  for (let tries = 0; tries < TRIES; tries++) {
    const port = FIRST_PORT + 2 * Math.floor(random() * pairs);
    const rtp = await bind(address, port);
    const rtcp = rtp && (await bind(address, port + 1));
    if (rtp !== undefined && rtcp !== undefined) return { port, rtp, rtcp };
    rtp?.close();
  }
  throw new FaceplateError('HARDWARE_ERROR', 'No free UDP ports were found for the call.');
}

async function bind(address: string, port: number): Promise<Socket | undefined> {
  const isV6 = isIPv6(address);
  const socket = createSocket({
    type: isV6 ? 'udp6' : 'udp4',
    // Without it every send uses the resolver, although the address is numeric.
    lookup: (hostname, _options, callback) => callback(null, hostname, isV6 ? 6 : 4),
  });
  try {
    const listening = once(socket, 'listening');
    socket.bind(port, address);
    await listening;
  } catch {
    socket.close();
    return undefined;
  }
  // A remote party with a closed port is detected by its silence.
  socket.on('error', () => {});
  socket.setRecvBufferSize(BUFFER);
  socket.setSendBufferSize(BUFFER);
  return socket;
}
