import { randomBytes } from 'node:crypto';
import { type ClockPoint, parseFeedback } from '../rtp/rtcp.ts';
import { buildAnswer } from './answer.ts';
import { type DtlsCertificate, DtlsPeer, fingerprintOf, type SecureMedia } from './dtls.ts';
import type { IcePeer, LoopbackSocket, Path } from './loopbackSocket.ts';
import type { Offer, OfferedFormat } from './offer.ts';
import { SrtpSender, type TrackKind } from './srtpSender.ts';

/** Packets kept for retransmission: about two seconds of 1080p, as many as a new viewer is sent at once. */
const VIDEO_RING = 1024;
/** Audio is not sent again; the ring only keeps buffers alive until the socket has taken them. */
const AUDIO_RING = 32;
/** Retransmissions answered per feedback packet; more would only feed the congestion that caused them. */
const MAX_RESENT = 256;
/** A viewer that misses this share of its packets for so long, in milliseconds, cannot keep up. */
const HEAVY_LOSS = 0.25;
const HEAVY_LOSS_MS = 1_000;

export interface PeerEvents {
  /** ICE and DTLS are done: media can be sent. */
  onReady(): void;
  /** The viewer cannot decode what it has (PLI or FIR). */
  onKeyFrameWanted(): void;
  /** It misses more than can be sent again: pictures up to the next key frame are of no use to it. */
  onOverrun(): void;
  /** The viewer ended it or the handshake failed; called at most once, never after `close`. */
  onClosed(reason: string): void;
}

export interface PeerOptions {
  readonly socket: LoopbackSocket;
  readonly certificate: DtlsCertificate;
  readonly offer: Offer;
  readonly video: OfferedFormat;
  readonly audio: OfferedFormat | undefined;
  readonly events: PeerEvents;
}

/** One viewer on the shared socket: answers its checks, shakes hands, and sends it SRTP. */
export class WebRtcPeer implements IcePeer {
  readonly localUfrag = randomBytes(6).toString('hex');
  readonly localPassword = randomBytes(18).toString('hex');
  readonly remoteUfrag: string;
  readonly #options: PeerOptions;
  readonly #dtls: DtlsPeer;
  readonly #sender = new SrtpSender();
  #media: SecureMedia | undefined;
  #path: Path | undefined;
  #heardAt = performance.now();
  #reportedLost = 0;
  /** Since when every report told of heavy loss. */
  #heavyLossSince: number | undefined;
  #closed = false;

  constructor(options: PeerOptions) {
    this.#options = options;
    this.remoteUfrag = options.offer.iceUfrag;
    this.#dtls = new DtlsPeer(options.certificate, options.offer.fingerprints, {
      send: (datagram) => this.#send(datagram),
      onSecure: (media) => this.#onSecure(media),
      onClosed: (reason) => this.#end(reason),
    });
  }

  /** Takes its place on the socket. @returns the SDP answer. */
  open(): string {
    const { socket, certificate, offer, video, audio } = this.#options;
    const { cname, ssrcs } = this.#sender;
    socket.attach(this);
    return buildAnswer(offer, {
      port: socket.port,
      iceUfrag: this.localUfrag,
      icePassword: this.localPassword,
      fingerprint: fingerprintOf(certificate),
      cname,
      video: { format: video, ssrc: ssrcs.video },
      audio: audio && { format: audio, ssrc: ssrcs.audio },
    });
  }

  /** Leaves the socket; nothing is sent any more. Safe to call twice. */
  close(): void {
    this.#closed = true;
    this.#options.socket.detach(this);
    this.#dtls.close();
    this.#sender.close();
  }

  /** When the viewer was last heard, on the clock of `performance.now()`. */
  get heardAt(): number {
    return this.#heardAt;
  }

  get isReady(): boolean {
    return this.#media !== undefined && !this.#closed;
  }

  /** Packets that the viewer missed, by its own count. */
  get reportedLost(): number {
    return this.#reportedLost;
  }

  /** Packets and payload bytes sent so far on a track. */
  sent(kind: TrackKind): { packets: number; octets: number } {
    return this.#sender.sent(kind);
  }

  /**
   * Sends one RTP payload of at most PAYLOAD_LIMIT bytes, together with the others of its picture. Nothing happens
   * before `onReady`.
   */
  sendVideo(timestamp: number, marker: boolean, payload: Buffer): void {
    if (this.#path === undefined) return;
    const packet = this.#sender.write('video', timestamp, marker, payload);
    if (packet !== undefined) this.#options.socket.sendMedia(packet, this.#path, marker);
  }

  /** Sends one RTP payload; nothing happens before `onReady` or when the answer has no audio. */
  sendAudio(timestamp: number, marker: boolean, payload: Buffer): void {
    // Audio payloads cannot be split; no codec that we forward makes one too large.
    const packet = this.#sender.write('audio', timestamp, marker, payload);
    if (packet !== undefined) this.#send(packet);
  }

  sendSenderReport(kind: TrackKind, point: ClockPoint): void {
    const report = this.#sender.report(kind, point);
    if (report !== undefined && this.#media !== undefined) this.#send(this.#media.encryptRtcp(report));
  }

  onCheck(path: Path, nominates: boolean): void {
    this.#heardAt = performance.now();
    if (this.#path === undefined || nominates) this.#path = path;
  }

  onDtls(datagram: Buffer): void {
    this.#heardAt = performance.now();
    this.#dtls.receive(datagram);
  }

  onSrtcp(datagram: Buffer): void {
    if (this.#media === undefined) return;
    let packet: Buffer;
    try {
      packet = this.#media.decryptRtcp(datagram);
    } catch {
      // Not sealed by this viewer: not a sign of life either.
      return;
    }
    this.#heardAt = performance.now();
    for (const feedback of parseFeedback(packet)) {
      if (feedback.ssrc !== this.#sender.ssrcs.video) continue;
      if (feedback.kind === 'report') this.#onReport(feedback.lost, feedback.lostShare);
      else if (feedback.kind === 'nack') this.#resend(feedback.sequences);
      else this.#options.events.onKeyFrameWanted();
    }
  }

  /** A burst that was lost is sent again; only loss that lasts means that the viewer takes less than it gets. */
  #onReport(lost: number, lostShare: number): void {
    this.#reportedLost = lost;
    if (lostShare < HEAVY_LOSS) {
      this.#heavyLossSince = undefined;
      return;
    }
    this.#heavyLossSince ??= this.#heardAt;
    if (this.#heardAt - this.#heavyLossSince < HEAVY_LOSS_MS) return;
    this.#heavyLossSince = undefined;
    this.#options.events.onOverrun();
  }

  #resend(sequences: readonly number[]): void {
    if (sequences.some((sequence) => this.#sender.hasForgotten(sequence))) {
      this.#options.events.onOverrun();
      return;
    }
    for (const sequence of sequences.slice(0, MAX_RESENT)) {
      const packet = this.#sender.written(sequence);
      if (packet !== undefined) this.#send(packet);
    }
  }

  #onSecure(media: SecureMedia): void {
    const { socket, video, audio } = this.#options;
    this.#media = media;
    this.#sender.open(socket, media.sendKey, {
      video: { payloadType: video.payloadType, ringSize: VIDEO_RING },
      audio: audio && { payloadType: audio.payloadType, ringSize: AUDIO_RING },
    });
    this.#options.events.onReady();
  }

  #send(datagram: Buffer): void {
    if (this.#path !== undefined && !this.#closed) this.#options.socket.send(datagram, this.#path);
  }

  #end(reason: string): void {
    if (this.#closed) return;
    this.close();
    this.#options.events.onClosed(reason);
  }
}
