import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import { FaceplateError } from '../../contract/errors.ts';
import { plainAddress } from '../../platform/net/addresses.ts';
import { ReorderWindow } from '../../webrtc/rtp/reorderWindow.ts';
import { writeReceiverReport } from '../../webrtc/rtp/rtcp.ts';
import { malformed } from './failure.ts';

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
   * @throws FaceplateError CAMERA_PROTOCOL if the camera insists on another transport.
   */
  accept(track: number, answer: string | undefined): void;
  /** Releases its resources. Safe to call twice. */
  close(): void;
}

/** RTP inside the RTSP connection (RFC 2326 section 10.12). */
export class InterleavedTransport implements MediaTransport {
  readonly #sink: PacketSink;
  readonly #channels = new Map<number, { track: number; rtcp: boolean }>();

  constructor(sink: PacketSink) {
    this.#sink = sink;
  }

  offer(track: number): string {
    return `RTP/AVP/TCP;unicast;interleaved=${2 * track}-${2 * track + 1}`;
  }

  /** The camera may choose other channels than we requested. */
  accept(track: number, answer: string | undefined): void {
    if (answer !== undefined && /client_port|server_port/i.test(answer) && !/interleaved/i.test(answer)) {
      throw malformed('it wants to send over UDP although TCP was asked for');
    }
    const match = /interleaved\s*=\s*(\d{1,3})(?:\s*-\s*(\d{1,3}))?/i.exec(answer ?? '');
    const rtp = match === null ? 2 * track : Number(match[1]);
    const rtcp = match?.[2] === undefined ? rtp + 1 : Number(match[2]);
    this.#channels.set(rtp, { track, rtcp: false });
    this.#channels.set(rtcp, { track, rtcp: true });
  }

  close(): void {
    this.#channels.clear();
  }

  /** Takes a frame of a channel; frames of unknown channels are dropped. */
  deliver(channel: number, payload: Buffer): void {
    const target = this.#channels.get(channel);
    if (target === undefined) return;
    if (target.rtcp) this.#sink.onRtcp(target.track, payload);
    else this.#sink.onRtp(target.track, payload);
  }
}

/** Pairs of ports that are tried: RTP has the even one, RTCP the next (RFC 3550 section 11). */
const TRIES = 20;
const RECEIVE_BUFFER = 2 * 1024 * 1024;
/** Cameras treat a client without RTCP as gone (RFC 3550 section 6.2). */
const REPORT_PERIOD_MS = 5_000;
/** Opens the return path through a firewall; cameras drop data that is not RTP. */
const PUNCH = Buffer.from([0x80, 0, 0, 0]);

interface Pair {
  readonly rtp: Socket;
  readonly rtcp: Socket;
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
  readonly #timers: NodeJS.Timeout[] = [];
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
    if (rtcpPort === undefined) return;
    const report = writeReceiverReport();
    this.#send(pair.rtcp, report, rtcpPort);
    this.#timers.push(setInterval(() => this.#send(pair.rtcp, report, rtcpPort), REPORT_PERIOD_MS));
  }

  close(): void {
    this.#isClosed = true;
    for (const timer of this.#timers) clearInterval(timer);
    for (const track of [...this.#pairs.keys()]) this.#closePair(track);
  }

  #receive(track: number, { rtp, rtcp }: Pair): void {
    const { sink, remoteAddress } = this.#options;
    const window = new ReorderWindow((packet) => sink.onRtp(track, packet));
    const from = plainAddress(remoteAddress);
    rtp.on('message', (packet, sender) => {
      if (!this.#isClosed && plainAddress(sender.address) === from) window.push(packet, performance.now());
    });
    rtcp.on('message', (packet, sender) => {
      if (!this.#isClosed && plainAddress(sender.address) === from) sink.onRtcp(track, packet);
    });
  }

  async #bindPair(): Promise<Pair> {
    for (let tries = 0; tries < TRIES; tries++) {
      const rtp = await this.#bind(0);
      const { port } = rtp.address();
      try {
        if (port % 2 === 0) return { rtp, rtcp: await this.#bind(port + 1) };
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
