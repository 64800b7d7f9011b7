import type { BurstSocket, UdpAddress } from '../../webrtc/driver.ts';
import { errnoError } from '../errno.ts';
import { loadProgram, type Program } from './program.ts';

/** Of Linux on x64 and arm64 (bits/socket.h, bits/socket_type.h, linux/udp.h); node names none of them. */
const AF_INET = 2;
const SOCK_DGRAM = 2;
const SOCK_NONBLOCK = 0o4000;
const SOCK_CLOEXEC = 0o2000000;
const MSG_DONTWAIT = 0x40;
const MSG_NOSIGNAL = 0x4000;
const IPPROTO_IP = 0;
const IP_PKTINFO = 8;
const SOL_UDP = 17;
const UDP_SEGMENT = 103;

/** Code of the digit 0. */
const ZERO = 48;
/** UDP_MAX_SEGMENTS of kernels before 6.1, and the largest payload of one UDP packet over IPv4. */
const MAX_SEGMENTS = 64;
const MAX_BYTES = 65_507;

/**
 * The layout of a message in one block of memory, whose address never changes: `struct msghdr` (sendmsg(2)), the
 * `iovec`, the address, the control message with the segment size (udp(7)), and the datagrams one after another. Sizes
 * are those of 64-bit systems with the low byte first.
 */
const HEADER = 0;
const VECTOR = 64;
const ADDRESS = 80;
const CONTROL = 96;
const DATA = 128;
const ADDRESS_BYTES = 16;
const CONTROL_BYTES = 24;
const CONTROL_LENGTH = 18;

interface Libc {
  readonly program: Program;
  readonly socket: (domain: number, type: number, protocol: number) => number;
  readonly bind: (fd: number, address: Buffer, length: number) => number;
  readonly getsockopt: (fd: number, level: number, name: number, value: Buffer, length: Buffer) => number;
  /** By address: to find out where a buffer is costs more than the call. */
  readonly sendmsg: (fd: number, message: number, flags: number) => number | bigint;
  readonly close: (fd: number) => number;
}

/**
 * Opens a UDP socket on a free port of 127.0.0.1 whose datagrams of equal length travel through the kernel as one packet
 * (generic segmentation offload, udp(7) UDP_SEGMENT, Linux 4.18): sixteen cost hardly more than one.
 * @throws an errno exception, ENOSYS or ENOPROTOOPT when this machine cannot.
 */
export function openBurstSocket(): BurstSocket {
  if (process.platform !== 'linux' || !['x64', 'arm64'].includes(process.arch)) {
    throw errnoError('ENOSYS', `segmentation is not known on ${process.platform} ${process.arch}`);
  }
  const libc = load();
  const { checked } = libc.program;
  const fd = checked(libc.socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), 'socket');
  try {
    const loopback = Buffer.alloc(ADDRESS_BYTES);
    writeAddress(loopback, 0, { address: '127.0.0.1', port: 0 });
    checked(libc.bind(fd, loopback, ADDRESS_BYTES), 'bind');
    const length = Buffer.from(new Uint32Array([4]).buffer);
    checked(libc.getsockopt(fd, SOL_UDP, UDP_SEGMENT, Buffer.alloc(4), length), 'getsockopt UDP_SEGMENT');
  } catch (error) {
    libc.close(fd);
    throw error;
  }
  return new SegmentingSocket(libc, fd);
}

class SegmentingSocket implements BurstSocket {
  readonly fd: number;
  readonly #libc: Libc;
  /** Too large for V8's own heap, where objects move. */
  readonly #block = Buffer.allocUnsafeSlow(DATA + MAX_BYTES).fill(0, 0, DATA);
  readonly #at: number;
  #to: UdpAddress | undefined;

  constructor(libc: Libc, fd: number) {
    this.fd = fd;
    this.#libc = libc;
    const block = this.#block;
    const base = libc.program.address(block);
    // No address of a program has more than 52 bits.
    this.#at = Number(base);
    block.writeBigUInt64LE(base + BigInt(ADDRESS), HEADER);
    block.writeUInt32LE(ADDRESS_BYTES, HEADER + 8);
    block.writeBigUInt64LE(base + BigInt(VECTOR), HEADER + 16);
    block.writeUInt32LE(1, HEADER + 24);
    block.writeBigUInt64LE(base + BigInt(CONTROL), HEADER + 32);
    block.writeBigUInt64LE(base + BigInt(DATA), VECTOR);
    block.writeUInt32LE(CONTROL_LENGTH, CONTROL);
    block.writeInt32LE(SOL_UDP, CONTROL + 8);
    block.writeInt32LE(UDP_SEGMENT, CONTROL + 12);
  }

  send(datagrams: readonly Buffer[], to: UdpAddress): number {
    // The address of a viewer is the same object each time.
    if (to !== this.#to) writeAddress(this.#block, ADDRESS, to);
    this.#to = to;
    let sent = 0;
    while (sent < datagrams.length) {
      const count = this.#gather(datagrams, sent);
      if (!this.#flush()) return sent;
      sent += count;
    }
    return sent;
  }

  /** Joins the next datagrams of equal length; a shorter one may come last. @returns how many. */
  #gather(datagrams: readonly Buffer[], first: number): number {
    const block = this.#block;
    const size = datagrams[first]!.length;
    if (size > MAX_BYTES) throw errnoError('EMSGSIZE', 'the datagram is too long');
    let bytes = 0;
    let next = first;
    while (next < datagrams.length && next - first < MAX_SEGMENTS) {
      const datagram = datagrams[next]!;
      // An empty one cannot come last: the kernel would not see it.
      const isOdd = datagram.length > size || (datagram.length === 0 && next > first);
      if (isOdd || bytes + datagram.length > MAX_BYTES) break;
      block.set(datagram, DATA + bytes);
      bytes += datagram.length;
      next++;
      if (datagram.length < size) break;
    }
    block.writeUInt32LE(bytes, VECTOR + 8);
    block.writeUInt32LE(next - first > 1 ? CONTROL_BYTES : 0, HEADER + 40);
    block.writeUInt16LE(size, CONTROL + 16);
    return next - first;
  }

  /** @returns false when the system accepts no more at the moment. */
  #flush(): boolean {
    if (Number(this.#libc.sendmsg(this.fd, this.#at, MSG_DONTWAIT | MSG_NOSIGNAL)) >= 0) return true;
    const name = this.#libc.program.errno();
    if (name === 'EAGAIN' || name === 'ENOBUFS') return false;
    throw errnoError(name, 'sendmsg failed');
  }
}

/** Control message: its header, `struct in_pktinfo` (ip(7)), and their space. */
const PKTINFO_LENGTH = 28;
const PKTINFO_BYTES = 32;
/** A shorter block could lie in V8's own heap, where objects move. */
const SMALLEST_BLOCK = 1_024;

/**
 * Opens a UDP socket on a port of every network, for Node to take over by its descriptor. `sendFrom` sends one datagram from
 * an address of this machine and out of its interface, which Node cannot: also 255.255.255.255, and without a route.
 * @throws an errno exception such as EADDRINUSE; ENOSYS when this machine cannot
 */
export function openPortSocket(port: number) {
  if (process.platform !== 'linux' || !['x64', 'arm64'].includes(process.arch))
    throw errnoError('ENOSYS', `sending out of one interface is not known on ${process.platform}`);
  const libc = load();
  const { checked, address } = libc.program;
  const fd = checked(libc.socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), 'socket');
  try {
    const everywhere = Buffer.alloc(ADDRESS_BYTES);
    writeAddress(everywhere, 0, { address: '0.0.0.0', port });
    checked(libc.bind(fd, everywhere, ADDRESS_BYTES), 'bind');
  } catch (error) {
    libc.close(fd);
    throw error;
  }
  const sendFrom = (own: string, bytes: Uint8Array, to: UdpAddress) => {
    const block = Buffer.allocUnsafeSlow(Math.max(SMALLEST_BLOCK, DATA + bytes.length)).fill(0, 0, DATA);
    const base = address(block);
    const at = (offset: number) => base + BigInt(offset);
    block.writeBigUInt64LE(at(ADDRESS), HEADER);
    block.writeUInt32LE(ADDRESS_BYTES, HEADER + 8);
    block.writeBigUInt64LE(at(VECTOR), HEADER + 16);
    block.writeUInt32LE(1, HEADER + 24);
    block.writeBigUInt64LE(at(CONTROL), HEADER + 32);
    block.writeUInt32LE(PKTINFO_BYTES, HEADER + 40);
    block.writeBigUInt64LE(at(DATA), VECTOR);
    block.writeUInt32LE(bytes.length, VECTOR + 8);
    writeAddress(block, ADDRESS, to);
    block.writeUInt32LE(PKTINFO_LENGTH, CONTROL);
    block.writeInt32LE(IPPROTO_IP, CONTROL + 8);
    block.writeInt32LE(IP_PKTINFO, CONTROL + 12);
    // After the number of the interface, which the kernel finds by the address of ours.
    block.set(own.split('.').map(Number), CONTROL + 20);
    block.set(bytes, DATA);
    checked(Number(libc.sendmsg(fd, Number(base), MSG_DONTWAIT | MSG_NOSIGNAL)), 'sendmsg');
  };
  return { fd, sendFrom, close: () => void libc.close(fd) };
}

/** `struct sockaddr_in` (ip(7)). */
function writeAddress(block: Buffer, at: number, { address, port }: UdpAddress): void {
  block.writeUInt16LE(AF_INET, at);
  block.writeUInt16BE(port, at + 2);
  let next = at + 4;
  let part = 0;
  // Not split into strings: it is called for each burst.
  for (let i = 0; i < address.length; i++) {
    const digit = address.charCodeAt(i) - ZERO;
    if (digit >= 0) part = 10 * part + digit;
    else {
      block[next++] = part;
      part = 0;
    }
  }
  block[next] = part;
}

function load(): Libc {
  const program = loadProgram();
  return {
    program,
    socket: program.bind('int socket(int domain, int type, int protocol)'),
    bind: program.bind('int bind(int fd, const void *address, uint32_t length)'),
    getsockopt: program.bind('int getsockopt(int fd, int level, int name, void *value, void *length)'),
    sendmsg: program.bind('long sendmsg(int fd, uintptr_t message, int flags)'),
    close: program.bind('int close(int fd)'),
  };
}
