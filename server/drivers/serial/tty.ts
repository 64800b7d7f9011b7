import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { SerialPort } from 'serialport';
import { errnoError, errnoOf } from '../../platform/errno.ts';
import type { SerialDriver, SerialLine, SerialListener } from '../../services/serial/driver.ts';

/** Bytes requested in one read. */
const READ_SIZE = 4096;

type Binding = Awaited<ReturnType<typeof SerialPort.binding.open>>;

/** A Linux tty, locked with flock(2), so that a second program that checks the lock cannot interfere. */
export class Tty implements SerialDriver {
  readonly name = 'tty';
  readonly path: string;
  readonly simulated = false;
  readonly #opened: (fd: number) => void;

  /** @param opened what else an open port needs, such as RS-485 switching; must not throw */
  constructor(path: string, opened: (fd: number) => void = () => undefined) {
    this.path = path;
    this.#opened = opened;
  }

  async start(): Promise<void> {
    await access(this.path, constants.R_OK | constants.W_OK);
  }

  async stop(): Promise<void> {}

  async open(baudRate: number, listener: SerialListener): Promise<SerialLine> {
    try {
      const binding = await SerialPort.binding.open({
        path: this.path,
        baudRate,
        dataBits: 8,
        parity: 'none',
        stopBits: 1,
        lock: true,
      });
      if ('fd' in binding && typeof binding.fd === 'number') this.#opened(binding.fd);
      return new TtyLine(binding, listener);
    } catch (error) {
      throw withErrno(error);
    }
  }
}

/**
 * An open tty. It works on the binding below serialport's stream: there a read of a tty that was hung up while no
 * poll was pending returns 0 for ever, and the loss is never reported. The `disconnect` poll sees every hang-up.
 */
class TtyLine implements SerialLine {
  readonly #binding: Binding;
  readonly #listener: SerialListener;
  readonly #receiving: Promise<void>;
  #sending: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | undefined;

  constructor(binding: Binding, listener: SerialListener) {
    this.#binding = binding;
    this.#listener = listener;
    if ('poller' in binding) {
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
