import { randomBytes } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import { FaceplateError } from '../../contract/errors.ts';
import { plainAddress } from '../../platform/net/addresses.ts';
import { ReorderWindow } from '../../webrtc/rtp/reorderWindow.ts';
import { isRtcp, parseSenderReport, writeReceiverReport, writeReception } from '../../webrtc/rtp/rtcp.ts';
import { malformed } from './failure.ts';
import type { ChannelKind } from './starts.ts';

/** Bytes of an RTP header without extensions, and of a report without blocks. */
const RTP_HEADER = 12;
const EMPTY_REPORT = 8;

/** Takes the packets of the tracks that were set up. `track` counts from 0 in the order of SETUP. */
export interface PacketSink {
  onRtp(track: number, packet: Buffer): void;
  onRtcp(track: number, packet: Buffer): void;
}

/** A transport from the camera to us: the SETUP header, and the handling of its answer. */
export interface MediaTransport {
  /** The Transport header for SETUP of a track. */
  offer(track: number): string | Promise<string>;
  /**
   * Takes the Transport header of the answer.
   * @param payloadTypes those of the track's description
   * @throws FaceplateError CAMERA_PROTOCOL if the camera insists on another transport.
   */
  accept(track: number, answer: string | undefined, payloadTypes: readonly number[]): void;
  /** Sends an RTP packet to the camera on a track that was set up. */
  send(track: number, packet: Buffer): void;
  /** Tells the camera on each RTCP channel that its packets arrive (RFC 3550 section 6.4.2). */
  report(): void;
  /** Releases its resources. Safe to call twice. */
  close(): void;
}

/** The received packets of one track, for the reports to its sender. */
class Reception {
  readonly #ssrc: number;
  /** A report without figures, with the CNAME that each report carries. */
  readonly #empty: Buffer;
  #sender: number | undefined;
  #highest = 0;
  #lastReport = 0;
  #lastReportAt = 0;

  constructor(ssrc = randomBytes(4).readUInt32BE()) {
    this.#ssrc = ssrc;
    this.#empty = writeReceiverReport(ssrc);
  }

  /** Whether packets of this sender belong to the track. */
  isOf(ssrc: number): boolean {
    return this.#sender === ssrc;
  }

  addRtp(packet: Buffer): void {
    if (packet.length < RTP_HEADER) return;
    const sender = packet.readUInt32BE(8);
    const sequence = packet.readUInt16BE(2);
    if (sender !== this.#sender) {
      this.#sender = sender;
      this.#highest = sequence;
      this.#lastReport = 0;
      return;
    }
    const step = (sequence - this.#highest) & 0xffff;
    if (step < 0x8000) this.#highest += step;
  }

  addRtcp(packet: Buffer): void {
    const point = parseSenderReport(packet);
    if (point === undefined) return;
    this.#lastReport = ((point.ntpSeconds & 0xffff) * 0x10000 + (point.ntpFraction >>> 16)) >>> 0;
    this.#lastReportAt = performance.now();
  }

  report(): Buffer {
    if (this.#sender === undefined) return this.#empty;
    const block = writeReception(this.#ssrc, {
      ssrc: this.#sender,
      highestSequence: this.#highest,
      lastReport: this.#lastReport,
      delay:
        this.#lastReport === 0 ? 0 : Math.round(((performance.now() - this.#lastReportAt) / 1000) * 65_536),
    });
    return Buffer.concat([block, this.#empty.subarray(EMPTY_REPORT)]);
  }
}

interface InterleavedTrack {
  readonly rtp: number;
  readonly payloadTypes: readonly number[];
  readonly rtcp: number;
  readonly reception: Reception;
}

/** RTP inside the RTSP connection (RFC 2326 section 10.12). */
export class InterleavedTransport implements MediaTransport {
  readonly #sink: PacketSink;
  readonly #send: (channel: number, packet: Buffer) => void;
  readonly #tracks = new Map<number, InterleavedTrack>();
  /** The tracks of each channel; some cameras name the same pair for two. */
  readonly #channels = new Map<number, { readonly kind: ChannelKind; readonly tracks: readonly number[] }>();

  /** @param send sends a frame to the camera */
  constructor(sink: PacketSink, send: (channel: number, packet: Buffer) => void) {
    this.#sink = sink;
    this.#send = send;
  }

  offer(track: number): string {
    return `RTP/AVP/TCP;unicast;interleaved=${2 * track}-${2 * track + 1}`;
  }

  /** The camera may choose other channels than we requested. */
  accept(track: number, answer: string | undefined, payloadTypes: readonly number[]): void {
    if (answer !== undefined && /client_port|server_port/i.test(answer) && !/interleaved/i.test(answer)) {
      throw malformed('it wants to send over UDP although TCP was asked for');
    }
    const match = /interleaved\s*=\s*"?(\d{1,3})(?:\s*-\s*(\d{1,3}))?/i.exec(answer ?? '');
    const rtp = match === null ? 2 * track : Number(match[1]);
    const rtcp = match?.[2] === undefined ? rtp + 1 : Number(match[2]);
    // A pair that another track has: the camera may still use the one that was asked for.
    if (this.#channels.has(rtp) && !this.#channels.has(2 * track))
      this.#open(track, 2 * track, 2 * track + 1);
    this.#open(track, rtp, rtcp);
    this.#tracks.set(track, { payloadTypes, rtp, rtcp, reception: new Reception() });
  }

  send(track: number, packet: Buffer): void {
    const known = this.#tracks.get(track);
    if (known !== undefined) this.#send(known.rtp, packet);
  }

  #open(track: number, rtp: number, rtcp: number): void {
    for (const [channel, kind] of [
      [rtp, 'rtp'],
      [rtcp, 'rtcp'],
    ] as const) {
      const known = this.#channels.get(channel);
      const isOther = known !== undefined && known.kind !== kind;
      this.#channels.set(channel, {
        kind: isOther ? 'both' : kind,
        tracks: [...new Set([...(known?.tracks ?? []), track])],
      });
    }
  }

  report(): void {
    for (const { rtcp, reception } of this.#tracks.values()) this.#send(rtcp, reception.report());
  }

  close(): void {
    this.#channels.clear();
    this.#tracks.clear();
  }

  /** What a channel was set up for. */
  kindOf(channel: number): ChannelKind {
    return this.#channels.get(channel)?.kind;
  }

  /** Whether two tracks share a channel. */
  get isShared(): boolean {
    return [...this.#channels.values()].some(({ tracks }) => tracks.length > 1);
  }

  /** Takes a frame of a channel; frames of unknown channels are dropped. */
  deliver(channel: number, payload: Buffer): void {
    const target = this.#channels.get(channel);
    if (target === undefined) return;
    const isReport = target.kind === 'rtcp' || (target.kind === 'both' && isRtcp(payload));
    const track =
      target.tracks.length === 1 ? target.tracks[0]! : this.#pick(target.tracks, payload, isReport);
    const { reception } = this.#tracks.get(track)!;
    if (isReport) {
      reception.addRtcp(payload);
      this.#sink.onRtcp(track, payload);
    } else {
      reception.addRtp(payload);
      this.#sink.onRtp(track, payload);
    }
  }

  /** Of the tracks of a channel the one of this payload type, or of this sender; else the first. */
  #pick(tracks: readonly number[], payload: Buffer, isReport: boolean): number {
    const isOf = (track: number): boolean => {
      const { payloadTypes, reception } = this.#tracks.get(track)!;
      if (isReport) return payload.length >= 8 && reception.isOf(payload.readUInt32BE(4));
      return payload.length > 1 && payloadTypes.includes(payload[1]! & 0x7f);
    };
    return tracks.find(isOf) ?? tracks[0]!;
  }
}

/** Pairs of ports that are tried: RTP has the even one, RTCP the next (RFC 3550 section 11). */
const TRIES = 20;
const RECEIVE_BUFFER = 2 * 1024 * 1024;
/** Opens the return path through a firewall; cameras drop data that is not RTP. */
const PUNCH = Buffer.from([0x80, 0, 0, 0]);

interface Pair {
  readonly rtp: Socket;
  readonly rtcp: Socket;
  readonly reception: Reception;
  /** The camera's ports, once it has named them. */
  rtpPort?: number | undefined;
  rtcpPort?: number | undefined;
}

interface UdpTransportOptions {
  readonly sink: PacketSink;
  /** Our end of the RTSP connection: media is received only on this address. */
  readonly localAddress: string;
  /** The camera's end: media is accepted only from this address. */
  readonly remoteAddress: string;
}

/** RTP over UDP (RFC 2326 section 12.39), for cameras that do not send inside the connection. */
export class UdpTransport implements MediaTransport {
  readonly #options: UdpTransportOptions;
  readonly #pairs = new Map<number, Pair>();
  #isClosed = false;

  constructor(options: UdpTransportOptions) {
    this.#options = options;
  }

  async offer(track: number): Promise<string> {
    this.#closePair(track);
    const pair = await this.#bindPair();
    if (this.#isClosed) {
      closeBoth(pair);
      throw new FaceplateError('CAMERA_UNREACHABLE', 'The connection was closed.');
    }
    this.#pairs.set(track, pair);
    this.#receive(track, pair);
    const { port } = pair.rtp.address();
    return `RTP/AVP;unicast;client_port=${port}-${port + 1}`;
  }

  accept(track: number, answer: string | undefined): void {
    if (/interleaved|RTP\/AVP\/TCP/i.test(answer ?? '')) {
      throw malformed('it wants to send over TCP after it refused to');
    }
    const match = /server_port\s*=\s*(\d{1,5})(?:\s*-\s*(\d{1,5}))?/i.exec(answer ?? '');
    const pair = this.#pairs.get(track);
    // A camera that does not name its ports may still send.
    if (match === null || pair === undefined) return;
    const rtpPort = portOf(match[1]);
    const rtcpPort = portOf(match[2]) ?? (rtpPort === undefined ? undefined : rtpPort + 1);
    if (rtpPort !== undefined) this.#send(pair.rtp, PUNCH, rtpPort);
    pair.rtpPort = rtpPort;
    pair.rtcpPort = rtcpPort;
    this.#report(pair);
  }

  send(track: number, packet: Buffer): void {
    const pair = this.#pairs.get(track);
    if (pair?.rtpPort !== undefined) this.#send(pair.rtp, packet, pair.rtpPort);
  }

  report(): void {
    for (const pair of this.#pairs.values()) this.#report(pair);
  }

  #report({ rtcp, reception, rtcpPort }: Pair): void {
    if (rtcpPort !== undefined) this.#send(rtcp, reception.report(), rtcpPort);
  }

  close(): void {
    this.#isClosed = true;
    for (const track of [...this.#pairs.keys()]) this.#closePair(track);
  }

  #receive(track: number, { rtp, rtcp, reception }: Pair): void {
    const { sink, remoteAddress } = this.#options;
    const window = new ReorderWindow((packet) => {
      reception.addRtp(packet);
      sink.onRtp(track, packet);
    });
    const from = plainAddress(remoteAddress);
    rtp.on('message', (packet, sender) => {
      if (!this.#isClosed && plainAddress(sender.address) === from) window.push(packet, performance.now());
    });
    rtcp.on('message', (packet, sender) => {
      if (this.#isClosed || plainAddress(sender.address) !== from) return;
      reception.addRtcp(packet);
      sink.onRtcp(track, packet);
    });
  }

  async #bindPair(): Promise<Pair> {
    for (let tries = 0; tries < TRIES; tries++) {
      const rtp = await this.#bind(0);
      const { port } = rtp.address();
      try {
        if (port % 2 === 0) return { rtp, rtcp: await this.#bind(port + 1), reception: new Reception() };
      } catch {
        // The next port is in use: try another pair.
      }
      rtp.close();
    }
    throw new FaceplateError('CAMERA_PROTOCOL', 'No free pair of UDP ports was found for the camera.');
  }

  async #bind(port: number): Promise<Socket> {
    const { localAddress } = this.#options;
    const socket = createSocket(isIPv6(localAddress) ? 'udp6' : 'udp4');
    try {
      socket.bind(port, localAddress);
      await once(socket, 'listening');
    } catch (error) {
      socket.close();
      throw error;
    }
    // A camera with a closed port is detected by its silence.
    socket.on('error', () => {});
    socket.setRecvBufferSize(RECEIVE_BUFFER);
    return socket;
  }

  #send(socket: Socket, data: Buffer, port: number): void {
    if (!this.#isClosed) socket.send(data, port, this.#options.remoteAddress, () => {});
  }

  #closePair(track: number): void {
    const pair = this.#pairs.get(track);
    if (pair !== undefined) closeBoth(pair);
    this.#pairs.delete(track);
  }
}

function closeBoth({ rtp, rtcp }: Pair): void {
  rtp.close();
  rtcp.close();
}

function portOf(text: string | undefined): number | undefined {
  const port = Number(text);
  return port > 0 && port < 65_536 ? port : undefined;
}
