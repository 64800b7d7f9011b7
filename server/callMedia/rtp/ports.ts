import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import { FaceplateError } from '../../contract/errors.ts';

/** Where calls receive: RTP has the even port, RTCP the next (RFC 3550 section 11). */
const FIRST_PORT = 16_384;
const LAST_PORT = 32_767;
/** Pairs that are tried; far fewer ports than these are ever taken. */
const TRIES = 50;
const BUFFER = 512 * 1024;

export interface PortPair {
  /** Even; RTCP has the next one. */
  readonly port: number;
  readonly rtp: Socket;
  readonly rtcp: Socket;
}

/** The way of packets to a host: both ends as IP addresses. */
export interface Way {
  readonly local: string;
  readonly remote: string;
}

/**
 * The address of this panel that packets to a host leave from, and the host's own.
 * @throws FaceplateError HARDWARE_ERROR where there is no way to it.
 */
export async function wayTo(host: string): Promise<Way> {
  const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4');
  try {
    // Sends nothing: the kernel only chooses the way.
    const connected = once(socket, 'connect');
    socket.connect(9, host);
    await connected;
    return { local: socket.address().address, remote: socket.remoteAddress().address };
  } catch (error) {
    throw new FaceplateError('HARDWARE_ERROR', 'The network has no way to the far end of the call.', {
      cause: error,
    });
  } finally {
    socket.close();
  }
}

/**
 * Binds a free pair at random, so that nobody can know where a call will receive.
 * @param random from 0 up to, but not including, 1
 * @throws FaceplateError HARDWARE_ERROR where no pair is free.
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
    // Without it every send goes through the resolver, although the address is a number.
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
  // A far end whose port is closed is seen by its silence.
  socket.on('error', () => {});
  socket.setRecvBufferSize(BUFFER);
  socket.setSendBufferSize(BUFFER);
  return socket;
}
