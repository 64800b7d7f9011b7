import { type BindOptions, createSocket, type Socket } from 'node:dgram';
import { BufferPool } from '../bufferPool.ts';
import { type BurstSocket, type MediaDriver, portableDriver } from '../driver.ts';
import { Pacer } from '../pacer.ts';
import { isRtcp } from '../rtp/rtcp.ts';
import { bindingSuccess, hasIntegrity, parseBindingRequest } from './stun.ts';

export const LOOPBACK = '127.0.0.1';
/** Bytes of the send buffer: the GOP of a new viewer leaves in one burst. */
const SEND_BUFFER = 4 * 1024 * 1024;
const RECEIVE_BUFFER = 1024 * 1024;
/** Bytes that may wait because the system accepts no more: above this, media is dropped. */
const CONGESTED_BYTES = 1024 * 1024;
/** Paths that one viewer may open; a browser on loopback uses one or two. */
const MAX_PATHS = 8;

/**
 * Source of a viewer's datagrams. The address belongs to this machine but is not always 127.0.0.1: a browser whose
 * socket is bound to the LAN address sends to loopback from there.
 */
export interface Path {
  readonly address: string;
  readonly port: number;
  /** Where the datagrams come in and go out; the shared socket where it is missing. */
  readonly host?: HostSocket | undefined;
}

const pathKey = ({ address, port, host }: Path): string => `${address}:${port}>${host?.port ?? ''}`;

/** A socket of one viewer, on an address of this machine that is not loopback. */
interface HostSocket {
  readonly socket: Socket;
  port: number;
  isOpen: boolean;
}

/** A viewer's end of the shared socket. */
export interface IcePeer {
  readonly localUfrag: string;
  readonly localPassword: string;
  /** Undefined until the browser's description is here: it may check before that (RFC 8445 section 7.3). */
  readonly remoteUfrag: string | undefined;
  /** A connectivity check with the right password arrived. @param nominates the browser chose this path. */
  onCheck(path: Path, nominates: boolean): void;
  onDtls(datagram: Buffer): void;
  onSrtcp(datagram: Buffer): void;
  /** Set only if the browser sends media. */
  onSrtp?(datagram: Buffer): void;
}

const newSocket = (): Socket =>
  createSocket({
    type: 'udp4',
    // Without it every send uses the resolver, although the address is numeric.
    lookup: (hostname, _options, callback) => callback(null, hostname, 4),
  });

/** Binds a socket and gives it room. @throws the error of the system */
async function bind(socket: Socket, place: BindOptions): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.bind(place, () => {
      socket.off('error', reject);
      resolve();
    });
  });
  // A viewer that is gone answers with "port unreachable"; its watchdog ends it.
  socket.on('error', () => {});
  socket.setSendBufferSize(SEND_BUFFER);
  socket.setRecvBufferSize(RECEIVE_BUFFER);
}

/**
 * One UDP socket on loopback for all viewers. ICE-lite (RFC 8445 section 2.5): it answers connectivity checks and sends
 * none. Datagrams are matched to their viewer by ufrag (STUN) or by a path that passed a check (all others). A viewer
 * on this machine that cannot reach loopback gets a socket of its own besides (`openHost`).
 */
export class LoopbackSocket {
  /** Encrypts and sends the packets. */
  readonly driver: MediaDriver;
  /** Memory for the rings of its viewers. */
  readonly slabs = new BufferPool();
  #socket: Socket | undefined;
  #burst: BurstSocket | undefined;
  readonly #lanes = new Map<Path, Pacer>();
  #port = 0;
  readonly #byUfrag = new Map<string, IcePeer>();
  /** Paths that passed a check, each with its viewer and its single object. */
  readonly #byPath = new Map<string, { readonly owner: IcePeer; readonly path: Path }>();
  readonly #hosts = new Map<IcePeer, HostSocket>();

  constructor(driver: MediaDriver = portableDriver) {
    this.driver = driver;
  }

  async start(): Promise<void> {
    const burst = this.driver.openBurstSocket();
    const socket = newSocket();
    await bind(socket, burst === undefined ? { port: 0, address: LOOPBACK } : { fd: burst.fd });
    socket.on('message', (data, { address, port }) => this.#onMessage(data, { address, port }));
    this.#socket = socket;
    this.#burst = burst;
    this.#port = socket.address().port;
  }

  async stop(): Promise<void> {
    const socket = this.#socket;
    this.#socket = undefined;
    this.#burst = undefined;
    for (const lane of this.#lanes.values()) lane.close();
    this.#lanes.clear();
    this.#byUfrag.clear();
    this.#byPath.clear();
    for (const peer of [...this.#hosts.keys()]) this.#closeHost(peer);
    this.slabs.clear();
    if (socket !== undefined) await new Promise<void>((resolve) => socket.close(() => resolve()));
  }

  /** The port on loopback. */
  get port(): number {
    return this.#port;
  }

  /** Viewers that are attached, and sockets of theirs, for leak checks. */
  get size(): number {
    return this.#byUfrag.size + this.#hosts.size;
  }

  /** Whether datagrams pile up on a path: sending more would only add delay and memory. */
  isCongested(path: Path): boolean {
    return (this.#socketOf(path)?.getSendQueueSize() ?? 0) > CONGESTED_BYTES;
  }

  /**
   * Opens a socket on an own address for one viewer, until it is detached: libnice binds its sockets to network interfaces
   * (IP_UNICAST_IF) without `lo`, so that its checks reach an address of its interface and never loopback.
   *
   * Only this machine gets in. Datagrams count from the very address alone, and Linux drops what comes from outside with
   * one of its own addresses as source (`accept_local` in Documentation/networking/ip-sysctl.rst is off;
   * `fib_validate_source` in net/ipv4/fib_frontend.c).
   * @param address an IPv4 address of this machine. @returns the port; undefined where the system gives none, or the viewer
   * left meanwhile.
   */
  async openHost(peer: IcePeer, address: string): Promise<number | undefined> {
    if (this.#socket === undefined) return undefined;
    this.#closeHost(peer);
    const host: HostSocket = { socket: newSocket(), port: 0, isOpen: true };
    this.#hosts.set(peer, host);
    try {
      await bind(host.socket, { port: 0, address });
    } catch {
      // No descriptor is free, or the address has gone: loopback alone remains.
      if (host.isOpen) this.#closeHost(peer);
      return undefined;
    }
    if (!host.isOpen) return undefined;
    host.port = host.socket.address().port;
    host.socket.on('message', (data, from) => {
      if (from.address === address) this.#onMessage(data, { address, port: from.port, host });
    });
    return host.port;
  }

  #closeHost(peer: IcePeer): void {
    const host = this.#hosts.get(peer);
    if (host === undefined) return;
    this.#hosts.delete(peer);
    host.isOpen = false;
    host.socket.close();
  }

  /** Undefined once it is closed. */
  #socketOf({ host }: Path): Socket | undefined {
    if (host === undefined) return this.#socket;
    return host.isOpen ? host.socket : undefined;
  }

  attach(peer: IcePeer): void {
    this.#byUfrag.set(peer.localUfrag, peer);
  }

  detach(peer: IcePeer): void {
    this.#byUfrag.delete(peer.localUfrag);
    this.#closeHost(peer);
    for (const [key, { owner }] of this.#byPath) if (owner === peer) this.#byPath.delete(key);
    for (const [path, lane] of this.#lanes) {
      if (this.#byPath.get(pathKey(path))?.path === path) continue;
      lane.close();
      this.#lanes.delete(path);
    }
  }

  send(datagram: Buffer, path: Path): void {
    if (this.#burst === undefined || path.host !== undefined) this.#sendAlone(datagram, path);
    else this.#sendBurst([datagram], path);
  }

  #sendAlone(datagram: Buffer, path: Path): void {
    this.#socketOf(path)?.send(datagram, path.port, path.address);
  }

  /**
   * Sends a datagram together with the next ones: if the system supports it, the packets of one picture cost hardly
   * more than one packet. The datagram must keep its bytes until then.
   * @param endsPicture true: do not wait for more.
   */
  sendMedia(datagram: Buffer, path: Path, endsPicture: boolean): void {
    let lane = this.#lanes.get(path);
    // Packets may wait in a pacer, if there is one. Bursts go out by the shared socket only.
    if ((this.#burst === undefined || path.host !== undefined) && lane === undefined) {
      this.#sendAlone(datagram, path);
      return;
    }
    if (lane === undefined) {
      lane = new Pacer((datagrams) => this.#sendBurst(datagrams, path));
      this.#lanes.set(path, lane);
    }
    lane.push(datagram, endsPicture);
  }

  #sendBurst(datagrams: readonly Buffer[], path: Path): void {
    const socket = this.#socket;
    let sent = 0;
    // After the packets in Node's own queue, to keep the order.
    if (socket?.getSendQueueCount() === 0) {
      try {
        sent = this.#burst?.send(datagrams, path) ?? 0;
      } catch {
        // The kernel does not accept segments here after all. A single datagram has none.
        if (datagrams.length > 1) this.#burst = undefined;
      }
    }
    for (let i = sent; i < datagrams.length; i++) this.#sendAlone(datagrams[i]!, path);
  }

  /** Demultiplexes by the first byte (RFC 7983 section 7). */
  #onMessage(data: Buffer, from: Path): void {
    const first = data[0];
    if (first === undefined) return;
    if (first <= 3) {
      this.#onStun(data, from);
      return;
    }
    const peer = this.#byPath.get(pathKey(from))?.owner;
    if (peer === undefined) return;
    if (first >= 20 && first <= 63) peer.onDtls(data);
    else if (first >= 128 && first <= 191 && isRtcp(data)) peer.onSrtcp(data);
    else if (first >= 128 && first <= 191) peer.onSrtp?.(data);
  }

  #onStun(data: Buffer, from: Path): void {
    const request = parseBindingRequest(data);
    if (request === undefined) return;
    const [localUfrag = ''] = request.username.split(':', 1);
    const peer = this.#byUfrag.get(localUfrag);
    if (peer === undefined || (from.host !== undefined && this.#hosts.get(peer) !== from.host)) return;
    const { remoteUfrag } = peer;
    if (remoteUfrag !== undefined && request.username !== `${localUfrag}:${remoteUfrag}`) return;
    if (!hasIntegrity(request, peer.localPassword)) return;
    const path = this.#openPath(peer, from);
    if (path === undefined) return;
    this.send(bindingSuccess(request, from.address, from.port, peer.localPassword), from);
    peer.onCheck(path, request.nominates);
  }

  /**
   * Remembers a path that passed its check. @returns the same object each time; undefined if the viewer has too many.
   */
  #openPath(peer: IcePeer, path: Path): Path | undefined {
    const key = pathKey(path);
    const known = this.#byPath.get(key);
    if (known?.owner === peer) return known.path;
    let paths = 0;
    for (const { owner } of this.#byPath.values()) if (owner === peer) paths++;
    if (paths >= MAX_PATHS) return undefined;
    this.#byPath.set(key, { owner: peer, path });
    return path;
  }
}
