import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { errnoError, errnoOf } from '../../platform/errno.ts';
import type { Logger } from '../../platform/log.ts';
import { ownAddresses } from '../../platform/net/addresses.ts';
import type { LocalNetwork } from '../../platform/net/localTargets.ts';
import type { UdpDriver, UdpPort } from './listeners.ts';

/**
 * One IPv4 socket on a port the system chose, kept from call to call and opened again after a failure; and one for each
 * port that is heard.
 */
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

  async listen(port: number, onDatagram: (bytes: Uint8Array, host: string) => void): Promise<UdpPort> {
    const socket = createSocket('udp4');
    const close = () => new Promise<void>((resolve) => socket.close(() => resolve()));
    try {
      socket.bind(port);
      await once(socket, 'listening');
    } catch (error) {
      await close();
      throw error;
    }
    socket.on('error', (error) => this.#log.warn({ err: error, port }, 'udp: a listening socket failed'));
    socket.on('message', (bytes, { address }) => onDatagram(bytes, address));
    return { join: (group) => joinEverywhere(socket, group, this.localNetworks()), close };
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
      this.#log.warn({ err: error }, 'udp: socket failed, the next call opens a new one');
      this.#socket = undefined;
      socket.close();
    });
    return socket;
  }
}

/** Joins a group on each network. @throws the last failure where none of them takes it */
function joinEverywhere(socket: Socket, group: string, networks: readonly LocalNetwork[]): void {
  let failure: unknown;
  let isJoined = false;
  for (const { address } of networks) {
    try {
      socket.addMembership(group, address);
      isJoined = true;
    } catch (error) {
      // Two addresses of one interface: it has joined already.
      if (errnoOf(error) === 'EADDRINUSE') isJoined = true;
      else failure = error;
    }
  }
  if (!isJoined) throw failure ?? errnoError('ENODEV', 'there is no network to join the group on');
}
