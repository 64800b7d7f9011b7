import type { RemoteInfo, Socket } from 'node:dgram';
import { isRtcp } from '../../media/rtp/rtcp.ts';
import type { AesCmSession } from '../../media/srtp/aesCm.ts';
import { mediaAddress, plainAddress } from './mediaAddress.ts';
import type { PortPair } from './ports.ts';

/** What a far end's media line says about where its packets come from and go to. */
export interface RemoteEnd {
  /** As described. */
  readonly address: string;
  readonly port: number;
  readonly rtcp: { readonly address: string; readonly port: number } | undefined;
  readonly rtcpMux: boolean;
  /** Of the signalling. */
  readonly peerHost: string;
}

/** Keys of both directions; undefined: packets in the clear. */
export interface LineKeys {
  readonly send: AesCmSession;
  readonly receive: AesCmSession;
}

export interface RtpLineEvents {
  /** A packet of the far end, opened. */
  onRtp(packet: Buffer): void;
  onRtcp(packet: Buffer): void;
}

interface Way {
  readonly address: string;
  readonly port: number;
}

/**
 * The UDP sockets of one media line. Packets are taken from the negotiated address only, and from one port of it: that
 * of the first packet that is RTP of this call. Everything else is dropped and counted.
 */
export class RtpLine {
  readonly port: number;
  readonly #pair: PortPair;
  readonly #events: RtpLineEvents;
  #remote: RemoteEnd | undefined;
  #keys: LineKeys | undefined;
  #address = '';
  #isTranslated = false;
  /** Ports that the far end turned out to send from. */
  #rtpFrom: number | undefined;
  #rtcpFrom: number | undefined;
  #dropped = 0;
  #isClosed = false;

  constructor(pair: PortPair, events: RtpLineEvents) {
    this.port = pair.port;
    this.#pair = pair;
    this.#events = events;
    pair.rtp.on('message', (data, from) => {
      if (this.#remote?.rtcpMux === true && isRtcp(data)) this.#onRtcp(data, from);
      else this.#onRtp(data, from);
    });
    pair.rtcp.on('message', (data, from) => this.#onRtcp(data, from));
  }

  /** Packets of strangers, and packets that were not sealed with the right key. */
  get dropped(): number {
    return this.#dropped;
  }

  /**
   * Takes packets from this end from now on, and sends them there. @param remote undefined: nobody is there.
   * @throws FaceplateError INVALID_REQUEST for an address that cannot be one far end's.
   */
  connect(remote: RemoteEnd | undefined, keys: LineKeys | undefined): void {
    const { address, isTranslated } =
      remote === undefined
        ? { address: '', isTranslated: false }
        : mediaAddress(remote.address, remote.peerHost);
    const before = this.#remote;
    this.#keys = keys;
    this.#remote = remote;
    if (remote !== undefined && before?.address === remote.address && before.port === remote.port) return;
    this.#address = address;
    this.#isTranslated = isTranslated;
    this.#rtpFrom = undefined;
    this.#rtcpFrom = undefined;
  }

  /** @param packet of RTP with a fixed header. */
  sendRtp(packet: Buffer): void {
    const { rtp } = this.#pair;
    this.#send(rtp, this.#keys?.send.protectRtp(packet) ?? packet, this.#rtpWay());
  }

  sendRtcp(packet: Buffer): void {
    const { rtp, rtcp } = this.#pair;
    const sealed = this.#keys?.send.protectRtcp(packet) ?? packet;
    this.#send(this.#remote?.rtcpMux === true ? rtp : rtcp, sealed, this.#rtcpWay());
  }

  /** Resolves when the ports are free. Safe to call twice. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const { rtp, rtcp } = this.#pair;
    await Promise.all(
      [rtp, rtcp].map((socket) => new Promise<void>((resolve) => socket.close(() => resolve()))),
    );
  }

  #rtpWay(): Way | undefined {
    if (this.#remote === undefined) return undefined;
    const port = this.#isTranslated ? (this.#rtpFrom ?? this.#remote.port) : this.#remote.port;
    return { address: this.#address, port };
  }

  #rtcpWay(): Way | undefined {
    if (this.#remote === undefined || this.#remote.rtcpMux) return this.#rtpWay();
    const { port, rtcp } = this.#remote;
    if (this.#isTranslated) return { address: this.#address, port: this.#rtcpFrom ?? port + 1 };
    // Another address than that of RTP is not used: nothing of it was agreed on with whoever is there.
    return { address: this.#address, port: rtcp?.port ?? port + 1 };
  }

  #onRtp(data: Buffer, from: RemoteInfo): void {
    if (!this.#isFrom(from, this.#rtpFrom) || data.length < 12 || data[0]! >> 6 !== 2) {
      this.#dropped++;
      return;
    }
    const packet = this.#keys === undefined ? data : this.#keys.receive.unprotectRtp(data);
    if (packet === undefined) {
      this.#dropped++;
      return;
    }
    this.#rtpFrom = from.port;
    this.#events.onRtp(packet);
  }

  #onRtcp(data: Buffer, from: RemoteInfo): void {
    const expected = this.#remote?.rtcpMux === true ? this.#rtpFrom : this.#rtcpFrom;
    const isOurs = this.#isFrom(from, expected) && data.length >= 8 && isRtcp(data);
    const packet = isOurs
      ? this.#keys === undefined
        ? data
        : this.#keys.receive.unprotectRtcp(data)
      : undefined;
    if (packet === undefined) {
      this.#dropped++;
      return;
    }
    if (this.#remote?.rtcpMux !== true) this.#rtcpFrom = from.port;
    this.#events.onRtcp(packet);
  }

  #isFrom(from: RemoteInfo, port: number | undefined): boolean {
    if (this.#isClosed || this.#remote === undefined) return false;
    return plainAddress(from.address) === this.#address && (port === undefined || from.port === port);
  }

  #send(socket: Socket, data: Buffer, way: Way | undefined): void {
    if (this.#isClosed || way === undefined || way.port > 65_535) return;
    socket.send(data, way.port, way.address);
  }
}
