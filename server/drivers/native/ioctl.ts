import type { DeviceIo } from './deviceIo.ts';
import { loadProgram } from './program.ts';

/** O_CLOEXEC of Linux (asm-generic/fcntl.h; node does not name it): commands of the terminal must not inherit a device. */
const O_CLOEXEC = 0o2000000;

interface Calls {
  readonly open: (path: string, flags: number) => number;
  readonly close: (fd: number) => number;
  readonly ioctlPointer: (fd: number, request: number, argument: Buffer) => number;
  readonly ioctlValue: (fd: number, request: number, value: number) => number;
  readonly checked: (result: number, call: string) => number;
}

let calls: Calls | undefined;

/** The system calls of this machine through koffi, loaded on the first call: a desk without hardware never loads it. */
export const systemDeviceIo: DeviceIo = {
  open: (path, flags) => {
    const { open, checked } = load();
    return checked(open(path, flags | O_CLOEXEC), `open ${path}`);
  },
  close: (fd) => {
    const { close, checked } = load();
    checked(close(fd), 'close');
  },
  ioctlPointer: (fd, request, argument) => {
    const { ioctlPointer, checked } = load();
    return checked(ioctlPointer(fd, request, argument), title(request));
  },
  ioctlValue: (fd, request, value) => {
    const { ioctlValue, checked } = load();
    return checked(ioctlValue(fd, request, value), title(request));
  },
};

function title(request: number): string {
  return `ioctl 0x${request.toString(16)}`;
}

function load(): Calls {
  calls ??= bind();
  return calls;
}

function bind(): Calls {
  const program = loadProgram();
  return {
    open: program.bind('int open(const char *path, int flags)'),
    close: program.bind('int close(int fd)'),
    // Two fixed prototypes of one variadic function: on Linux for x64 and arm64 the third argument is passed alike.
    ioctlPointer: program.bind('ioctl', 'int', ['int', 'unsigned long', 'void *']),
    ioctlValue: program.bind('ioctl', 'int', ['int', 'unsigned long', 'long']),
    checked: program.checked,
  };
}
