import { FaceplateError } from '../../contract/errors.ts';

/** A line for exclusive use. */
export class ExclusiveLine {
  readonly #send: (bytes: Uint8Array, signal: AbortSignal) => Promise<void>;
  readonly #ended = new AbortController();
  #hear: (bytes: Uint8Array) => void = () => undefined;
  /** Aborts when the caller is gone, the line was lost or the service stops. */
  readonly signal: AbortSignal;

  constructor(caller: AbortSignal, send: (bytes: Uint8Array, signal: AbortSignal) => Promise<void>) {
    this.#send = send;
    this.signal = AbortSignal.any([caller, this.#ended.signal]);
  }

  /** Resolves when the bytes have left the port. */
  write(bytes: Uint8Array): Promise<void> {
    return this.#send(bytes, this.signal);
  }

  /** @param hear gets all bytes that arrive from now on */
  onData(hear: (bytes: Uint8Array) => void): void {
    this.#hear = hear;
  }

  /** For the owner of the port: these have arrived. */
  arrived(bytes: Uint8Array): void {
    this.#hear(bytes);
  }

  /** For the owner of the port: the line was lost. */
  lost(error: FaceplateError): void {
    this.#ended.abort(error);
  }
}

/** Who a port is open for: callers who write and read bytes, or Modbus, which must have the line alone. */
export type Use = 'bytes' | 'modbus';

/** PORT_BUSY for a port that is open for the other use. */
export function busyError(port: string, use: Use): FaceplateError {
  const sentence =
    use === 'modbus'
      ? `The serial port ${port} is in use by Modbus: close it with serial/close, or wait until it has been quiet for 5 s.`
      : `The serial port ${port} is open for bytes: close it with serial/close before Modbus uses it.`;
  return new FaceplateError('PORT_BUSY', sentence);
}

/** HARDWARE_ERROR for a port whose device is gone. @param errno of the loss */
export function lostError(port: string, errno: string): FaceplateError {
  const sentence = `The serial port ${port} is gone (${errno}, unplugged?); it is opened again when it is back.`;
  return new FaceplateError('HARDWARE_ERROR', sentence);
}
