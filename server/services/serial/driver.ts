import type { DeviceDriver } from '../device.ts';

/** Reports of an open line. Neither is called after `close`, nor `onData` after `onLost`. */
export interface SerialListener {
  onData(bytes: Uint8Array): void;
  /** The device is gone (unplugged, or a failing line); the driver has closed it. */
  onLost(error: Error): void;
}

/** An open port, locked for this program. */
export interface SerialLine {
  /** Resolves when the bytes have left the port. `close` ends a write in flight: it rejects. */
  write(bytes: Uint8Array): Promise<void>;
  /** Drops what was not sent yet. Never fails; safe to call twice, and after the line was lost. */
  close(): Promise<void>;
}

/** One serial port: 8 data bits, no parity, 1 stop bit, no flow control. */
export interface SerialDriver extends DeviceDriver {
  /** @throws an exception with code EBUSY when another program holds the port */
  open(baudRate: number, listener: SerialListener): Promise<SerialLine>;
  /**
   * Simulated ports only: the device at the other end sends. As on a wire, the bytes are lost while the port is closed.
   */
  peerSends?(bytes: Uint8Array): void;
}
