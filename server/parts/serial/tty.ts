import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import type { SerialPort } from 'serialport';
import { errnoError, errnoOf } from '../../platform/errno.ts';
import type { DeviceIo } from '../../platform/native/deviceIo.ts';
import type { LineSettings, SerialDriver, SerialLine, SerialListener } from './driver.ts';

/** Bytes requested in one read. */
const READ_SIZE = 4096;
/** asm-generic/ioctls.h */
const TIOCSBRK = 0x5427;
const TIOCCBRK = 0x5428;

type Binding = Awaited<ReturnType<typeof SerialPort.binding.open>>;

/** A Linux tty, locked with flock(2), so that a second program that checks the lock cannot interfere. */
export class Tty implements SerialDriver {
  readonly name = 'tty';
  readonly path: string;
  readonly simulated = false;
  readonly #opened: (fd: number) => void;
  readonly #io: Pick<DeviceIo, 'ioctlValue'> | undefined;

  /**
   * @param opened what else an open port needs, such as RS-485 switching; must not throw
   * @param io for breaks; without it the port has none
   */
  constructor(
    path: string,
    opened: (fd: number) => void = () => undefined,
    io?: Pick<DeviceIo, 'ioctlValue'>,
  ) {
    this.path = path;
    this.#opened = opened;
    this.#io = io;
  }

  async start(): Promise<void> {
    await access(this.path, constants.R_OK | constants.W_OK);
  }

  async stop(): Promise<void> {}

  async open(settings: LineSettings, listener: SerialListener): Promise<SerialLine> {
    try {
      // Not at the start: most panels open no port.
      const { SerialPort } = await import('serialport');
      const binding = await SerialPort.binding.open({
        path: this.path,
        ...bindingOptions(settings),
        lock: true,
      });
      if ('fd' in binding && typeof binding.fd === 'number') this.#opened(binding.fd);
      return new TtyLine(binding, listener, this.#io);
    } catch (error) {
      throw withErrno(error);
    }
  }
}

/** The settings in the words of serialport. */
export function bindingOptions({ baudRate, dataBits, parity, stopBits, flowControl }: LineSettings) {
  return {
    baudRate,
    dataBits: dataBits as 5 | 6 | 7 | 8,
    parity,
    stopBits: stopBits as 1 | 2,
    rtscts: flowControl === 'hardware',
    xon: flowControl === 'software',
    xoff: flowControl === 'software',
    // Else each close lowers DTR, and a device that resets by it begins anew whenever a call sets the line in another way.
    hupcl: false,
  };
}

/**
 * An open tty. It works on the binding below serialport's stream: there a read of a tty that was hung up while no
 * poll was pending returns 0 for ever, and the loss is never reported. The `disconnect` poll sees every hang-up.
 */
class TtyLine implements SerialLine {
  readonly #binding: Binding;
  readonly #listener: SerialListener;
  readonly #io: Pick<DeviceIo, 'ioctlValue'> | undefined;
  readonly #receiving: Promise<void>;
  #sending: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | undefined;

  constructor(binding: Binding, listener: SerialListener, io: Pick<DeviceIo, 'ioctlValue'> | undefined) {
    this.#binding = binding;
    this.#io = io;
    this.#listener = listener;
    if ('poller' in binding) {
      pollForAll(binding.poller);
      binding.poller.once('disconnect', (error: Error | null) => this.#lose(error ?? new Error('hung up')));
    }
    this.#receiving = this.#receive();
  }

  async write(bytes: Uint8Array): Promise<void> {
    try {
      this.#sending = this.#binding.write(Buffer.from(bytes));
      await this.#sending;
      await this.#binding.drain();
    } catch (error) {
      this.#lose(error);
      throw withErrno(error);
    }
  }

  async setBreak(on: boolean): Promise<void> {
    const fd = 'fd' in this.#binding ? this.#binding.fd : null;
    if (this.#closing || typeof fd !== 'number') throw errnoError('EBADF', 'the port is closed');
    if (this.#io === undefined) throw errnoError('EOPNOTSUPP', 'no way to send a break');
    this.#io.ioctlValue(fd, on ? TIOCSBRK : TIOCCBRK, 0);
  }

  close(): Promise<void> {
    this.#closing ??= this.#release();
    return this.#closing;
  }

  async #receive(): Promise<void> {
    const buffer = Buffer.alloc(READ_SIZE);
    try {
      while (!this.#closing) {
        const { bytesRead } = await this.#binding.read(buffer, 0, buffer.length);
        if (!this.#closing) this.#listener.onData(Uint8Array.from(buffer.subarray(0, bytesRead)));
      }
    } catch (error) {
      this.#lose(error);
    }
  }

  #lose(error: unknown): void {
    if (this.#closing) return;
    void this.close().then(() => this.#listener.onLost(withErrno(error)));
  }

  async #release(): Promise<void> {
    // Without the flush, close(2) waits up to 30 s for bytes that a stuck line does not accept.
    await this.#binding.flush().catch(() => undefined);
    await this.#settle();
    await this.#binding.close().catch(() => undefined);
  }

  /**
   * Ends the read and the write in flight before the descriptor is closed: they run in other threads, and would hit
   * whatever file gets the number next. A binding without a descriptor ends them at their next step.
   */
  async #settle(): Promise<void> {
    const binding = this.#binding;
    if (!('poller' in binding)) return;
    const { fd } = binding;
    binding.fd = null;
    binding.poller.stop();
    await Promise.allSettled([this.#receiving, this.#sending]);
    binding.fd = fd;
  }
}

/** The flags of serialport's poller, which are those of libuv (uv_poll_event). */
const POLLED = [
  ['readable', 1],
  ['writable', 2],
  ['disconnect', 4],
] as const;

/**
 * Makes each poll wait for all that has a listener. serialport's poller waits for the last event asked for alone: a
 * write that waited for room stood still once the read beside it had asked for more, until the device sent again.
 */
function pollForAll(poller: Extract<Binding, { poller: unknown }>['poller']): void {
  const poll = poller.poll.bind(poller);
  poller.poll = (asked = 0) => {
    let events = asked;
    for (const [event, flag] of POLLED) if (poller.listenerCount(event) > 0) events |= flag;
    poll(events);
  };
}

/** serialport reports system errors as text of strerror(3); these parts of it identify the error. */
const TEXTS: readonly (readonly [string, string])[] = [
  ['No such file or directory', 'ENOENT'],
  ['No such device or address', 'ENXIO'],
  ['No such device', 'ENODEV'],
  ['Permission denied', 'EACCES'],
  ['Cannot lock port', 'EBUSY'],
  ['Device or resource busy', 'EBUSY'],
  ['Inappropriate ioctl', 'ENOTTY'],
  ['Invalid argument', 'EINVAL'],
];

/** The same error with its errno; a hang-up, which has none, is EIO as read(2) would say. */
function withErrno(error: unknown): Error {
  if (error instanceof Error && errnoOf(error) !== undefined) return error;
  const text = error instanceof Error ? error.message : String(error);
  const errno = TEXTS.find(([part]) => text.includes(part))?.[1] ?? 'EIO';
  return errnoError(errno, text, error);
}

/** asm-generic/ioctls.h */
const TIOCGRS485 = 0x542e;
const TIOCSRS485 = 0x542f;

/** struct serial_rs485 (linux/serial.h): flags, two delays in milliseconds, the rest zero. */
const RS485_SIZE = 32;
const RS485_ENABLED = 0x1;
const RTS_ON_SEND = 0x2;
const RTS_AFTER_SEND = 0x4;

/**
 * Lets the uart switch the direction of a half-duplex line by its RTS. What the board's device tree has set (polarity,
 * delays) stays, and a line that is already switched is left alone.
 * @param fd an open tty
 * @returns null, or the errno name of a driver that cannot do it: such a line must switch on its own
 */
export function enableRs485(io: DeviceIo, fd: number): string | null {
  const settings = Buffer.alloc(RS485_SIZE);
  if (refusal(() => io.ioctlPointer(fd, TIOCGRS485, settings)) !== null) settings.fill(0);
  let flags = settings.readUInt32LE(0);
  if (flags & RS485_ENABLED) return null;
  flags |= RS485_ENABLED;
  if (!(flags & (RTS_ON_SEND | RTS_AFTER_SEND))) flags |= RTS_ON_SEND;
  settings.writeUInt32LE(flags, 0);
  return refusal(() => io.ioctlPointer(fd, TIOCSRS485, settings));
}

/** asm-generic/ioctls.h, asm-generic/termios.h */
const TIOCMBIC = 0x5417;
const TIOCM_DTR = 0x002;
const TIOCM_RTS = 0x004;

/** Lowers DTR, RTS or both. @param fd an open tty @returns null, or the errno name of a port that cannot do it */
export function clearModemLines(
  io: Pick<DeviceIo, 'ioctlPointer'>,
  fd: number,
  { dtr, rts }: { readonly dtr: boolean; readonly rts: boolean },
): string | null {
  const bits = Buffer.alloc(4);
  bits.writeInt32LE((dtr ? TIOCM_DTR : 0) | (rts ? TIOCM_RTS : 0));
  return refusal(() => io.ioctlPointer(fd, TIOCMBIC, bits));
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
