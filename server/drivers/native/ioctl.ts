import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { errnoError } from '../../observe/errno.ts';
import type { DeviceIo } from './deviceIo.ts';

/** O_CLOEXEC of Linux (asm-generic/fcntl.h; node does not name it): commands of the terminal must not inherit a device. */
const O_CLOEXEC = 0o2000000;

/** Kernel-internal numbers that vendor drivers let slip through to user space, and what the kernel means by them. */
const LEAKED_ERRNOS: Readonly<Record<number, string>> = { 515: 'ENOTTY', 524: 'ENOTSUP' };

interface Libc {
  readonly open: (path: string, flags: number) => number;
  readonly close: (fd: number) => number;
  readonly ioctlPointer: (fd: number, request: number, argument: Buffer) => number;
  readonly ioctlValue: (fd: number, request: number, value: number) => number;
  readonly errno: () => number;
}

let libc: Libc | undefined;

/** The system calls of this machine by koffi, which is loaded on the first call: a desk without hardware never loads it. */
export const systemDeviceIo: DeviceIo = {
  open: (path, flags) => checked(load().open(path, flags | O_CLOEXEC), `open ${path}`),
  close: (fd) => {
    checked(load().close(fd), 'close');
  },
  ioctlPointer: (fd, request, argument) =>
    checked(load().ioctlPointer(fd, request, argument), title(request)),
  ioctlValue: (fd, request, value) => checked(load().ioctlValue(fd, request, value), title(request)),
};

/** Name of a system error by its number, as the exceptions of this layer carry it; unknown numbers are EIO. */
export function errnoName(number: number): string {
  const known = Object.entries(constants.errno).find(([, value]) => value === number);
  return known?.[0] ?? LEAKED_ERRNOS[number] ?? 'EIO';
}

function title(request: number): string {
  return `ioctl 0x${request.toString(16)}`;
}

function checked(result: number, call: string): number {
  if (result >= 0) return result;
  const number = load().errno();
  throw errnoError(errnoName(number), `${call} failed with errno ${number}`);
}

/** @throws an ENOSYS exception where koffi has no build for this machine: the part is then absent, the service runs. */
function load(): Libc {
  libc ??= bind();
  return libc;
}

function bind(): Libc {
  let koffi: typeof import('koffi');
  try {
    koffi = createRequire(import.meta.url)('koffi');
  } catch (error) {
    throw errnoError('ENOSYS', 'koffi cannot be loaded on this machine', error);
  }
  // The process itself instead of libc.so.6: the latter's name differs on musl, and a preloaded device double that
  // wraps these calls would be passed by.
  const library = koffi.load(null);
  return {
    open: library.func('int open(const char *path, int flags)') as Libc['open'],
    close: library.func('int close(int fd)') as Libc['close'],
    // Two fixed prototypes of one variadic function: on Linux for x64 and arm64 the third argument is passed alike.
    ioctlPointer: library.func('ioctl', 'int', ['int', 'unsigned long', 'void *']) as Libc['ioctlPointer'],
    ioctlValue: library.func('ioctl', 'int', ['int', 'unsigned long', 'long']) as Libc['ioctlValue'],
    errno: () => koffi.errno(),
  };
}
