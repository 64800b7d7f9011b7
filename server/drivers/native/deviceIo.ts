/**
 * The four system calls a device driver needs. Failures are exceptions whose `code` is the errno name (ENOENT).
 * Calls are synchronous: one takes less than a microsecond where the kernel driver does not sleep.
 */
export interface DeviceIo {
  /** open(2) with O_CLOEXEC added. @returns the file descriptor */
  open(path: string, flags: number): number;
  close(fd: number): void;
  /** ioctl(2) whose argument is the address of `argument`, which the kernel may change. @returns its result, never negative */
  ioctlPointer(fd: number, request: number, argument: Buffer): number;
  /** ioctl(2) whose argument is a plain number. @returns its result, never negative */
  ioctlValue(fd: number, request: number, value: number): number;
}
