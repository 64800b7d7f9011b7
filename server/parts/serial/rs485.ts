import { errnoOf } from '../../platform/errno.ts';
import type { DeviceIo } from '../../platform/native/deviceIo.ts';

/** asm-generic/ioctls.h */
const TIOCGRS485 = 0x542e;
const TIOCSRS485 = 0x542f;

/** struct serial_rs485 (linux/serial.h): flags, two delays in milliseconds, the rest zero. */
const SIZE = 32;
const ENABLED = 0x1;
const RTS_ON_SEND = 0x2;
const RTS_AFTER_SEND = 0x4;

/**
 * Lets the uart switch the direction of a half-duplex line by its RTS. What the board's device tree has set (polarity,
 * delays) is kept, and a line that is already switched is left alone.
 * @param fd an open tty
 * @returns null, or the errno name of a driver that cannot do it: such a line must switch on its own
 */
export function enableRs485(io: DeviceIo, fd: number): string | null {
  const settings = Buffer.alloc(SIZE);
  if (refusal(() => io.ioctlPointer(fd, TIOCGRS485, settings)) !== null) settings.fill(0);
  let flags = settings.readUInt32LE(0);
  if (flags & ENABLED) return null;
  flags |= ENABLED;
  if (!(flags & (RTS_ON_SEND | RTS_AFTER_SEND))) flags |= RTS_ON_SEND;
  settings.writeUInt32LE(flags, 0);
  return refusal(() => io.ioctlPointer(fd, TIOCSRS485, settings));
}

function refusal(call: () => void): string | null {
  try {
    call();
    return null;
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    return errno;
  }
}
