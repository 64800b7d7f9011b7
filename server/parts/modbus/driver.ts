/** A serial line that nobody else uses meanwhile. */
export interface SerialLineAlone {
  /** Resolves when the bytes have left the port. */
  write(bytes: Uint8Array): Promise<void>;
  /** @param hear told of all bytes that arrive from now on */
  onData(hear: (bytes: Uint8Array) => void): void;
  /** Aborts when the caller is gone, the line was lost or the service stops. */
  readonly signal: AbortSignal;
}

/** The serial ports of the board. */
export interface SerialPorts {
  /** @throws FaceplateError NOT_FOUND, UNSUPPORTED_HARDWARE, PORT_BUSY, HARDWARE_ERROR, and what `work` throws */
  alone<T>(
    port: string,
    settings: { readonly baudRate: number; readonly parity?: 'none' | 'even' | 'odd' | undefined },
    signal: AbortSignal,
    work: (line: SerialLineAlone) => Promise<T>,
  ): Promise<T>;
}

/** Reports of an open connection. `onClosed` comes once, and nothing after it. */
export interface ConnectionListener {
  onData(bytes: Uint8Array): void;
  /** @param error an exception with an errno where it broke */
  onClosed(error?: Error): void;
}

export interface Connection {
  write(bytes: Uint8Array): void;
  /** Reports nothing any more. */
  close(): void;
}

/** TCP connections to devices. Failures are exceptions with a `code` such as ECONNREFUSED. */
export interface ModbusNetwork {
  /** @param signal ends the attempt with its reason */
  connect(
    address: string,
    port: number,
    listener: ConnectionListener,
    signal: AbortSignal,
  ): Promise<Connection>;
}
