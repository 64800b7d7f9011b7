import type { RemoteInfo, Socket } from 'node:dgram';
import { BlockList, isIP, isIPv4 } from 'node:net';
import { FaceplateError } from '../../../contract/errors.ts';
import {
  isIn,
  isLocalAddress,
  isLoopback,
  ownAddresses,
  plainAddress,
  withoutZone,
} from '../../../platform/net/addresses.ts';
import { isRtcp } from '../../../webrtc/rtp/rtcp.ts';
import type { AesCmSession } from '../../../webrtc/srtp/aesCm.ts';
import type { MediaParty } from '../../ports.ts';
import type { PortPair } from './ports.ts';

/** The addresses of a remote party's media line: where its packets come from and go to. */
export interface RemoteEnd {
  /** As described. */
  readonly address: string;
  readonly port: number;
  readonly rtcp: { readonly address: string; readonly port: number } | undefined;
  readonly rtcpMux: boolean;
  readonly from: MediaParty;
}

/** Keys of both directions; undefined: unencrypted packets. */
export interface LineKeys {
  readonly send: AesCmSession;
  readonly receive: AesCmSession;
}

interface RtpLineEvents {
  /** A packet of the remote party, decrypted. */
  onRtp(packet: Buffer): void;
  onRtcp(packet: Buffer): void;
}

/** Where packets are sent to. */
interface Target {
  readonly address: string;
  readonly port: number;
}

/**
 * The UDP sockets of one media line. Packets are accepted only from the negotiated address, and from one port of it:
 * that of the first valid RTP packet of this call. All others are dropped and counted.
 */
export class RtpLine {
  readonly port: number;
  readonly #pair: PortPair;
  readonly #events: RtpLineEvents;
  #remote: RemoteEnd | undefined;
  #keys: LineKeys | undefined;
  #address = '';
  #isTranslated = false;
  /** Ports from which the remote party actually sends. */
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

  /** Packets of strangers, and packets that fail authentication. */
  get dropped(): number {
    return this.#dropped;
  }

  /**
   * From now on accepts packets from this address, and sends there. @param remote undefined: no remote party.
   * @throws FaceplateError INVALID_REQUEST for an address that cannot belong to one remote party.
   */
  connect(remote: RemoteEnd | undefined, keys: LineKeys | undefined): void {
    const { address, isTranslated } =
      remote === undefined ? { address: '', isTranslated: false } : mediaAddress(remote.address, remote.from);
    const before = this.#remote;
    this.#keys = keys;
    this.#remote = remote;
    const isSame = this.#address === address && before?.port === remote?.port;
    if (remote !== undefined && before?.address === remote.address && isSame) return;
    this.#address = address;
    this.#isTranslated = isTranslated;
    this.#rtpFrom = undefined;
    this.#rtcpFrom = undefined;
  }

  /** @param packet RTP with a fixed header. */
  sendRtp(packet: Buffer): void {
    const { rtp } = this.#pair;
    this.#send(rtp, this.#keys?.send.protectRtp(packet) ?? packet, this.#rtpTarget());
  }

  sendRtcp(packet: Buffer): void {
    const { rtp, rtcp } = this.#pair;
    const sealed = this.#keys?.send.protectRtcp(packet) ?? packet;
    this.#send(this.#remote?.rtcpMux === true ? rtp : rtcp, sealed, this.#rtcpTarget());
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

  #rtpTarget(): Target | undefined {
    if (this.#remote === undefined) return undefined;
    const port = this.#isTranslated ? (this.#rtpFrom ?? this.#remote.port) : this.#remote.port;
    return { address: this.#address, port };
  }

  #rtcpTarget(): Target | undefined {
    if (this.#remote === undefined || this.#remote.rtcpMux) return this.#rtpTarget();
    const { port, rtcp } = this.#remote;
    if (this.#isTranslated) return { address: this.#address, port: this.#rtcpFrom ?? port + 1 };
    // RTCP is sent only to the address of RTP: any other address was not negotiated.
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

  #send(socket: Socket, data: Buffer, target: Target | undefined): void {
    if (this.#isClosed || target === undefined || target.port > 65_535) return;
    socket.send(data, target.port, target.address);
  }
}

/** Shared address space of carriers (RFC 6598): not routed on the internet either. */
const carrier = new BlockList();
carrier.addSubnet('100.64.0.0', 10);

/** Multicast and broadcast: never the address of one remote party. */
const many = new BlockList();
many.addSubnet('224.0.0.0', 3);
many.addSubnet('0.0.0.0', 8);
many.addSubnet('ff00::', 8, 'ipv6');

const isPrivate = (address: string): boolean => isLocalAddress(address) || isIn(carrier, address);

/** Whether it is the broadcast address of a network of this machine. */
function isBroadcast(address: string): boolean {
  if (!isIPv4(address)) return false;
  const wanted = numberOf(address);
  return ownAddresses().some(({ family, address: own, netmask }) => {
    const hosts = family === 'IPv4' ? ~numberOf(netmask) >>> 0 : 0;
    // A network of one or two addresses has none (RFC 3021).
    return hosts > 1 && (numberOf(own) | hosts) >>> 0 === wanted;
  });
}

function numberOf(address: string): number {
  return address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
}

/** Where media of a remote party come from and are sent to. */
interface MediaAddress {
  readonly address: string;
  /** The port in the description does not apply: a router in front of the remote party changes it. */
  readonly isTranslated: boolean;
}

/**
 * The address that media of a call may come from and go to: that of the signalling, or the described one for parties
 * whose media may be elsewhere. If their description cannot be right, the signalling address counts for them too: for a
 * host name, for this machine itself named by a remote party elsewhere, or for a private address sent from a public
 * one.
 * @param described address of the c= line
 * @param from who described it
 * @throws FaceplateError INVALID_REQUEST for multicast and broadcast.
 */
export function mediaAddress(described: string, { host, mayBeElsewhere }: MediaParty): MediaAddress {
  const peer = plainAddress(host);
  const address = plainAddress(described);
  if (isIP(address) === 0 || isIPv4(address) !== isIPv4(peer)) return { address: peer, isTranslated: true };
  if (isIn(many, address) || isBroadcast(address)) {
    throw new FaceplateError('INVALID_REQUEST', 'The remote party wants its media sent to a group.', {
      field: 'sdp',
    });
  }
  // A socket needs the zone of a link-local address, and a description never names it.
  if (address === withoutZone(peer)) return { address: peer, isTranslated: false };
  // Otherwise a caller could make the panel send to an uninvolved host.
  if (!mayBeElsewhere) return { address: peer, isTranslated: true };
  const isWrong = isLoopback(address) ? !isLoopback(peer) : isPrivate(address) && !isPrivate(peer);
  return isWrong ? { address: peer, isTranslated: true } : { address, isTranslated: false };
}
