import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import type { Logger } from '../../platform/log.ts';
import { ownAddresses } from '../../platform/networks.ts';
import type { LocalNetwork, UdpDriver } from '../../services/udp/driver.ts';

/** One IPv4 socket on a port the system chose, kept from call to call and opened again after a failure. */
export class DatagramSocket implements UdpDriver {
  readonly name = 'dgram';
  readonly #log: Logger;
  readonly #create: () => Socket;
  #socket: Promise<Socket> | undefined;

  constructor(log: Logger, create = () => createSocket('udp4')) {
    this.#log = log;
    this.#create = create;
  }

  async send(bytes: Uint8Array, port: number, host: string): Promise<void> {
    this.#socket ??= this.#open();
    const socket = await this.#socket;
    await new Promise<void>((resolve, reject) => {
      socket.send(bytes, port, host, (error) => (error ? reject(error) : resolve()));
    });
  }

  localNetworks(): readonly LocalNetwork[] {
    return ownAddresses().filter(({ family }) => family === 'IPv4');
  }

  async stop(): Promise<void> {
    const socket = await this.#socket?.catch(() => undefined);
    this.#socket = undefined;
    if (socket) await new Promise<void>((resolve) => socket.close(resolve));
  }

  async #open(): Promise<Socket> {
    const socket = this.#create();
    try {
      socket.bind(0);
      await once(socket, 'listening');
    } catch (error) {
      this.#socket = undefined;
      socket.close();
      throw error;
    }
    socket.setBroadcast(true);
    socket.on('error', (error) => {
      this.#log.warn({ err: error }, 'UDP socket failed; the next call opens another');
      this.#socket = undefined;
      socket.close();
    });
    return socket;
  }
}
