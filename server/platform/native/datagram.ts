import { errnoError } from '../errno.ts';
import { loadProgram } from './program.ts';

/** Of Linux on x64 and arm64 (bits/socket.h, bits/socket_type.h); node names none of them. */
const AF_UNIX = 1;
const SOCK_DGRAM = 2;
const SOCK_CLOEXEC = 0o2000000;
const MSG_DONTWAIT = 0x40;
const MSG_NOSIGNAL = 0x4000;
/** Bytes of `sun_path` (unix(7)). */
const PATH_BYTES = 108;

type OpenSocket = (domain: number, type: number, protocol: number) => number;
type SendTo = (
  fd: number,
  data: Buffer,
  size: number,
  flags: number,
  address: Buffer,
  length: number,
) => number | bigint;

/**
 * Sends one datagram to a Unix socket, which Node cannot: at once or not at all.
 * @param address path of the socket, or `@` and the name of an abstract one
 * @throws an errno exception
 */
export function sendDatagram(address: string, text: string): void {
  const program = loadProgram();
  const socket = program.bind<OpenSocket>('int socket(int domain, int type, int protocol)');
  const send = program.bind<SendTo>(
    'long sendto(int fd, const void *data, size_t size, int flags, const void *address, uint32_t length)',
  );
  const close = program.bind<(fd: number) => number>('int close(int fd)');
  const fd = program.checked(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0), 'socket');
  try {
    const to = socketAddress(address);
    const data = Buffer.from(text);
    const sent = send(fd, data, data.length, MSG_DONTWAIT | MSG_NOSIGNAL, to, to.length);
    program.checked(Number(sent), `sendto ${address}`);
  } finally {
    close(fd);
  }
}

/** `struct sockaddr_un`; the name of an abstract socket begins with a NUL and has no end mark. */
function socketAddress(address: string): Buffer {
  const isAbstract = address.startsWith('@');
  const name = Buffer.from(isAbstract ? `\0${address.slice(1)}` : `${address}\0`);
  if (name.length > PATH_BYTES) throw errnoError('ENAMETOOLONG', `The socket's name is too long: ${address}`);
  const family = Buffer.from(new Uint16Array([AF_UNIX]).buffer);
  return Buffer.concat([family, name]);
}
