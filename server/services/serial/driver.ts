import type { PartDriver } from '../part.ts';

/** What happens on an open line. Neither is called after `close` was, nor `onData` after `onLost`. */
export interface SerialListener {
  onData(bytes: Uint8Array): void;
  /** The device is gone (unplugged, or a failing line); the driver has let go of it. */
  onLost(error: Error): void;
}

/** An open port, held by this program alone. */
export interface SerialLine {
  /** Resolves when the bytes have left the port. `close` ends a write under way: it rejects. */
  write(bytes: Uint8Array): Promise<void>;
  /** Drops what was not sent yet. Never fails; safe to call twice, and after the line was lost. */
  close(): Promise<void>;
}

/** One serial port: 8 data bits, no parity, 1 stop bit, no flow control. */
export interface SerialDriver extends PartDriver {
  /** @throws an exception with code EBUSY where another program holds the port */
  open(baudRate: number, listener: SerialListener): Promise<SerialLine>;
  /** Simulated ports only: the device at the other end sends. Lost, as on a wire, while the port is closed. */
  peerSends?(bytes: Uint8Array): void;
}
