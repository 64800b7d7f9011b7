import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import type { ParamsOf, ResultOf } from '../../contract/commands.ts';
import { FaceplateError } from '../../contract/errors.ts';
import { hexToBytes } from '../../contract/fields.ts';
import type { PartInfo } from '../../contract/system.ts';
import { errnoError, errnoOf, errnoWords } from '../../platform/errno.ts';
import type { Logger } from '../../platform/log.ts';
import { interfacesNow } from '../../platform/net/addresses.ts';
import { isLocalTarget, type LocalNetwork, ownNetworks } from '../../platform/net/localTargets.ts';
import type { OwnedCall } from '../callContext.ts';
import { UDP_MAX_BYTES } from './contract.ts';
import {
  type ListenersOptions,
  type PortSocket,
  type UdpDriver,
  UdpListeners,
  type UdpPort,
} from './listeners.ts';

/** The limited broadcast address (RFC 919). */
const EVERYBODY = '255.255.255.255';
/** More interfaces than a panel has. */
const MOST_INTERFACES = 32;

/** Sends datagrams to devices of the local network, and nowhere else; hears those that come to a port. */
export class UdpService {
  readonly #driver: UdpDriver;
  readonly #listeners: UdpListeners;
  #stopped = false;

  constructor(options: ListenersOptions) {
    this.#driver = options.driver;
    this.#listeners = new UdpListeners(options);
  }

  /** The first call opens the socket. */
  async start(): Promise<void> {
    this.#stopped = false;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#listeners.stop();
    await this.#driver.stop();
  }

  part(): PartInfo {
    return { driver: this.#driver.name, path: null, state: 'real', reason: null };
  }

  /**
   * @throws FaceplateError FORBIDDEN (target outside the local network), INVALID_REQUEST (too long), NOT_FOUND (`from` is not
   * heard), HARDWARE_ERROR
   */
  async send(
    { host, port, hex, text, from }: ParamsOf<'udp.send'>,
    { identity, signal }: OwnedCall,
  ): Promise<ResultOf<'udp.send'>> {
    if (this.#stopped) throw new FaceplateError('SHUTTING_DOWN');
    signal.throwIfAborted();
    const bytes = hex === undefined ? new TextEncoder().encode(text) : hexToBytes(hex);
    if (bytes.length > UDP_MAX_BYTES) {
      const field = hex === undefined ? 'text' : 'hex';
      const sentence = `The field "${field}" is not valid: one datagram holds at most ${UDP_MAX_BYTES} bytes, these are ${bytes.length}.`;
      throw new FaceplateError('INVALID_REQUEST', sentence, { field });
    }
    if (!isLocalTarget(host, () => this.#driver.localNetworks())) {
      throw new FaceplateError('FORBIDDEN', `${host} is not on the local network of this panel.`);
    }
    const socket = from === undefined ? this.#driver : this.#listeners.of(identity, from);
    try {
      await socket.send(bytes, port, host);
    } catch (error) {
      const errno = errnoOf(error);
      if (errno === undefined) throw error;
      const sentence = `The datagram to ${host} could not be sent: ${errnoWords(errno)}.`;
      throw new FaceplateError('HARDWARE_ERROR', sentence, { cause: error });
    }
    return { status: 'ok', host, port, sent: bytes.length };
  }

  /** @throws FaceplateError FORBIDDEN (a port of ours), CONFLICT (the ninth port), PORT_BUSY, HARDWARE_ERROR */
  async listen(
    { port, group }: ParamsOf<'udp.listen'>,
    { identity, signal }: OwnedCall,
  ): Promise<ResultOf<'udp.listen'>> {
    if (this.#stopped) throw new FaceplateError('SHUTTING_DOWN');
    await this.#listeners.add(identity, port, group, signal);
    return { status: 'ok', port };
  }

  async unlisten(
    { port }: ParamsOf<'udp.unlisten'>,
    { identity }: OwnedCall,
  ): Promise<ResultOf<'udp.unlisten'>> {
    await this.#listeners.remove(identity, port);
    return { status: 'ok', port };
  }
}

/**
 * One IPv4 socket on a port the system chose, open from call to call and opened again after a failure; and one for each
 * port that is heard.
 */
export class DatagramSocket implements UdpDriver {
  readonly name = 'dgram';
  readonly #log: Logger;
  readonly #create: () => Socket;
  readonly #openPort: ((port: number) => PortSocket) | undefined;
  #socket: Promise<Socket> | undefined;

  /** @param openPort opens the sockets that are heard; without it, their broadcasts go where the default route leads */
  constructor(log: Logger, create = () => createSocket('udp4'), openPort?: (port: number) => PortSocket) {
    this.#log = log;
    this.#create = create;
    this.#openPort = openPort;
  }

  async send(bytes: Uint8Array, port: number, host: string): Promise<void> {
    if (host === EVERYBODY) return this.#sendToAll(bytes, port);
    this.#socket ??= this.#open();
    await sent(await this.#socket, bytes, port, host);
  }

  /**
   * The kernel sends 255.255.255.255 where the default route leads, and nowhere without one. Bound to an interface it goes
   * out there, also without any route.
   */
  #sendToAll(bytes: Uint8Array, port: number): Promise<void> {
    return onEachNetwork((own) => this.#sendFrom(own, bytes, port));
  }

  async #sendFrom(own: string, bytes: Uint8Array, port: number): Promise<void> {
    const socket = this.#create();
    try {
      socket.bind(0, own);
      await once(socket, 'listening');
      socket.setBroadcast(true);
      await sent(socket, bytes, port, EVERYBODY);
    } finally {
      socket.close();
    }
  }

  async listen(port: number, onDatagram: (bytes: Uint8Array, host: string) => void): Promise<UdpPort> {
    const native = this.#portSocket(port);
    const socket = createSocket('udp4');
    const close = () => new Promise<void>((resolve) => socket.close(() => resolve()));
    try {
      // With a socket that is already bound, it comes before `bind` returns.
      const listening = once(socket, 'listening');
      socket.bind(native === undefined ? { port } : { fd: native.fd });
      await listening;
    } catch (error) {
      native?.close();
      await close();
      throw error;
    }
    socket.setBroadcast(true);
    socket.on('error', (error) => this.#log.warn({ err: error, port }, 'udp: a listening socket failed'));
    socket.on('message', (bytes, { address }) => onDatagram(bytes, address));
    const sendTo = async (own: string, bytes: Uint8Array, to: number) => {
      if (native === undefined) await sent(socket, bytes, to, EVERYBODY);
      else native.sendFrom(own, bytes, { address: EVERYBODY, port: to });
    };
    return {
      send: (bytes, to, host) =>
        host === EVERYBODY ? onEachNetwork((own) => sendTo(own, bytes, to)) : sent(socket, bytes, to, host),
      join: (group) => joinEverywhere(socket, group, this.localNetworks()),
      close,
    };
  }

  localNetworks(): readonly LocalNetwork[] {
    return ownNetworks();
  }

  async stop(): Promise<void> {
    const socket = await this.#socket?.catch(() => undefined);
    this.#socket = undefined;
    if (socket) await new Promise<void>((resolve) => socket.close(resolve));
  }

  /** Undefined where this machine has no such sockets. */
  #portSocket(port: number): PortSocket | undefined {
    try {
      return this.#openPort?.(port);
    } catch (error) {
      if (errnoOf(error) === 'ENOSYS') return undefined;
      throw error;
    }
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

function sent(socket: Socket, bytes: Uint8Array, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.send(bytes, port, host, (error) => (error ? reject(error) : resolve()));
  });
}

/** @param send gets the panel's own address on each network @throws the first failure where none of them takes it */
async function onEachNetwork(send: (own: string) => Promise<void>): Promise<void> {
  const tries = await Promise.allSettled(broadcastAddresses().slice(0, MOST_INTERFACES).map(send));
  if (tries.some(({ status }) => status === 'fulfilled')) return;
  const failed = tries.find((one) => one.status === 'rejected');
  throw failed?.reason ?? errnoError('ENETUNREACH', 'no network takes broadcasts');
}

/** The first IPv4 address of each interface that is up, but loopback. */
function broadcastAddresses(): string[] {
  return Object.values(interfacesNow()).flatMap((entries = []) => {
    const own = entries.find(({ family, internal }) => family === 'IPv4' && !internal);
    return own === undefined ? [] : [own.address];
  });
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
