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
  /** Somebody wrote this address into the settings. */
  readonly isNamed: boolean;
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

/** Milliseconds without a valid packet from the described address after which another one counts. */
const ELSEWHERE_MS = 1_000;
/** Addresses that were refused and are remembered, and how many are looked up in one second: strangers may flood a port. */
const MAX_REFUSED = 100;
const MAX_ASKED = 50;

interface OtherSourceOptions {
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  /** Whether somebody named this address. */
  readonly mayBeTaken: (address: string) => boolean;
  /** Called once, with the address. */
  readonly onTaken: (address: string) => void;
}

/**
 * The one address beside the described ones from which packets of a call are taken: a PBX with two networks, or an indoor
 * and a door station, describe one and send from another. Never an address that no one named, and never a second one.
 */
export class OtherSource {
  readonly #options: OtherSourceOptions;
  readonly #refused = new Set<string>();
  #asked = { since: Number.NEGATIVE_INFINITY, count: 0 };
  #address: string | undefined;

  constructor(options: OtherSourceOptions) {
    this.#options = options;
  }

  get now(): number {
    return this.#options.now();
  }

  /** @param isAuthentic its packet was encrypted with the keys of the call: no list can say more */
  takes(address: string, isAuthentic: boolean): boolean {
    if (this.#address !== undefined) return this.#address === address;
    if (!isAuthentic && !this.#isNamed(address)) return false;
    this.#address = address;
    this.#options.onTaken(address);
    return true;
  }

  #isNamed(address: string): boolean {
    if (this.now - this.#asked.since >= 1_000) this.#asked = { since: this.now, count: 0 };
    if (this.#refused.has(address) || ++this.#asked.count > MAX_ASKED) return false;
    if (this.#options.mayBeTaken(address)) return true;
    if (this.#refused.size >= MAX_REFUSED) this.#refused.clear();
    this.#refused.add(address);
    return false;
  }
}

/** Where packets are sent to. */
interface Target {
  readonly address: string;
  readonly port: number;
}

/**
 * The UDP sockets of one media line. Packets are accepted only from the negotiated address, or the one other source of
 * the call, and from one port of it: that of the first valid RTP packet. All others are dropped and counted.
 */
export class RtpLine {
  readonly port: number;
  readonly #pair: PortPair;
  readonly #events: RtpLineEvents;
  readonly #other: OtherSource;
  #remote: RemoteEnd | undefined;
  #keys: LineKeys | undefined;
  /** Where packets go. */
  #address = '';
  /** Where packets come from. */
  #source = '';
  #types: ReadonlySet<number> = new Set();
  /** When the last valid packet came, or the address was described. */
  #validAt = 0;
  #isTranslated = false;
  /** Ports from which the remote party actually sends. */
  #rtpFrom: number | undefined;
  #rtcpFrom: number | undefined;
  #dropped = 0;
  #isClosed = false;

  constructor(pair: PortPair, other: OtherSource, events: RtpLineEvents) {
    this.port = pair.port;
    this.#other = other;
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
   * @param types negotiated payload types: with one of these a packet may come from elsewhere
   * @throws FaceplateError INVALID_REQUEST for an address that cannot belong to one remote party.
   */
  connect(
    remote: RemoteEnd | undefined,
    keys: LineKeys | undefined,
    types: ReadonlySet<number> = new Set(),
  ): void {
    const { address, isTranslated } =
      remote === undefined
        ? { address: '', isTranslated: false }
        : mediaAddress(remote.address, { ...remote.from, isNamed: remote.isNamed });
    const before = this.#remote;
    this.#keys = keys;
    this.#remote = remote;
    this.#types = types;
    const isSame = this.#address === address && before?.port === remote?.port;
    if (remote !== undefined && before?.address === remote.address && isSame) return;
    this.#address = this.#source = address;
    this.#validAt = this.#other.now;
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
    const isRtp = data.length >= 12 && data[0]! >> 6 === 2;
    const isKnown = this.#isFrom(from, this.#rtpFrom);
    const keys = this.#keys?.receive;
    const packet =
      isRtp && (isKnown || this.#mayMove(data, from)) ? (keys ? keys.unprotectRtp(data) : data) : undefined;
    const address = plainAddress(from.address);
    if (packet === undefined || (!isKnown && !this.#other.takes(address, keys !== undefined))) {
      this.#dropped++;
      return;
    }
    if (!isKnown) {
      this.#source = address;
      this.#rtcpFrom = undefined;
    }
    this.#rtpFrom = from.port;
    this.#validAt = this.#other.now;
    this.#events.onRtp(packet);
  }

  /** Whether a packet from another address could be the remote party's, as far as the line itself knows. */
  #mayMove(data: Buffer, from: RemoteInfo): boolean {
    return (
      !this.#isClosed &&
      this.#remote !== undefined &&
      this.#source === this.#address &&
      plainAddress(from.address) !== this.#source &&
      this.#types.has(data[1]! & 0x7f) &&
      this.#other.now - this.#validAt >= ELSEWHERE_MS
    );
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
    return plainAddress(from.address) === this.#source && (port === undefined || from.port === port);
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
 * The address that media of a call may come from and go to: that of the signalling, or the described one if it is named
 * in the settings, and for parties whose media may be elsewhere. If their description cannot be right, the signalling address counts for them too: for a
 * host name, for this machine itself named by a remote party elsewhere, or for a private address sent from a public
 * one.
 * @param described address of the c= line
 * @param from who described it
 * @throws FaceplateError INVALID_REQUEST for multicast and broadcast.
 */
export function mediaAddress(
  described: string,
  { host, mayBeElsewhere, isNamed = false }: MediaParty & { readonly isNamed?: boolean },
): MediaAddress {
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
  if (!mayBeElsewhere && !isNamed) return { address: peer, isTranslated: true };
  const isWrong = isLoopback(address)
    ? !isLoopback(peer)
    : !isNamed && isPrivate(address) && !isPrivate(peer);
  return isWrong ? { address: peer, isTranslated: true } : { address, isTranslated: false };
}
