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

/** What a driver needs besides, to hear of what the kernel tells it. */
export interface EventIo extends DeviceIo {
  /** read(2) that never waits. @returns the bytes that came; 0 when nothing is there */
  readWaiting(fd: number, into: Buffer): number;
  /**
   * Calls `ready` once when one of the descriptors can be read, has failed or was closed, and after the time limit in
   * any case. All waits share one thread of Node's pool. @returns the function that ends it early
   */
  whenReadable(fds: readonly number[], limitMs: number, ready: () => void): () => void;
}
