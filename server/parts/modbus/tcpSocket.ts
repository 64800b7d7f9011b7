import { connect, type Socket } from 'node:net';

/** Reports of an open connection. `onClosed` comes once, and nothing after it. */
interface ConnectionListener {
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

/** TCP connections of Node. */
export class TcpSockets implements ModbusNetwork {
  connect(
    address: string,
    port: number,
    listener: ConnectionListener,
    signal: AbortSignal,
  ): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect({ host: address, port, noDelay: true });
      const giveUp = () => {
        socket.destroy();
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', giveUp, { once: true });
      socket.once('error', reject);
      socket.once('connect', () => {
        signal.removeEventListener('abort', giveUp);
        socket.off('error', reject);
        resolve(listen(socket, listener));
      });
      if (signal.aborted) giveUp();
    });
  }
}

function listen(socket: Socket, listener: ConnectionListener): Connection {
  let isOver = false;
  let failure: Error | undefined;
  const over = () => {
    if (isOver) return;
    isOver = true;
    listener.onClosed(failure);
  };
  socket.on('data', (bytes) => {
    if (!isOver) listener.onData(bytes);
  });
  socket.on('error', (error) => {
    failure = error;
  });
  // A device that sends nothing more is of no use.
  socket.on('end', over);
  socket.on('close', over);
  return {
    write: (bytes) => void socket.write(bytes),
    close: () => {
      isOver = true;
      socket.destroy();
    },
  };
}
