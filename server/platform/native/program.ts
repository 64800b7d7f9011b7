import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { errnoError } from '../errno.ts';

/** Kernel-internal numbers that vendor drivers let through to user space, and their meaning in the kernel. */
const LEAKED_ERRNOS: Readonly<Record<number, string>> = { 515: 'ENOTTY', 524: 'ENOTSUP' };

/** C functions: of the running program (libc, and the libraries that it is linked with), or of one library. */
export interface Program {
  /** A function by its C declaration. @throws Error when there is none with that name */
  bind<F>(declaration: string): F;
  /** One prototype of a variadic function. */
  bind<F>(name: string, result: string, params: readonly string[]): F;
  /** @returns the result of a system call. @throws an errno exception when it is negative, named by `call` */
  checked(result: number, call: string): number;
  /** Name of the error of the last call. */
  errno(): string;
  /** Address of a buffer; a buffer of some hundred bytes or more stays there for as long as it is referenced. */
  address(buffer: Buffer): bigint;
}

let program: Program | undefined;

/**
 * Loads koffi on the first call: a desk without hardware and video never does.
 * @throws an ENOSYS exception when koffi has no build for this machine: the part is then absent, the service runs.
 */
export function loadProgram(): Program {
  // The program itself, not libc.so.6: that name differs on musl, and a preloaded device double that
  // wraps these calls would be bypassed.
  program ??= load(null);
  return program;
}

/**
 * The functions of a shared library of the system, by its file name.
 * @throws an ENOSYS exception as `loadProgram`, or an Error when there is no such library
 */
export function loadLibrary(file: string): Program {
  return load(file);
}

/** Name of a system error by its number, as the exceptions of this layer carry it; unknown numbers are EIO. */
export function errnoName(number: number): string {
  const known = Object.entries(constants.errno).find(([, value]) => value === number);
  return known?.[0] ?? LEAKED_ERRNOS[number] ?? 'EIO';
}

/** @throws Error that names the file when it cannot be opened */
function openLibrary(koffi: typeof import('koffi'), file: string) {
  try {
    // A library keeps to its own functions where the program exports the same names, as Node does with its own OpenSSL.
    return koffi.load(file, { deep: true });
  } catch (error) {
    throw new Error(`${file} cannot be opened`, { cause: error });
  }
}

function load(file: string | null): Program {
  let koffi: typeof import('koffi');
  try {
    koffi = createRequire(import.meta.url)('koffi');
  } catch (error) {
    throw errnoError('ENOSYS', 'koffi cannot be loaded on this machine', error);
  }
  const library = file === null ? koffi.load(null) : openLibrary(koffi, file);
  /** By declaration, so that occasional callers need not keep their functions. */
  const bound = new Map<string, unknown>();
  return {
    bind: <F>(name: string, result?: string, params?: readonly string[]) => {
      const key = [name, result, ...(params ?? [])].join();
      const known =
        bound.get(key) ??
        (result === undefined ? library.func(name) : library.func(name, result, [...params!]));
      bound.set(key, known);
      return known as F;
    },
    checked: (result, call) => {
      if (result >= 0) return result;
      const number = koffi.errno();
      throw errnoError(errnoName(number), `${call} failed with errno ${number}`);
    },
    errno: () => errnoName(koffi.errno()),
    address: (buffer) => koffi.address(buffer),
  };
}

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
