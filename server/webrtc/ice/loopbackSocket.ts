import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { BufferPool } from '../bufferPool.ts';
import type { BurstSocket, MediaDriver } from '../driver.ts';
import { Pacer } from '../pacer.ts';
import { portableDriver } from '../portableDriver.ts';
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
}

const pathKey = (path: Path): string => `${path.address}:${path.port}`;

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

/**
 * One UDP socket on loopback for all viewers. ICE-lite (RFC 8445 section 2.5): it answers connectivity checks and sends
 * none. Datagrams are matched to their viewer by ufrag (STUN) or by a path that passed a check (all others).
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

  constructor(driver: MediaDriver = portableDriver) {
    this.driver = driver;
  }

  async start(): Promise<void> {
    const burst = this.driver.openBurstSocket();
    const socket = createSocket({
      type: 'udp4',
      // Without it every send uses the resolver, although the address is numeric.
      lookup: (hostname, _options, callback) => callback(null, hostname, 4),
    });
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      const place = burst === undefined ? { port: 0, address: LOOPBACK } : { fd: burst.fd };
      socket.bind(place, () => {
        socket.off('error', reject);
        resolve();
      });
    });
    // A viewer that is gone answers with "port unreachable"; its watchdog ends it.
    socket.on('error', () => {});
    socket.setSendBufferSize(SEND_BUFFER);
    socket.setRecvBufferSize(RECEIVE_BUFFER);
    socket.on('message', (data, from) => this.#onMessage(data, from));
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
    this.slabs.clear();
    if (socket !== undefined) await new Promise<void>((resolve) => socket.close(() => resolve()));
  }

  /** The port of the one host candidate. */
  get port(): number {
    return this.#port;
  }

  /** Viewers that are attached, for leak checks. */
  get size(): number {
    return this.#byUfrag.size;
  }

  /** Whether datagrams pile up: sending more would only add delay and memory. */
  get isCongested(): boolean {
    return (this.#socket?.getSendQueueSize() ?? 0) > CONGESTED_BYTES;
  }

  attach(peer: IcePeer): void {
    this.#byUfrag.set(peer.localUfrag, peer);
  }

  detach(peer: IcePeer): void {
    this.#byUfrag.delete(peer.localUfrag);
    for (const [key, { owner }] of this.#byPath) if (owner === peer) this.#byPath.delete(key);
    for (const [path, lane] of this.#lanes) {
      if (this.#byPath.get(pathKey(path))?.path === path) continue;
      lane.close();
      this.#lanes.delete(path);
    }
  }

  send(datagram: Buffer, path: Path): void {
    this.#socket?.send(datagram, path.port, path.address);
  }

  /**
   * Sends a datagram together with the next ones: if the system supports it, the packets of one picture cost hardly
   * more than one packet. The datagram must keep its bytes until then.
   * @param endsPicture true: do not wait for more.
   */
  sendMedia(datagram: Buffer, path: Path, endsPicture: boolean): void {
    let lane = this.#lanes.get(path);
    // Packets may wait in a pacer, if there is one.
    if (this.#burst === undefined && lane === undefined) {
      this.send(datagram, path);
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
        // The kernel does not accept segments here after all.
        this.#burst = undefined;
      }
    }
    for (let i = sent; i < datagrams.length; i++) this.send(datagrams[i]!, path);
  }

  /** Demultiplexes by the first byte (RFC 7983 section 7). */
  #onMessage(data: Buffer, from: RemoteInfo): void {
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

  #onStun(data: Buffer, from: RemoteInfo): void {
    const request = parseBindingRequest(data);
    if (request === undefined) return;
    const [localUfrag = ''] = request.username.split(':', 1);
    const peer = this.#byUfrag.get(localUfrag);
    if (peer === undefined) return;
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
  #openPath(peer: IcePeer, { address, port }: Path): Path | undefined {
    const key = pathKey({ address, port });
    const known = this.#byPath.get(key);
    if (known?.owner === peer) return known.path;
    let paths = 0;
    for (const { owner } of this.#byPath.values()) if (owner === peer) paths++;
    if (paths >= MAX_PATHS) return undefined;
    const path = { address, port };
    this.#byPath.set(key, { owner: peer, path });
    return path;
  }
}
