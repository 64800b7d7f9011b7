import { errnoError } from '../../platform/errno.ts';
import type { LineSettings, SerialDriver, SerialLine, SerialListener } from './driver.ts';

/** A port in memory with a device at its other end that sends back every byte. */
export class SimulatedSerial implements SerialDriver {
  readonly name = 'simulated';
  readonly path = null;
  readonly simulated = true;
  #listener: SerialListener | undefined;

  async start(): Promise<void> {}

  async stop(): Promise<void> {}

  async open(_settings: LineSettings, listener: SerialListener): Promise<SerialLine> {
    if (this.#listener) throw errnoError('EBUSY', 'the simulated port is open');
    this.#listener = listener;
    const isOpen = () => this.#listener === listener;
    return {
      write: async (bytes) => {
        if (!isOpen()) throw errnoError('EBADF', 'the simulated port is closed');
        this.peerSends(bytes);
      },
      setBreak: async () => {
        if (!isOpen()) throw errnoError('EBADF', 'the simulated port is closed');
      },
      close: async () => {
        if (isOpen()) this.#listener = undefined;
      },
    };
  }

  peerSends(bytes: Uint8Array): void {
    const listener = this.#listener;
    const copy = bytes.slice();
    // Not before the writer has its answer, as on a real line.
    setImmediate(() => {
      if (listener && listener === this.#listener) listener.onData(copy);
    });
  }
}
