import type { FaceplateError } from '../../contract/errors.ts';

/** A line that nobody else uses meanwhile. */
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

  /** @param hear told of all bytes that arrive from now on */
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
